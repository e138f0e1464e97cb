// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/tile/Lanes.h"

#include "dialect/tile/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace nereid::tile {

LaneMap identityMap(Type operand) {
  LaneMap map;
  for (auto [dim, size] : llvm::enumerate(shapeOf(operand)))
    map.push_back(size == 1 ? none : static_cast<int>(dim));
  return map;
}

Need needOfType(Type operand) { return isTile(operand) ? Need::Lanes : Need::Scalar; }

LaneMap mapThrough(const LaneMap &map, llvm::ArrayRef<int> at) {
  LaneMap result;
  for (int dim : map)
    result.push_back(dim == none ? none : at[dim]);
  return result;
}

Need needOf(OpOperand &operand) {
  if (!isTile(operand.get().getType()))
    return Need::Scalar;
  auto answering = llvm::dyn_cast<LaneOpInterface>(operand.getOwner());
  return answering ? answering.getNeed(operand) : Need::Whole;
}

bool isLanewise(Operation *op) {
  auto answering = llvm::dyn_cast<LaneOpInterface>(op);
  return answering && op->getNumResults() > 0 && answering.isLanewise();
}

LaneMap laneMapOf(OpOperand &operand) {
  return llvm::cast<LaneOpInterface>(operand.getOwner()).getLaneMap(operand);
}

bool movesLanes(Operation *op) {
  auto answering = llvm::dyn_cast<LaneOpInterface>(op);
  return answering && answering.movesLanes();
}

bool isLaneForLane(OpOperand &operand) {
  Operation *op = operand.getOwner();
  Type type = operand.get().getType();
  return isLanewise(op) && shapeOf(type) == shapeOf(op->getResult(0).getType()) &&
         laneMapOf(operand) == identityMap(type);
}

bool isElementwise(Operation *op) {
  if (op->hasTrait<OpTrait::ConstantLike>())
    return true;
  return isLanewise(op) && op->getNumOperands() > 0 &&
         llvm::all_of(op->getOpOperands(), isLaneForLane);
}

bool repeatsLanes(OpOperand &operand) {
  Operation *op = operand.getOwner();
  if (!isTile(operand.get().getType()) || !isLanewise(op))
    return false;
  auto isLong = [](int64_t size) { return size != 1; };
  auto isMapped = [](int dim) { return dim != none; };
  return llvm::count_if(shapeOf(op->getResult(0).getType()), isLong) >
         llvm::count_if(laneMapOf(operand), isMapped);
}

bool isCheap(Operation *op) {
  auto answering = llvm::dyn_cast<LaneOpInterface>(op);
  return answering && answering.isCheap();
}

bool isCheck(Operation *op) {
  auto answering = llvm::dyn_cast<LaneOpInterface>(op);
  return answering && answering.isCheck();
}

/// What the pointer was computed from, as far as that can be seen.
static Value sourceOf(Value pointer) {
  while (Operation *op = pointer.getDefiningOp()) {
    auto answering = llvm::dyn_cast<LaneOpInterface>(op);
    Value source = answering ? answering.getPointerSource() : Value();
    if (!source)
      break;
    pointer = source;
  }
  return pointer;
}

Value ownMemoryOf(Value pointer) {
  Value source = sourceOf(pointer);
  return llvm::isa_and_present<SharedOp, LocalOp>(source.getDefiningOp()) ? source : Value();
}

BlockArgument baseOf(Value pointer) {
  Value source = sourceOf(pointer);
  return isParameter(source) ? llvm::cast<BlockArgument>(source) : BlockArgument();
}

bool isParameter(Value value) {
  auto argument = llvm::dyn_cast_if_present<BlockArgument>(value);
  return argument && llvm::isa<func::FuncOp>(argument.getOwner()->getParentOp());
}

} // namespace nereid::tile
