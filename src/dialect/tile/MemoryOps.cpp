// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/tile/Tile.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace nereid::tile {

LogicalResult OffsetOp::verify() {
  if (shapeOf(getPointer().getType()) != shapeOf(getOffset().getType()))
    return emitOpError("pointer and offset must have the same shape");
  return success();
}

OpFoldResult OffsetOp::fold(FoldAdaptor) {
  return matchPattern(getOffset(), m_Zero()) ? getPointer() : Value();
}

LogicalResult PointerToIntOp::verify() {
  if (getType() != withElement(getSource().getType(), IntegerType::get(getContext(), 64)))
    return emitOpError("result must be i64 in the shape of the source");
  return success();
}

LogicalResult IntToPointerOp::verify() {
  if (getSource().getType() != withElement(getType(), IntegerType::get(getContext(), 64)))
    return emitOpError("source must be i64 in the shape of the result");
  return success();
}

LogicalResult PointerCastOp::verify() {
  if (shapeOf(getSource().getType()) != shapeOf(getType()))
    return emitOpError("source and result must have the same shape");
  return success();
}

OpFoldResult PointerCastOp::fold(FoldAdaptor) {
  return getSource().getType() == getType() ? getSource() : Value();
}

bool OffsetOp::isCheap() { return true; }
Value OffsetOp::getPointerSource() { return getPointer(); }
Value PointerCastOp::getPointerSource() { return getSource(); }

Access LoadOp::getAccess() {
  return {.pointer = getPointer(), .mask = getMask(), .reads = true, .acquires = getIsVolatile()};
}

Access StoreOp::getAccess() { return {.pointer = getPointer(), .mask = getMask(), .writes = true}; }

LogicalResult LoadOp::verify() {
  if (getOther() && !getMask())
    return emitOpError("`other` needs a mask");
  return success();
}

} // namespace nereid::tile
