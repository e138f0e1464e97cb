// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/tile/Tile.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nereid::tile {

LogicalResult AssemblyOp::verify() {
  if (getOperands().empty())
    return emitOpError("needs an operand");
  for (Value operand : getOperands())
    if (shapeOf(operand.getType()) != shapeOf(getType()))
      return emitOpError() << "needs operands of the result's shape, not " << operand.getType();
  if (!llvm::isPowerOf2_64(static_cast<uint64_t>(getPack())))
    return emitOpError() << "packs a power of two, not " << getPack();
  if (static_cast<size_t>(getIndex()) >= getOutputs().size())
    return emitOpError() << "has " << getOutputs().size() << " outputs, and none with the number "
                         << getIndex();
  Type output = llvm::cast<TypeAttr>(getOutputs()[static_cast<size_t>(getIndex())]).getValue();
  if (output != elementOf(getType()))
    return emitOpError() << "gives " << output << ", not " << elementOf(getType());
  return success();
}

} // namespace nereid::tile
