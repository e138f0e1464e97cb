// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of a few elements, which each thread loads itself instead of hearing from others.
#include "analysis/Aliasing.h"
#include "backend/gpu/layouts/AccessWidth.h"
#include "backend/gpu/layouts/ColumnsOfProducts.h"
#include "backend/gpu/layouts/HomeLayouts.h"
#include "layout/TileLayout.h"

using namespace mlir;

namespace nereid::backend::gpu {

/// Bytes of an access; fewer come where a row's elements lie anywhere.
static constexpr uint64_t access = 8;

static bool hasBarrier(func::FuncOp kernel) {
  return kernel.walk([](tile::BarrierOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

/// A row of which no thread has more than one element is loaded where it is wanted, by all threads
/// that want it: memory is as near as other threads are, and nobody need wait. Not where that takes
/// each of them many loads. (What programs write would be another tile each time.) One warp whose
/// author has it wait all the same hears from its lanes (H200: a recurrent backward 822 us, 1308
/// so).
bool HomeLayouts::isShortRow(Operation *op) const {
  auto load = llvm::dyn_cast<tile::LoadOp>(op);
  auto isLong = [](int64_t extent) { return extent > 1; };
  if (!load || !tile::isTile(load.getType()) || load.getIsVolatile() ||
      llvm::count_if(tile::shapeOf(load.getType()), isLong) > 1 ||
      tile::elementCount(load.getType()) > int64_t(warps) << laneBits)
    return false;
  if (tile::elementCount(load.getType()) > int64_t(1) << laneBits &&
      runOf(load.getPointer(), load.getMask()).second *
              int64_t(tile::byteSizeOf(tile::elementOf(load.getType()))) <
          int64_t(access) &&
      repeatedAxes(load.getPointer()).none() && meetsColumnsOfProducts(load))
    return false;
  auto kernel = load->getParentOfType<func::FuncOp>();
  if (warps == 1 && hasBarrier(kernel))
    return false;
  return analysis::Aliasing(kernel).isUnwritten(load, kernel);
}

bool HomeLayouts::isLoadedOnce(tile::LoadOp row, const layout::LinearLayout &layout) const {
  const uint64_t run = runOf(row.getPointer(), row.getMask()).second;
  auto accessesIn = [&](const layout::LinearLayout &own) {
    if (run > 1)
      return llvm::divideCeil(layout::distinctRegisters(own).kept.size(), run);
    const uint64_t alike = bitsOfOneAddress(axes, row.getPointer(), row.getMask(), own);
    return uint64_t(1) << (own.bases(layout::Register).size() - llvm::popcount(alike));
  };
  const bool isGathered = run * tile::byteSizeOf(tile::elementOf(row.getType())) < access;
  if (warps > 1 && !isGathered)
    return false;
  const uint64_t few = warps == 1 ? rowAccesses : 2 * rowAccesses;
  return accessesIn(layout) > few &&
         accessesIn(accessLayoutOf(row.getPointer(), row.getMask())) <= accessesIn(layout) / few;
}

} // namespace nereid::backend::gpu
