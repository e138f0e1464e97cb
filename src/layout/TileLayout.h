// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layouts of tiles: the names of their spaces, and what the shape operations of the language make
// of them. None of these moves data: they say where the elements of the result are already.
#pragma once

#include "layout/LinearLayout.h"

namespace nereid::layout {

/// Where a tile is spread over threads (a distributed layout), its inputs are warp, lane, register,
/// in this order; in shared memory (a shared layout) its input is offset, counted in elements.
inline constexpr const char *Register = "register", *Lane = "lane", *Warp = "warp",
                            *Offset = "offset";
/// A warp of 32 threads, as instructions that move or multiply matrices have it. What makes a
/// layout for another says so.
inline constexpr unsigned LaneBits = 5;

using Shape = std::vector<uint64_t>; // powers of two
using Order = std::vector<unsigned>; // dimensions, the one that changes fastest first

/// The spaces dim0, dim1, ... of a tile.
Spaces tileSpaces(const Shape &shape);
Shape shapeOf(const LinearLayout &layout);
/// The last dimension fastest.
Order rowMajor(size_t rank);

/// A distributed layout from the packed elements of its bases.
LinearLayout distributed(const Shape &shape, std::span<const Vector> registers,
                         std::span<const Vector> lanes, std::span<const Vector> warps);

/// Dimension i of the result is dimension permutation[i].
LinearLayout transposed(const LinearLayout &layout, const std::vector<unsigned> &permutation);
/// The same elements, counted row-major, in another shape.
LinearLayout reshaped(const LinearLayout &layout, const Shape &shape);

/// Registers less those that hold what others of the same thread hold.
struct DistinctRegisters {
  LinearLayout layout;           // with these registers only; its registers are injective
  std::vector<unsigned> kept;    // the old number of each of its registers
  std::vector<unsigned> indexOf; // for each old register, the new one with the same element
};
DistinctRegisters distinctRegisters(const LinearLayout &layout);

/// Without a dimension: where a reduction along it leaves its result if the threads that hold parts
/// of a sum all get it, and where an operand of a broadcast along it is wanted. Register r of the
/// layout lies over register indexOf[r] of the result; lanes and warps that differ along the
/// dimension alone become copies (zero bases).
DistinctRegisters sliced(const LinearLayout &layout, unsigned dimension);
/// With a new dimension of size 1.
LinearLayout expanded(const LinearLayout &layout, unsigned dimension);
/// A dimension of size 1 repeated: each thread reads the registers that it has more than once.
LinearLayout broadcast(const LinearLayout &layout, unsigned dimension, uint64_t size);
/// Two tiles of this layout side by side in a new last dimension: each element of the second in the
/// register behind the first's.
LinearLayout joined(const LinearLayout &layout);
/// One half of a tile whose last dimension has size 2, and which register bit says which half;
/// nothing if no single register bit does.
struct SplitLayout {
  LinearLayout half;
  unsigned registerBit;
};
std::optional<SplitLayout> split(const LinearLayout &layout);

} // namespace nereid::layout
