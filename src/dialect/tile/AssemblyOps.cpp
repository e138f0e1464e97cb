// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/tile/Tile.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nereid::tile {

LogicalResult AssemblyOp::verify() {
  if (getOperands().empty())
    return emitOpError("needs an operand");
  if (getOutputs().empty())
    return emitOpError("needs an output");
  auto shape = shapeOf(getOperands().front().getType());
  for (Type type : llvm::concat<const Type>(getOperandTypes(), getResultTypes()))
    if (shapeOf(type) != shape)
      return emitOpError() << "has operands and outputs of one shape, and " << type
                           << " has another";
  if (!llvm::isPowerOf2_64(static_cast<uint64_t>(getPack())))
    return emitOpError() << "packs a power of two, not " << getPack();
  return success();
}

Access AssemblyOp::getAccess() {
  if (!getEffects())
    return {};
  return {.reads = true, .writes = true, .acquires = true, .releases = true};
}

Speculation::Speculatability AssemblyOp::getSpeculatability() {
  return getEffects() ? Speculation::NotSpeculatable : Speculation::Speculatable;
}

} // namespace nereid::tile
