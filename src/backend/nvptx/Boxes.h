// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles of pointers that are boxes of an array, which the copy engine (TMA) moves at once.
#pragma once

#include "analysis/AffineTiles.h"
#include "analysis/AxisInfo.h"
#include "dialect/nv/Nv.h"

namespace nereid::backend::nvptx {

/// A box: the element at coordinates (c0, c1, ...) is base[offset + c0 + c1 * stride1 + ...], zero
/// beyond an extent. Dimensions go from the innermost; the first two are the tile's.
struct Box {
  struct Dimension {
    analysis::Polynomial stride; // in elements; 1 of the innermost
    analysis::Polynomial start;  // where the tile begins
    std::optional<analysis::Polynomial> extent;
  };
  mlir::Value base;
  analysis::Polynomial offset;
  llvm::SmallVector<Dimension, 5> dimensions;
  unsigned contiguous; // the tile's dimension that is the box's innermost
};

/// The box that a load of a tile of two dimensions reads, if its addresses and its mask make one:
/// strides, extents and offset computed from the kernel's parameters alone, starts that are not
/// below zero, rows at multiples of 16 bytes.
std::optional<Box> findBox(tile::LoadOp load, analysis::AffineTiles &tiles,
                           const analysis::AxisAnalysis &axes);

} // namespace nereid::backend::nvptx
