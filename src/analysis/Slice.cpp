// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Slice.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace nereid::analysis {
namespace {

class BackwardSlice {
public:
  BackwardSlice(llvm::function_ref<Belongs(Operation *)> belongs, SourceOfArgument sourceOf)
      : belongs(belongs), sourceOf(sourceOf) {}

  bool add(Value value) {
    if (auto argument = llvm::dyn_cast<BlockArgument>(value)) {
      Value source = arguments.insert(value).second ? sourceOf(argument) : Value();
      return !source || add(source);
    }
    Operation *op = value.getDefiningOp();
    if (!seen.insert(op).second)
      return true;
    const Belongs answer = belongs(op);
    if (answer != Belongs::Yes)
      return answer == Belongs::No;
    if (!llvm::all_of(op->getOperands(), [&](Value operand) { return add(operand); }))
      return false;
    operations.insert(op);
    return true;
  }

  llvm::SetVector<Operation *> operations;

private:
  llvm::function_ref<Belongs(Operation *)> belongs;
  SourceOfArgument sourceOf;
  llvm::DenseSet<Operation *> seen;
  llvm::DenseSet<Value> arguments;
};

} // namespace

std::optional<llvm::SetVector<Operation *>>
backwardSlice(ValueRange roots, llvm::function_ref<Belongs(Operation *)> belongs,
              SourceOfArgument sourceOf) {
  BackwardSlice slice(belongs, sourceOf);
  for (Value root : roots)
    if (!slice.add(root))
      return std::nullopt;
  return std::move(slice.operations);
}

bool followUses(Value tile, llvm::function_ref<bool(Operation *)> isLink,
                llvm::function_ref<WalkResult(OpOperand &)> visit) {
  llvm::SmallVector<Value> open = {tile};
  llvm::DenseSet<Operation *> links;
  while (!open.empty())
    for (OpOperand &use : open.pop_back_val().getUses()) {
      Operation *user = use.getOwner();
      if (links.contains(user))
        continue;
      if (isLink(user)) {
        links.insert(user);
        llvm::append_range(open, user->getResults());
      } else if (visit(use).wasInterrupted()) {
        return false;
      }
    }
  return true;
}

bool followSources(Value tile, llvm::function_ref<bool(Operation *)> isLink,
                   llvm::function_ref<WalkResult(OpResult)> visit) {
  llvm::SmallVector<Value> open = {tile};
  llvm::DenseSet<Value> seen;
  while (!open.empty()) {
    auto result = llvm::dyn_cast<OpResult>(open.pop_back_val());
    if (!result || !seen.insert(result).second)
      continue;
    Operation *op = result.getOwner();
    if (!isLink(op)) {
      if (visit(result).wasInterrupted())
        return false;
    } else if (auto loop = llvm::dyn_cast<scf::ForOp>(op)) {
      open.push_back(loop.getYieldedValues()[result.getResultNumber()]);
    } else {
      llvm::append_range(open, llvm::reverse(op->getOperands()));
    }
  }
  return true;
}

tile::DotOp productOfFactor(OpOperand &use) {
  auto dot = llvm::dyn_cast<tile::DotOp>(use.getOwner());
  return dot && &use != &dot.getAccumulatorMutable() ? dot : tile::DotOp();
}

} // namespace nereid::analysis
