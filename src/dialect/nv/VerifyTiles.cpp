// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What types and tiles of the nv dialect must be.
#include "dialect/nv/Verify.h"

#include <bit>

using namespace mlir;

namespace nereid::nv {

TileShape tileShapeOf(Type type) {
  if (auto shared = llvm::dyn_cast<SharedType>(type))
    return {shared.getShape(), shared.getElementType()};
  return {tile::shapeOf(type), tile::elementOf(type)};
}

static void printShape(InFlightDiagnostic &error, TileShape tile) {
  for (int64_t size : tile.sizes)
    error << size << "x";
  error << tile.element;
}

LogicalResult verifySameTile(Operation *op, llvm::StringRef first, Type firstType,
                             llvm::StringRef second, Type secondType) {
  TileShape one = tileShapeOf(firstType), other = tileShapeOf(secondType);
  if (one.sizes == other.sizes && one.element == other.element)
    return success();
  InFlightDiagnostic error = op->emitOpError() << first << " is ";
  printShape(error, one);
  error << " and " << second << " ";
  printShape(error, other);
  error << ", but they are one tile";
  return error;
}

LogicalResult SharedType::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                                 llvm::ArrayRef<int64_t> shape, Type element,
                                 layout::LinearLayout layout) {
  if (!tile::dtypeOf(element))
    return emitError() << "shared memory holds numbers, not " << element;
  if (layout.inputs().size() != 1 || layout.inputs()[0].name != layout::Offset)
    return emitError() << "a layout of shared memory goes from one input, offset";
  layout::Shape padded;
  for (int64_t size : shape)
    padded.push_back(std::bit_ceil(static_cast<uint64_t>(size)));
  if (layout.outputs() != layout::tileSpaces(padded) || !layout.isInvertible())
    return emitError() << "the layout must give each element of the tile, its sizes counted as the "
                          "next powers of two, one offset";
  return success();
}

/// Between layouts of one block of threads.
LogicalResult ConvertOp::verify() {
  for (Type type : {Type(getSource().getType()), Type(getType())}) {
    const layout::LinearLayout *layout = findLayout(type);
    if (!layout)
      return emitOpError("goes between tiles with layouts (nvptx-assign-layouts gives them)");
    if (layout->outputs() != layout::tileSpaces(paddedShape(type)) || !layout->isSurjective())
      return emitOpError() << "each element of " << type << " must be with some thread";
  }
  auto threads = [](Type type) {
    const layout::LinearLayout &layout = layoutOf(type);
    return std::pair(layout.bases(layout::Lane).size(), layout.bases(layout::Warp).size());
  };
  if (threads(getSource().getType()) != threads(getType()))
    return emitOpError("both layouts must be over the same lanes and warps");
  return success();
}

} // namespace nereid::nv
