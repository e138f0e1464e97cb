// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/tile/Tile.h"

using namespace mlir;

namespace nereid::tile {

bool RangeOp::isCheap() { return true; }
bool SplatOp::movesLanes() { return true; }
bool ExpandDimsOp::movesLanes() { return true; }
bool BroadcastOp::movesLanes() { return true; }
bool PermuteOp::movesLanes() { return true; }
bool ReshapeOp::movesLanes() { return true; }

LaneMap ExpandDimsOp::getLaneMap(OpOperand &operand) {
  LaneMap map = identityMap(operand.get().getType());
  for (int &dim : map)
    if (dim != none && dim >= static_cast<int>(getAxis()))
      ++dim;
  return map;
}

LaneMap PermuteOp::getLaneMap(OpOperand &operand) {
  LaneMap map(getOrder().size(), none);
  for (auto [to, from] : llvm::enumerate(getOrder()))
    if (shapeOf(operand.get().getType())[from] != 1)
      map[from] = static_cast<int>(to);
  return map;
}

bool GatherOp::isLanewise() { return false; }
/// Any lane of the source may be asked for.
Need GatherOp::getNeed(OpOperand &operand) {
  return operand.getOperandNumber() == 0 ? Need::Whole : Need::Lanes;
}

/// The places of the dimensions that are longer than 1.
static llvm::SmallVector<int> longDims(Type type) {
  llvm::SmallVector<int> dims;
  for (auto [dim, size] : llvm::enumerate(shapeOf(type)))
    if (size != 1)
      dims.push_back(static_cast<int>(dim));
  return dims;
}

/// Whether dimensions of size 1 come or go and nothing else changes. Lanes that move otherwise have
/// no map: such a reshape is another view of the same array.
bool ReshapeOp::isLanewise() {
  auto sizes = [](Type type) {
    return llvm::to_vector(
        llvm::make_filter_range(shapeOf(type), [](int64_t n) { return n != 1; }));
  };
  return sizes(getSource().getType()) == sizes(getType());
}
bool ReshapeOp::isCheap() { return isLanewise(); }
Need ReshapeOp::getNeed(OpOperand &operand) {
  return isLanewise() ? needOfType(operand.get().getType()) : Need::Whole;
}

LaneMap ReshapeOp::getLaneMap(OpOperand &operand) {
  LaneMap map(shapeOf(operand.get().getType()).size(), none);
  for (auto [from, to] : llvm::zip(longDims(operand.get().getType()), longDims(getType())))
    map[from] = to;
  return map;
}

LaneMap JoinOp::getLaneMap(OpOperand &operand) { return identityMap(operand.get().getType()); }

/// Which half is wanted is no matter of loops: each result reads the source, an array, at its own
/// place.
Need SplitOp::getNeed(OpOperand &) { return Need::Whole; }
LaneMap SplitOp::getLaneMap(OpOperand &) {
  LaneMap map = identityMap(getFirst().getType());
  map.push_back(none);
  return map;
}

LogicalResult RangeOp::verify() {
  auto type = llvm::cast<RankedTensorType>(getType());
  // The attributes read as unsigned, but a range may start below zero.
  int64_t length = int64_t(getEnd()) - getStart();
  if (type.getRank() != 1 || length <= 0 || type.getDimSize(0) != length)
    return emitOpError() << "result must be a 1-D tile of end - start = " << length << " elements";
  return success();
}

LogicalResult SplatOp::verify() {
  if (elementOf(getType()) != getValue().getType())
    return emitOpError("value and result must have the same element type");
  return success();
}

OpFoldResult SplatOp::fold(FoldAdaptor adaptor) {
  if (!adaptor.getValue() || !llvm::isa<IntegerAttr, FloatAttr>(adaptor.getValue()))
    return {};
  return DenseElementsAttr::get(llvm::cast<ShapedType>(getType()), {adaptor.getValue()});
}

LogicalResult ExpandDimsOp::verify() {
  llvm::SmallVector<int64_t> expected(shapeOf(getSource().getType()));
  if (getAxis() > expected.size())
    return emitOpError() << "axis " << getAxis() << " is out of range";
  expected.insert(expected.begin() + getAxis(), 1);
  if (!isTileOf(getType(), expected, elementOf(getSource().getType())))
    return emitOpError() << "result must be " << tileOf(expected, elementOf(getSource().getType()));
  return success();
}

LogicalResult BroadcastOp::verify() {
  auto source = llvm::cast<RankedTensorType>(getSource().getType());
  auto result = llvm::cast<RankedTensorType>(getType());
  if (source.getRank() != result.getRank() || source.getElementType() != result.getElementType())
    return emitOpError("source and result must agree in rank and element type");
  for (auto [from, to] : llvm::zip(source.getShape(), result.getShape()))
    if (from != to && from != 1)
      return emitOpError() << "cannot repeat a dimension of size " << from << " to " << to;
  return success();
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType())
    return getSource();
  if (auto constant = llvm::dyn_cast_if_present<SplatElementsAttr>(adaptor.getSource()))
    return constant.resizeSplat(llvm::cast<ShapedType>(getType()));
  return {};
}

LogicalResult ReshapeOp::verify() {
  if (elementOf(getSource().getType()) != elementOf(getType()) ||
      elementCount(getSource().getType()) != elementCount(getType()))
    return emitOpError("source and result must agree in element type and number of elements");
  return success();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType())
    return getSource();
  if (auto splat = getSource().getDefiningOp<SplatOp>(); splat && !isTile(getType()))
    return splat.getOperand();
  auto constant = llvm::dyn_cast_if_present<SplatElementsAttr>(adaptor.getSource());
  if (constant && isTile(getType()))
    return constant.resizeSplat(llvm::cast<ShapedType>(getType()));
  return {};
}

LogicalResult PermuteOp::verify() {
  auto source = llvm::cast<RankedTensorType>(getSource().getType());
  llvm::SmallVector<int64_t> expected;
  llvm::SmallVector<bool> isUsed(source.getRank());
  for (int64_t dim : getOrder()) {
    if (dim < 0 || dim >= source.getRank() || isUsed[dim])
      return emitOpError("order must name each dimension of the source once");
    isUsed[dim] = true;
    expected.push_back(source.getDimSize(dim));
  }
  if (static_cast<int64_t>(expected.size()) != source.getRank() ||
      !isTileOf(getType(), expected, source.getElementType()))
    return emitOpError() << "result must be " << tileOf(expected, source.getElementType());
  return success();
}

OpFoldResult PermuteOp::fold(FoldAdaptor adaptor) {
  if (llvm::is_sorted(getOrder()))
    return getSource();
  if (auto constant = llvm::dyn_cast_if_present<SplatElementsAttr>(adaptor.getSource()))
    return constant.resizeSplat(llvm::cast<ShapedType>(getType()));
  return {};
}

LogicalResult GatherOp::verify() {
  llvm::SmallVector<int64_t> expected(shapeOf(getSource().getType()));
  llvm::ArrayRef<int64_t> wanted = shapeOf(getIndices().getType());
  if (getAxis() >= expected.size())
    return emitOpError() << "axis " << getAxis() << " is out of range";
  if (wanted.size() == expected.size())
    expected[getAxis()] = wanted[getAxis()];
  if (wanted != llvm::ArrayRef<int64_t>(expected))
    return emitOpError("indices must have the source's shape, but for the axis");
  if (!isTileOf(getType(), expected, elementOf(getSource().getType())))
    return emitOpError() << "result must be " << tileOf(expected, elementOf(getSource().getType()));
  return success();
}

/// The type of two tiles of this type, joined.
static Type joined(Type half) {
  llvm::SmallVector<int64_t> shape(shapeOf(half));
  shape.push_back(2);
  return tileOf(shape, elementOf(half));
}

LogicalResult JoinOp::verify() {
  Type wanted = joined(getFirst().getType());
  if (!isTileOf(getType(), shapeOf(wanted), elementOf(wanted)))
    return emitOpError() << "result must be " << wanted;
  return success();
}

LogicalResult SplitOp::verify() {
  Type wanted = joined(getFirst().getType());
  if (!isTileOf(getSource().getType(), shapeOf(wanted), elementOf(wanted)))
    return emitOpError() << "source must be " << wanted;
  return success();
}

LogicalResult SplitOp::fold(FoldAdaptor, llvm::SmallVectorImpl<OpFoldResult> &results) {
  auto join = getSource().getDefiningOp<JoinOp>();
  if (!join)
    return failure();
  results.assign({join.getFirst(), join.getSecond()});
  return success();
}

} // namespace nereid::tile
