// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/tile/Tile.h"
#include "support/PrintText.h"

using namespace mlir;

namespace nereid::tile {

// Executors turn one into the other by its number.
static_assert(int(PrintStyle::PerElement) == int(nereid::PrintStyle::PerElement) &&
              int(PrintStyle::Inline) == int(nereid::PrintStyle::Inline) &&
              int(PrintStyle::Plain) == int(nereid::PrintStyle::Plain));

/// Printing walks over its operands element by element.
Need PrintOp::getNeed(OpOperand &operand) {
  return isTile(operand.get().getType()) ? Need::Whole : Need::Scalar;
}
bool PrintOp::isCheck() { return getDebug(); }

bool AssertOp::isCheck() { return true; }
bool CheckIndexOp::isCheck() { return true; }
bool VariableOp::isCheck() { return true; }

LogicalResult PrintOp::verify() {
  if (getTexts().size() != getValues().size() + 1)
    return emitOpError("needs one text more than values");
  if (getIsSigned().size() != getValues().size())
    return emitOpError("needs one `signed` entry for each value");
  return success();
}

} // namespace nereid::tile
