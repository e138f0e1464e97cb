// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/AxisInfo.h"
#include "dialect/tile/Tile.h"
#include "layout/LinearLayout.h"

namespace nereid::backend::gpu {

/// How many registers, the low bits of their number, one access of a thread to global memory takes:
/// what the layout of the pointers has side by side and the analysis knows to be neighbours,
/// aligned and masked alike, up to 16 bytes. `mask` may be null.
unsigned registersTogether(const analysis::AxisAnalysis &axes, mlir::Value pointer,
                           mlir::Value mask);

/// Neighbours in memory that lie in neighbouring registers of a thread, up to 16 bytes, whether or
/// not a mask lets them through together.
struct WideRun {
  unsigned registers = 1;
  unsigned dimension = 0;
  /// Each run is known to begin at a multiple of its own bytes.
  bool isAligned = false;
};
WideRun wideRun(const analysis::AxisAnalysis &axes, mlir::Value pointer,
                const layout::LinearLayout &layout);

/// The runs of a store that are to be one access each where they are aligned and let through whole,
/// which a mask that ends rows says by a run's last element, if each is instead of `spared` others
/// or more. None otherwise.
std::optional<WideRun> wholeRuns(const analysis::AxisAnalysis &axes, mlir::Value pointer,
                                 mlir::Value mask, unsigned spared);

/// Which bits of a register's number make no difference to its address and mask, if the tile lies
/// like that: one access gives what registers hold that differ in those alone.
uint64_t bitsOfOneAddress(const analysis::AxisAnalysis &axes, mlir::Value pointer, mlir::Value mask,
                          const layout::LinearLayout &layout);

/// The same of a load where it lies; none where each register must be loaded: what it gives where
/// it is masked may differ.
uint64_t bitsOfOneLoad(const analysis::AxisAnalysis &axes, tile::LoadOp op);

/// Whether neighbours of a tile of addresses have anything to do with one another along a
/// dimension: runs, copies, or the distance of a number that grows with the place, whatever that
/// is.
bool prefersAnOrder(const analysis::AxisAnalysis &axes, mlir::Value pointer);

/// Whether places of a tile of addresses differ in quotients alone, by what only the launch knows
/// or by no less than `least`: most neighbours share an address, wherever the runs begin.
bool isOfQuotients(mlir::Value pointer, int64_t least);

/// How many registers of a comparison, from each multiple of the result on, hold the same in every
/// thread. A power of two; 1 for any other operation.
unsigned registersAlike(const analysis::AxisAnalysis &axes, mlir::Operation *op);

} // namespace nereid::backend::gpu
