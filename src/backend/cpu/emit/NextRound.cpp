// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Addresses as the next round of a loop will have them, from which memory is asked for before that
// round begins.
#include "backend/cpu/emit/KernelEmitter.h"

#include "dialect/tile/Access.h"

using namespace mlir;

namespace nereid::backend::cpu {

bool isScalarArithmetic(Operation *op) {
  return op->getNumResults() > 0 && op->getNumRegions() == 0 && tile::isElementwise(op) &&
         !tile::accessOf(op).touchesMemory() && !llvm::any_of(op->getResultTypes(), tile::isTile) &&
         !llvm::any_of(op->getOperandTypes(), tile::isTile);
}

/// Emits a scalar of the loop's body that may stand further on; null if it is more than arithmetic.
llvm::Value *KernelEmitter::scalarAhead(Value value) {
  if (auto found = scalars.find(value); found != scalars.end())
    return found->second;
  Operation *op = value.getDefiningOp();
  if (!op || !isScalarArithmetic(op))
    return nullptr;
  llvm::SmallVector<llvm::Value *, 3> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(scalarAhead(operand));
    if (!operands.back())
      return nullptr;
  }
  for (auto [result, emitted] : llvm::zip(op->getResults(), laneBuilder.emit(op, operands)))
    scalars[result] = emitted;
  return scalars.lookup(value);
}

void KernelEmitter::withScalars(llvm::ArrayRef<Value> values, llvm::function_ref<void()> act) {
  llvm::DenseMap<Value, llvm::Value *> now = scalars;
  if (llvm::all_of(values, [&](Value value) { return scalarAhead(value); }))
    act();
  scalars = std::move(now);
}

void KernelEmitter::inNextRound(scf::ForOp loop, Operation *place, llvm::function_ref<void()> act) {
  llvm::DenseMap<Value, llvm::Value *> now = scalars;
  llvm::SmallVector<llvm::Value *> carried;
  for (Value yielded : loop.getYieldedValues())
    carried.push_back(tile::isTile(yielded.getType()) ? nullptr : scalarAhead(yielded));
  scalars = now; // what was computed ahead belongs to this round
  scalars[loop.getInductionVar()] =
      b.CreateAdd(scalar(loop.getInductionVar()), scalar(loop.getStep()));
  for (auto [argument, next] : llvm::zip(loop.getRegionIterArgs(), carried))
    if (next)
      scalars[argument] = next;
  for (Operation &op : loop.getBody()->getOperations()) {
    if (&op == place)
      break;
    if (!isScalarArithmetic(&op) || !scalars.contains(op.getResult(0)))
      continue;
    llvm::SmallVector<llvm::Value *, 3> operands;
    for (Value operand : op.getOperands())
      operands.push_back(scalar(operand));
    for (auto [result, emitted] : llvm::zip(op.getResults(), laneBuilder.emit(&op, operands)))
      scalars[result] = emitted;
  }
  act();
  scalars = std::move(now);
}

} // namespace nereid::backend::cpu
