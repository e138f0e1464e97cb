// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/tile/Tile.h"

using namespace mlir;

namespace nereid::tile {

LogicalResult AtomicRmwOp::verify() {
  bool isFloat = llvm::isa<FloatType>(elementOf(getValue().getType()));
  if (isFloat != (getKind() == AtomicKind::FAdd))
    return emitOpError() << "kind " << stringifyAtomicKind(getKind()) << " does not fit "
                         << elementOf(getValue().getType());
  return success();
}

} // namespace nereid::tile
