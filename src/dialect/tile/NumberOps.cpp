// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/tile/Tile.h"

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

} // namespace nereid::tile
