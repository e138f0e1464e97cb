// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analyze/KeepLive.h"

#include "dialect/tile/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace nereid::analyzer {
namespace {

class Liveness {
public:
  explicit Liveness(func::FuncOp function) {
    function.walk([&](Operation *op) { addRoots(op); });
    while (!pending.empty())
      follow(pending.pop_back_val());
  }

  bool isLive(Value value) const { return live.contains(value); }

private:
  void mark(Value value) {
    if (live.insert(value).second)
      pending.push_back(value);
  }

  void addRoots(Operation *op) {
    if (auto loop = llvm::dyn_cast<scf::ForOp>(op)) {
      for (Value bound : {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
        mark(bound);
    } else if (auto branch = llvm::dyn_cast<scf::IfOp>(op)) {
      mark(branch.getCondition());
    } else if (llvm::isa<scf::WhileOp, scf::ConditionOp>(op) ||
               llvm::isa_and_nonnull<scf::WhileOp>(op->getParentOp()) ||
               (op->getNumRegions() == 0 && !isMemoryEffectFree(op))) {
      // Of loops that are no counted ones all is kept.
      for (Value operand : op->getOperands())
        mark(operand);
    }
  }

  void follow(Value value) {
    if (auto argument = llvm::dyn_cast<BlockArgument>(value)) {
      if (auto loop = llvm::dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()))
        if (argument.getArgNumber() > 0)
          followCarried(loop, argument.getArgNumber() - 1);
      return;
    }
    auto result = llvm::cast<OpResult>(value);
    Operation *op = result.getOwner();
    unsigned number = result.getResultNumber();
    if (auto loop = llvm::dyn_cast<scf::ForOp>(op))
      return followCarried(loop, number);
    if (auto branch = llvm::dyn_cast<scf::IfOp>(op)) {
      mark(branch.thenYield().getOperand(number));
      return mark(branch.elseYield().getOperand(number));
    }
    for (Value operand : op->getOperands())
      mark(operand);
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        mark(operand);
    });
  }

  void followCarried(scf::ForOp loop, unsigned number) {
    mark(loop.getResult(number));
    mark(loop.getRegionIterArg(number));
    mark(loop.getInitArgs()[number]);
    mark(loop.getBody()->getTerminator()->getOperand(number));
  }

  llvm::DenseSet<Value> live;
  llvm::SmallVector<Value> pending;
};

llvm::SmallVector<bool> liveResults(Operation *op, const Liveness &liveness) {
  llvm::SmallVector<bool> kept;
  for (Value result : op->getResults())
    kept.push_back(liveness.isLive(result));
  return kept;
}

void keepOperands(Operation *yield, llvm::ArrayRef<bool> kept) {
  llvm::SmallVector<Value> operands;
  for (auto [operand, isKept] : llvm::zip(yield->getOperands(), kept))
    if (isKept)
      operands.push_back(operand);
  yield->setOperands(operands);
}

void replaceKept(Operation *op, Operation *with, llvm::ArrayRef<bool> kept) {
  unsigned next = 0;
  for (auto [result, isKept] : llvm::zip(op->getResults(), kept)) {
    if (isKept)
      result.replaceAllUsesWith(with->getResult(next++));
    else
      result.dropAllUses();
  }
  op->erase();
}

void shrink(scf::ForOp loop, llvm::ArrayRef<bool> kept) {
  OpBuilder builder(loop);
  llvm::SmallVector<Value> inits;
  for (auto [init, isKept] : llvm::zip(loop.getInitArgs(), kept))
    if (isKept)
      inits.push_back(init);
  auto next = scf::ForOp::create(builder, loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(),
                                 loop.getStep(), inits);
  next.setUnsignedCmp(loop.getUnsignedCmp());
  next.getRegion().takeBody(loop.getRegion());
  mlir::Block *body = next.getBody();
  for (unsigned number = kept.size(); number-- > 0;)
    if (!kept[number]) {
      body->getArgument(number + 1).dropAllUses();
      body->eraseArgument(number + 1);
    }
  replaceKept(loop, next, kept);
}

void shrink(scf::IfOp branch, llvm::ArrayRef<bool> kept) {
  OpBuilder builder(branch);
  llvm::SmallVector<Type> types;
  for (auto [result, isKept] : llvm::zip(branch.getResults(), kept))
    if (isKept)
      types.push_back(result.getType());
  auto next = scf::IfOp::create(builder, branch.getLoc(), types, branch.getCondition(),
                                /*withElseRegion=*/true);
  next.getThenRegion().takeBody(branch.getThenRegion());
  next.getElseRegion().takeBody(branch.getElseRegion());
  replaceKept(branch, next, kept);
}

} // namespace

void keepLive(func::FuncOp function) {
  Liveness liveness(function);
  llvm::SmallVector<Operation *> all, shrinking;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    all.push_back(op);
    if (llvm::isa<scf::ForOp, scf::IfOp>(op) &&
        llvm::is_contained(liveResults(op, liveness), false))
      shrinking.push_back(op);
  });
  for (Operation *op : shrinking) {
    llvm::SmallVector<bool> kept = liveResults(op, liveness);
    for (Region &region : op->getRegions())
      if (!region.empty())
        keepOperands(region.front().getTerminator(), kept);
  }
  llvm::DenseSet<Operation *> gone;
  for (Operation *op : llvm::reverse(all)) {
    bool isDead = op->getNumResults() && isMemoryEffectFree(op) &&
                  !llvm::is_contained(liveResults(op, liveness), true);
    if (!isDead || gone.contains(op))
      continue;
    op->walk([&](Operation *inner) { gone.insert(inner); });
    op->dropAllUses();
    op->erase();
  }
  for (Operation *op : llvm::reverse(shrinking)) {
    if (gone.contains(op))
      continue;
    llvm::SmallVector<bool> kept = liveResults(op, liveness);
    if (auto loop = llvm::dyn_cast<scf::ForOp>(op))
      shrink(loop, kept);
    else
      shrink(llvm::cast<scf::IfOp>(op), kept);
  }
}

} // namespace nereid::analyzer
