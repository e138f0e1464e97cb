// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/tile/Tile.h"

using namespace mlir;

namespace nereid::tile {

bool AssumeOp::isCheck() { return true; }

bool HintOp::movesLanes() { return true; }

LogicalResult HintOp::verify() {
  size_t rank = std::max<size_t>(1, shapeOf(getValue().getType()).size());
  if (getAmounts().size() != rank)
    return emitOpError() << "needs one amount for each of " << rank << " dimensions, not "
                         << getAmounts().size();
  for (int64_t amount : getAmounts())
    if (amount <= 0)
      return emitOpError() << "needs positive amounts, not " << amount;
  return success();
}

} // namespace nereid::tile
