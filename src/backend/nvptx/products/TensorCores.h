// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which products tensor cores compute. Asked before products have their nv.product, by the passes
// that give them types for it and by nvptx-choose-products; all others read what that one wrote
// (Products.h).
#pragma once

#include "dialect/tile/Tile.h"
#include "layout/Fragment.h"
#include "target/NvidiaTarget.h"

#include <optional>

namespace nereid::backend::nvptx {

inline constexpr unsigned warpsPerGroup = 4, rowsPerGroup = 64;
/// What an instruction computes.
inline constexpr unsigned leastColumns = 8, mostColumns = 256;

/// A product as instructions m64 n<columns> k<32 bytes> (wgmma).
struct WarpgroupShape {
  layout::WarpGrid grid; // of warpgroups
  unsigned columns;
};

/// Nothing if warpgroups cannot compute the product, or not exactly enough.
std::optional<WarpgroupShape> warpgroupShape(tile::DotOp dot, const target::NvidiaTarget &target,
                                             unsigned warps);

/// Whether the factors are such that wgmma multiplies them exactly and adds them up as exactly as
/// the product asks.
bool hasWarpgroupInstruction(tile::DotOp dot);

/// Elements along k of the widest mma.sync for these element types, 0 if there is none with an
/// exact enough sum.
unsigned widestDepth(tile::DotOp dot);
/// How many elements along k an mma.sync for this product takes; 0 if there is none for it.
unsigned mmaDepth(tile::DotOp dot);
/// Whether that is one instruction. Floats of 8 bits for which there is none, or none exact enough,
/// become halves in registers, for two.
bool hasWarpInstruction(tile::DotOp dot, const target::NvidiaTarget &target);

/// Whether factors of 8 bits are better halves before they get into registers: for warpgroups, or
/// where not even warps multiply them.
bool wantsHalves(tile::DotOp dot, const target::NvidiaTarget &target, unsigned warps);

inline bool isForTensorCores(tile::DotOp dot, const target::NvidiaTarget &target, unsigned warps) {
  return warpgroupShape(dot, target, warps) || mmaDepth(dot);
}

} // namespace nereid::backend::nvptx
