// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which products warpgroups compute (wgmma), how they share the result, and how products depend on
// one another.
#pragma once

#include "dialect/nv/Nv.h"
#include "layout/Fragment.h"
#include "target/NvidiaTarget.h"

namespace nereid::backend::nvptx {

/// A product as instructions m64 n<columns> k<32 bytes>.
struct WarpgroupShape {
  layout::WarpGrid grid; // of warpgroups
  unsigned columns;
};

inline constexpr unsigned warpsPerGroup = 4, rowsPerGroup = 64;
/// Whether the factors are such that wgmma multiplies them exactly and adds them up as exactly as
/// the product asks.
bool hasWarpgroupInstruction(tile::DotOp dot);
/// Nothing if warpgroups cannot compute the product, or not exactly enough.
std::optional<WarpgroupShape> warpgroupShape(tile::DotOp dot, const target::NvidiaTarget &target,
                                             unsigned warps);

/// Whether tensor cores that know floats of 8 bits may multiply these. They keep some 14 digits of
/// a sum: products that ask for all of them (precision ieee) are none.
bool areTensorCoreFloat8(tile::DotOp dot);

/// How a product of one round overlaps with the next, where its factors stay in shared memory that
/// long.
enum class Overlap {
  None,
  /// The loop does nothing with the product but add it up: one round's goes on while the next
  /// begins. Not if that would write the left factor's registers (decision 0025).
  InFlight,
  /// Its left factor is made in the round: from another product, and the sums are only scaled by
  /// the next round; or for the round's only product. It is computed while the next round's
  /// arithmetic goes on.
  Delayed,
};
/// What may be; a mark on the operation says what is, but for left factors of which only
/// StageOperands sees that they stay in registers.
Overlap possibleOverlap(tile::DotOp dot, const target::NvidiaTarget &target, unsigned warps);
Overlap overlapOf(tile::DotOp dot);
void setOverlap(tile::DotOp dot, Overlap overlap);

/// Whether its left factor is made, in its round, from a product of warpgroups by arithmetic of
/// lanes: each round waits for that one, and for all that were begun before, and then writes the
/// factor.
bool hasLeftOfRound(tile::DotOp dot, const target::NvidiaTarget &target, unsigned warps);

/// Whether the product, after arithmetic of its lanes, is a factor of another or is added to one,
/// or is made from one in this way.
bool isChained(tile::DotOp dot);

} // namespace nereid::backend::nvptx
