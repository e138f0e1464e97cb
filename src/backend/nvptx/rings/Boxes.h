// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles of pointers that are boxes of an array, which the copy engine (TMA) moves at once.
#pragma once

#include "analysis/AffineTiles.h"
#include "analysis/AxisInfo.h"
#include "dialect/nv/Nv.h"
#include "dialect/tile/Remark.h"

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

/// The box that an access of a tile of two dimensions reads or writes, if its addresses and its
/// mask (which may be null) make one: strides, extents and offset computed from the kernel's
/// parameters alone, a row and a column that are not below zero (which matrix it is may be), rows
/// and the places in them at multiples of 16 bytes (to others the engine's answer is an illegal
/// instruction). Where it is none, `refusal` gets what was missing at last.
std::optional<Box> findBox(mlir::Value pointer, mlir::Value mask, analysis::AffineTiles &tiles,
                           const analysis::AxisAnalysis &axes, RemarkId *refusal = nullptr);

/// What the copy engine's addresses, and the lengths of its rows, are multiples of; bytes.
inline constexpr unsigned copyAlignment = 16;
/// Whether so many elements of an array are.
bool isCopyAligned(const analysis::Polynomial &elements, unsigned elementBytes,
                   const analysis::AffineTiles &tiles, const analysis::AxisAnalysis &axes);
/// What is not below zero where the comparison of integers holds.
std::optional<analysis::AffineTile> roomOf(mlir::arith::CmpIOp compare,
                                           analysis::AffineTiles &tiles);

/// The operation that stands for it, of which one copy moves part of a tile that lies like `slot`
/// in shared memory.
nv::BoxOp buildBox(const Box &box, nv::SharedType slot, const analysis::AffineTiles &tiles,
                   mlir::OpBuilder &builder, mlir::Location loc);
/// Where the tile begins in each dimension, i32.
llvm::SmallVector<mlir::Value> buildStarts(const Box &box, const analysis::AffineTiles &tiles,
                                           mlir::OpBuilder &builder, mlir::Location loc);

} // namespace nereid::backend::nvptx
