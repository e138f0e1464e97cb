// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/tile/Tile.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace nereid::tile {

LogicalResult NarrowOp::verify() {
  Type source = getSource().getType(), element = elementOf(getType());
  bool areFloats = llvm::isa<FloatType>(element) && llvm::isa<FloatType>(elementOf(source));
  if (!areFloats || element.getIntOrFloatBitWidth() != 8 ||
      elementOf(source).getIntOrFloatBitWidth() == 8)
    return emitOpError("makes floats of 8 bits from wider ones");
  if (getType() != withElement(source, element))
    return emitOpError("result must have the shape of the source");
  return success();
}

/// Zero is zero in all formats; what MLIR rounds as it does is left to the executors.
OpFoldResult NarrowOp::fold(FoldAdaptor adaptor) {
  Attribute source = adaptor.getSource();
  if (auto splat = llvm::dyn_cast_if_present<SplatElementsAttr>(source))
    source = splat.getSplatValue<Attribute>();
  auto real = llvm::dyn_cast_if_present<FloatAttr>(source);
  return real && real.getValue().isPosZero() ? Builder(getContext()).getZeroAttr(getType())
                                             : Attribute();
}

} // namespace nereid::tile
