// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analyze/FoundAddresses.h"

#include "analysis/Slice.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace nereid::analyzer {
namespace {

using Sources = llvm::SmallVectorImpl<Value>;

void addSourcesOf(BlockArgument argument, Sources &sources) {
  const unsigned number = argument.getArgNumber();
  Operation *parent = argument.getOwner()->getParentOp();
  if (auto loop = llvm::dyn_cast<scf::ForOp>(parent)) {
    if (number == 0)
      return;
    sources.push_back(loop.getInitArgs()[number - 1]);
    sources.push_back(loop.getYieldedValues()[number - 1]);
  } else if (auto loop = llvm::dyn_cast<scf::WhileOp>(parent)) {
    if (argument.getOwner() == loop.getAfterBody()) {
      sources.push_back(loop.getConditionOp().getArgs()[number]);
      return;
    }
    sources.push_back(loop.getInits()[number]);
    sources.push_back(loop.getYieldOp().getOperand(number));
  }
}

void addSourcesOf(OpResult result, Sources &sources) {
  const unsigned number = result.getResultNumber();
  Operation *op = result.getOwner();
  if (auto loop = llvm::dyn_cast<scf::ForOp>(op)) {
    sources.push_back(loop.getInitArgs()[number]);
    sources.push_back(loop.getYieldedValues()[number]);
  } else if (auto loop = llvm::dyn_cast<scf::WhileOp>(op)) {
    sources.push_back(loop.getConditionOp().getArgs()[number]);
  } else if (auto branch = llvm::dyn_cast<scf::IfOp>(op)) {
    sources.push_back(branch.thenYield().getOperand(number));
    sources.push_back(branch.elseYield().getOperand(number));
  } else {
    llvm::append_range(sources, op->getOperands());
  }
}

} // namespace

bool isFound(Value pointers) {
  if (!tile::isTile(pointers.getType()))
    return false;
  auto sourcesOf = [](Value value, Sources &sources) {
    // Where all lanes have one number, they have it from wherever.
    if (!tile::isTile(value.getType()))
      return true;
    if (value.getDefiningOp<tile::LoadOp>())
      return false;
    if (auto argument = llvm::dyn_cast<BlockArgument>(value))
      addSourcesOf(argument, sources);
    else
      addSourcesOf(llvm::cast<OpResult>(value), sources);
    return true;
  };
  return !analysis::walkBack<Value>({pointers}, sourcesOf, [](Value) {});
}

} // namespace nereid::analyzer
