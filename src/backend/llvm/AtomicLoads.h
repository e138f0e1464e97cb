// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomics that are loads.
#pragma once

#include "dialect/tile/Tile.h"

#include "mlir/IR/Matchers.h"

namespace nereid::backend {

/// Whether the atomic leaves what it finds and releases nothing (tl.atomic_load): a load that has
/// an order does the same, and machines have it for every width.
inline bool isLoad(tile::AtomicRmwOp op) {
  return op.getKind() == tile::AtomicKind::Or && !op.getAccess().releases &&
         mlir::matchPattern(op.getValue(), mlir::m_Zero());
}

} // namespace nereid::backend
