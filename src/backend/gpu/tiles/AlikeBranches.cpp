// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/gpu/tiles/AlikeBranches.h"

#include "dialect/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace nereid::backend::gpu {
namespace {

bool areAlike(Operation *a, Operation *c) {
  return a->getName() == c->getName() && a->getNumRegions() == 0 && c->getNumRegions() == 0 &&
         a->getNumSuccessors() == 0 && a->getNumOperands() == c->getNumOperands() &&
         a->getResultTypes() == c->getResultTypes() &&
         a->getAttrDictionary() == c->getAttrDictionary();
}

/// Addresses, indices and masks: what is computed once more, selected, is no more than these.
bool isOfIntegers(Type tile) {
  Type element = tile::elementOf(tile);
  return element.isInteger() || llvm::isa<tile::PointerType>(element);
}

class Merger {
public:
  explicit Merger(scf::IfOp branch) : branch(branch), builder(branch) {}

  /// Looks first, so that nothing is written where it cannot be done.
  bool run() {
    if (!branch.elseBlock() || branch.thenBlock()->without_terminator().empty() || !mergeAll())
      return false;
    isWriting = true;
    merged.clear();
    mergeAll();
    branch.erase();
    return true;
  }

private:
  using Pair = std::pair<Value, Value>;

  bool mergeAll() {
    auto ofThen = branch.thenBlock()->without_terminator();
    auto ofElse = branch.elseBlock()->without_terminator();
    if (std::distance(ofThen.begin(), ofThen.end()) != std::distance(ofElse.begin(), ofElse.end()))
      return false;
    for (auto [a, c] : llvm::zip(ofThen, ofElse))
      if (!areAlike(&a, &c) || !mergeOperations(&a, &c))
        return false;
    ValueRange yielded = branch.thenYield().getResults(), others = branch.elseYield().getResults();
    llvm::SmallVector<Value> results;
    for (auto [a, c] : llvm::zip(yielded, others)) {
      if (!merge(a, c))
        return false;
      results.push_back(merged.lookup({a, c}));
    }
    if (isWriting)
      branch->replaceAllUsesWith(results);
    return true;
  }

  bool mergeOperations(Operation *a, Operation *c) {
    for (auto [mine, other] : llvm::zip(a->getOperands(), c->getOperands()))
      if (!merge(mine, other))
        return false;
    Operation *copy = a;
    if (isWriting) {
      copy = builder.clone(*a);
      for (auto [i, mine] : llvm::enumerate(a->getOperands()))
        copy->setOperand(i, merged.lookup({mine, c->getOperand(i)}));
    }
    for (auto [mine, other, one] : llvm::zip(a->getResults(), c->getResults(), copy->getResults()))
      merged[{mine, other}] = one;
    return true;
  }

  bool isInside(Value value) {
    mlir::Block *block = value.getParentBlock();
    return block == branch.thenBlock() || block == branch.elseBlock();
  }

  /// Notes what stands for both values, if anything may.
  bool merge(Value a, Value c) {
    if (merged.contains({a, c}))
      return true;
    if (a == c) {
      merged[{a, c}] = a;
      return true;
    }
    if (isInside(a) || isInside(c) || a.getType() != c.getType())
      return false;
    if (tile::isTile(a.getType())) {
      Operation *mine = a.getDefiningOp(), *other = c.getDefiningOp();
      return mine && other && areAlike(mine, other) && isOfIntegers(a.getType()) && isPure(mine) &&
             mine->getNumResults() == 1 && mergeOperations(mine, other);
    }
    if (!a.getType().isIntOrFloat() && !llvm::isa<tile::PointerType>(a.getType()))
      return false;
    merged[{a, c}] = a;
    if (isWriting)
      merged[{a, c}] =
          arith::SelectOp::create(builder, branch.getLoc(), branch.getCondition(), a, c);
    return true;
  }

  scf::IfOp branch;
  OpBuilder builder;
  bool isWriting = false;
  llvm::DenseMap<Pair, Value> merged;
};

} // namespace

void mergeAlikeBranches(func::FuncOp kernel) {
  kernel.walk<WalkOrder::PostOrder>([](scf::IfOp branch) { Merger(branch).run(); });
}

} // namespace nereid::backend::gpu
