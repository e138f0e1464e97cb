// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/RoundSlice.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace nereid::backend::nvptx {

std::optional<RoundSlice> RoundSlice::of(scf::ForOp loop, ValueRange roots) {
  RoundSlice slice(loop);
  for (Value root : roots)
    if (!slice.add(root))
      return std::nullopt;
  return slice;
}

bool RoundSlice::add(Value value) {
  if (auto argument = llvm::dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != loop.getBody() || argument == loop.getInductionVar())
      return true;
    unsigned number = argument.getArgNumber() - loop.getNumInductionVars();
    return !carried.insert(number) || add(loop.getYieldedValues()[number]);
  }
  Operation *op = value.getDefiningOp();
  if (!isInLoop(op))
    return true;
  if (op->getBlock() != loop.getBody() || op->getNumRegions() > 0 || !isMemoryEffectFree(op))
    return false;
  return !ops.insert(op).second ||
         llvm::all_of(op->getOperands(), [&](Value operand) { return add(operand); });
}

llvm::SmallVector<Value> RoundSlice::initialState() {
  llvm::SmallVector<Value> state;
  for (unsigned number : carried)
    state.push_back(loop.getInitArgs()[number]);
  return state;
}

llvm::SmallVector<Value> RoundSlice::nextState(const IRMapping &round) {
  llvm::SmallVector<Value> state;
  for (unsigned number : carried)
    state.push_back(round.lookupOrDefault(loop.getYieldedValues()[number]));
  return state;
}

IRMapping RoundSlice::clone(OpBuilder &builder, Value induction, ValueRange state) {
  IRMapping map;
  map.map(loop.getInductionVar(), induction);
  for (auto [number, value] : llvm::zip(carried, state))
    map.map(loop.getRegionIterArg(number), value);
  for (Operation &op : *loop.getBody())
    if (ops.contains(&op))
      builder.clone(op, map);
  return map;
}

} // namespace nereid::backend::nvptx
