// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types and shapes of tiles: making them agree, and changing them.
#include "frontend/emit/tiles/TileBuilder.h"

namespace nereid::emit {

mlir::Type TileBuilder::irType(sema::ScalarType type) {
  refuseOutsideKernels();
  mlir::Type element = tile::scalarOf(type.dtype, builder.getContext());
  return type.isPointer ? tile::PointerType::get(element) : element;
}

mlir::Type TileBuilder::irType(const sema::ValueType &type) {
  return tile::tileOf(type.shape, irType(type.scalar));
}

void TileBuilder::checkShape(llvm::ArrayRef<int64_t> shape, SourceRange range) {
  int64_t count = 1;
  for (int64_t size : shape)
    if (__builtin_mul_overflow(count, size, &count))
      count = INT64_MAX;
  if (count > mostElements)
    fail(range, DiagnosticId::tile_too_large, count, mostElements);
}

sema::Shape TileBuilder::commonShape(llvm::ArrayRef<int64_t> lhs, llvm::ArrayRef<int64_t> rhs,
                                     SourceRange range) {
  size_t rank = std::max(lhs.size(), rhs.size());
  sema::Shape shape(rank, 1);
  for (size_t i = 0; i < rank; ++i) {
    int64_t left = i + lhs.size() < rank ? 1 : lhs[i + lhs.size() - rank];
    int64_t right = i + rhs.size() < rank ? 1 : rhs[i + rhs.size() - rank];
    if (left != right && left != 1 && right != 1)
      failWithNote(range, {{}, "sizes must be equal or 1, counted from the last dimension"},
                   DiagnosticId::shape_mismatch, sema::toString(lhs), sema::toString(rhs));
    shape[i] = left == 1 ? right : left;
  }
  checkShape(shape, range);
  return shape;
}

Tensor TileBuilder::splat(const Tensor &scalar, llvm::ArrayRef<int64_t> shape, SourceRange range) {
  if (shape.empty())
    return scalar;
  sema::ValueType type{scalar.type.scalar, sema::Shape(shape)};
  return {make<tile::SplatOp>(range, irType(type), scalar.value), type};
}

Tensor TileBuilder::broadcastTo(const Tensor &value, llvm::ArrayRef<int64_t> shape,
                                SourceRange range) {
  if (llvm::ArrayRef<int64_t>(value.shape()) == shape)
    return value;
  checkShape(shape, range);
  if (!value.isTile())
    return splat(value, shape, range);
  auto failShape = [&] {
    fail(range, DiagnosticId::cannot_broadcast_to, sema::toString(value.shape()),
         sema::toString(shape));
  };
  if (value.shape().size() > shape.size())
    failShape();
  Tensor result = value;
  while (result.shape().size() < shape.size())
    result = expandDims(result, 0, range);
  for (size_t i = 0; i < shape.size(); ++i)
    if (result.shape()[i] != shape[i] && result.shape()[i] != 1)
      failShape();
  sema::ValueType type{value.type.scalar, sema::Shape(shape)};
  return {make<tile::BroadcastOp>(range, irType(type), result.value), type};
}

OperandPair TileBuilder::broadcast(const Tensor &lhs, const Tensor &rhs, SourceRange range) {
  if (lhs.shape() == rhs.shape())
    return {lhs, rhs};
  sema::Shape shape = commonShape(lhs.shape(), rhs.shape(), range);
  return {broadcastTo(lhs, shape, range), broadcastTo(rhs, shape, range)};
}

Tensor TileBuilder::expandDims(const Tensor &value, int64_t axis, SourceRange range) {
  sema::ValueType type = value.type;
  type.shape.insert(type.shape.begin() + axis, 1);
  if (!value.isTile())
    return splat(value, type.shape, range);
  return {make<tile::ExpandDimsOp>(range, irType(type), value.value,
                                   builder.getI32IntegerAttr(static_cast<int32_t>(axis))),
          type};
}

Tensor TileBuilder::reshape(const Tensor &value, llvm::ArrayRef<int64_t> shape, SourceRange range) {
  sema::ValueType type{value.type.scalar, sema::Shape(shape)};
  if (type.elements() != value.type.elements())
    fail(range, DiagnosticId::reshape_count, value.type.elements(), sema::toString(shape),
         type.elements());
  if (!value.isTile())
    return splat(value, shape, range);
  return {make<tile::ReshapeOp>(range, irType(type), value.value), type};
}

Tensor TileBuilder::permute(const Tensor &value, llvm::ArrayRef<int64_t> order, SourceRange range) {
  sema::ValueType type = value.type;
  for (size_t i = 0; i < order.size(); ++i)
    type.shape[i] = value.shape()[order[i]];
  return {
      make<tile::PermuteOp>(range, irType(type), value.value, builder.getDenseI64ArrayAttr(order)),
      type};
}

Tensor TileBuilder::arange(int64_t start, int64_t end, SourceRange range) {
  checkShape({end - start}, range);
  sema::ValueType type{{DType::Int32}, {end - start}};
  return {make<tile::RangeOp>(range, irType(type),
                              builder.getI32IntegerAttr(static_cast<int32_t>(start)),
                              builder.getI32IntegerAttr(static_cast<int32_t>(end))),
          type};
}

int64_t TileBuilder::wrapAxis(sema::Integer axis, int64_t rank, SourceRange range) {
  if (axis < -rank || axis >= rank)
    fail(range, DiagnosticId::axis_out_of_range, sema::toString(sema::ConstantValue(axis)), rank);
  return static_cast<int64_t>(axis < 0 ? axis + rank : axis);
}

} // namespace nereid::emit
