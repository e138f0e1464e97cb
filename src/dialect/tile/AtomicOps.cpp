// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/tile/Tile.h"

using namespace mlir;

namespace nereid::tile {

/// What an atomic does that reads and writes behind `pointer`.
static Access accessInOrder(MemoryOrder order, Value pointer, Value mask) {
  bool isBoth = order == MemoryOrder::AcquireRelease;
  return {.pointer = pointer,
          .mask = mask,
          .reads = true,
          .writes = true,
          .acquires = isBoth || order == MemoryOrder::Acquire,
          .releases = isBoth || order == MemoryOrder::Release};
}

Access AtomicRmwOp::getAccess() { return accessInOrder(getOrder(), getPointer(), getMask()); }
Access AtomicCasOp::getAccess() { return accessInOrder(getOrder(), getPointer(), {}); }

bool AtomicRmwOp::isLanewise() { return false; }
bool AtomicCasOp::isLanewise() { return false; }

Access BarrierOp::getAccess() { return {.acquires = true, .releases = true}; }

static bool fits(AtomicKind kind, Type element) {
  bool isFloat = llvm::isa<FloatType>(element);
  bool isInteger = llvm::isa<IntegerType>(element) && !element.isInteger(1);
  switch (kind) {
  case AtomicKind::FAdd:
    return isFloat && byteSizeOf(element) > 1;
  case AtomicKind::Exchange:
    return isFloat || isInteger;
  default:
    return isInteger;
  }
}

LogicalResult AtomicRmwOp::verify() {
  Type element = elementOf(getValue().getType());
  if (!fits(getKind(), element))
    return emitOpError() << "kind " << stringifyAtomicKind(getKind()) << " does not fit "
                         << element;
  return success();
}

LogicalResult AtomicCasOp::verify() {
  Type element = elementOf(getValue().getType());
  if (llvm::isa<PointerType>(element) || byteSizeOf(element) == 1)
    return emitOpError() << "does not fit " << element;
  return success();
}

} // namespace nereid::tile
