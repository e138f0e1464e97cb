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
  Type element = elementOf(getValue().getType());
  bool isFloat = llvm::isa<FloatType>(element);
  bool isTooNarrow = isFloat && byteSizeOf(element) == 1;
  if (isFloat != (getKind() == AtomicKind::FAdd) || isTooNarrow)
    return emitOpError() << "kind " << stringifyAtomicKind(getKind()) << " does not fit "
                         << element;
  return success();
}

} // namespace nereid::tile
