// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/tile/Tile.h"

using namespace mlir;

namespace nereid::tile {

Access AtomicRmwOp::getAccess() {
  bool isBoth = getOrder() == MemoryOrder::AcquireRelease;
  return {.pointer = getPointer(),
          .mask = getMask(),
          .reads = true,
          .writes = true,
          .acquires = isBoth || getOrder() == MemoryOrder::Acquire,
          .releases = isBoth || getOrder() == MemoryOrder::Release};
}

bool AtomicRmwOp::isLanewise() { return false; }

Access BarrierOp::getAccess() { return {.acquires = true, .releases = true}; }

LogicalResult AtomicRmwOp::verify() {
  bool isFloat = llvm::isa<FloatType>(elementOf(getValue().getType()));
  if (isFloat != (getKind() == AtomicKind::FAdd))
    return emitOpError() << "kind " << stringifyAtomicKind(getKind()) << " does not fit "
                         << elementOf(getValue().getType());
  return success();
}

} // namespace nereid::tile
