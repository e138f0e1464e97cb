// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Slice.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace nereid::analysis {

static void addSourcesOf(BlockArgument argument, llvm::SmallVectorImpl<Value> &sources) {
  const unsigned number = argument.getArgNumber();
  Operation *parent = argument.getOwner()->getParentOp();
  if (auto loop = llvm::dyn_cast<scf::ForOp>(parent)) {
    if (number == 0)
      return sources.append({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()});
    sources.push_back(loop.getInitArgs()[number - 1]);
    sources.push_back(loop.getYieldedValues()[number - 1]);
  } else if (auto loop = llvm::dyn_cast<scf::WhileOp>(parent)) {
    if (argument.getOwner() == loop.getAfterBody())
      return sources.push_back(loop.getConditionOp().getArgs()[number]);
    sources.push_back(loop.getInits()[number]);
    sources.push_back(loop.getYieldOp().getOperand(number));
  }
}

void addSources(Value value, llvm::SmallVectorImpl<Value> &sources) {
  if (auto argument = llvm::dyn_cast<BlockArgument>(value))
    return addSourcesOf(argument, sources);
  const unsigned number = llvm::cast<OpResult>(value).getResultNumber();
  Operation *op = value.getDefiningOp();
  if (auto loop = llvm::dyn_cast<scf::ForOp>(op)) {
    sources.push_back(loop.getInitArgs()[number]);
    sources.push_back(loop.getYieldedValues()[number]);
  } else if (auto loop = llvm::dyn_cast<scf::WhileOp>(op)) {
    sources.push_back(loop.getConditionOp().getArgs()[number]);
  } else if (auto branch = llvm::dyn_cast<scf::IfOp>(op)) {
    sources.push_back(branch.getCondition());
    sources.push_back(branch.thenYield().getOperand(number));
    sources.push_back(branch.elseYield().getOperand(number));
  } else {
    llvm::append_range(sources, op->getOperands());
  }
}

std::optional<llvm::SetVector<Operation *>>
backwardSlice(ValueRange roots, llvm::function_ref<Belongs(Operation *)> belongs,
              SourceOfArgument sourceOf) {
  // Each operation once, whichever of its results is asked for.
  auto nodeOf = [](Value value) {
    Operation *op = value.getDefiningOp();
    return op ? Value(op->getResult(0)) : value;
  };
  llvm::SetVector<Operation *> operations;
  llvm::DenseSet<Operation *> outside;
  auto sourcesOf = [&](Value value, llvm::SmallVectorImpl<Value> &sources) {
    Operation *op = value.getDefiningOp();
    if (!op) {
      if (Value source = sourceOf(llvm::cast<BlockArgument>(value)))
        sources.push_back(nodeOf(source));
      return true;
    }
    const Belongs answer = belongs(op);
    if (answer == Belongs::No) {
      outside.insert(op);
      return true;
    }
    llvm::SetVector<Value> taken(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), taken);
    llvm::append_range(sources, llvm::map_range(taken, nodeOf));
    return answer != Belongs::Never;
  };
  auto done = [&](Value value) {
    Operation *op = value.getDefiningOp();
    if (op && !outside.contains(op))
      operations.insert(op);
  };
  llvm::SmallVector<Value> nodes = llvm::to_vector(llvm::map_range(roots, nodeOf));
  if (!walkBack<Value>(nodes, sourcesOf, done))
    return std::nullopt;
  return operations;
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
