// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/AxisInfo.h"
#include "dialect/tile/Tile.h"

namespace nereid::backend::gpu {

/// How many registers, the low bits of their number, one access of a thread to global memory takes:
/// what the layout of the pointers has side by side and the analysis knows to be neighbours,
/// aligned and masked alike, up to 16 bytes. `mask` may be null.
unsigned registersTogether(const analysis::AxisAnalysis &axes, mlir::Value pointer,
                           mlir::Value mask);

/// How many registers of a thread, from each multiple of the result on, read the same address, if
/// any does: one access gives them all.
unsigned registersOfOneAddress(const analysis::AxisAnalysis &axes, mlir::Value pointer,
                               mlir::Value mask);

/// The same of a load that may be made once for all of them: what it gives where it is masked may differ.
unsigned registersOfOneLoad(const analysis::AxisAnalysis &axes, tile::LoadOp op);

/// Whether neighbours of a tile of addresses have anything to do with one another along a dimension:
/// runs, copies, or the distance of a number that grows with the place, whatever that is.
bool prefersAnOrder(const analysis::AxisAnalysis &axes, mlir::Value pointer);

/// How many registers of a comparison, from each multiple of the result on, hold the same in every
/// thread. A power of two; 1 for any other operation.
unsigned registersAlike(const analysis::AxisAnalysis &axes, mlir::Operation *op);

} // namespace nereid::backend::gpu
