// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layouts for loading and storing: each thread holds neighbours, and so do neighbouring threads.
#pragma once

#include "layout/TileLayout.h"

namespace nereid::layout {

struct Blocked {
  Shape shape;
  /// Neighbouring elements of one thread along order[0]. A power of two.
  unsigned perThread = 1;
  unsigned warps = 1; // a power of two
  /// How lanes go over the tile: along order[0] to its end, then along order[1], ...
  Order order;
  /// How warps go on where lanes stopped. Rows that must not be shared by warps (softmax) are had
  /// by leaving the columns to the last. Empty: as `order`.
  Order warpOrder = {};
  unsigned laneBits = LaneBits;
};

/// What is left over after lanes and warps goes to more registers; threads that are left over hold
/// copies (zero bases).
LinearLayout blockedLayout(const Blocked &blocked);

/// For a tile that is loaded or stored through pointers whose runs of `contiguity` elements along
/// order[0] are neighbours in memory and aligned as such. A thread accesses up to 16 bytes at once,
/// less where that would leave threads without elements.
LinearLayout accessLayout(const Shape &shape, const Order &order, uint64_t contiguity,
                          unsigned elementBytes, unsigned warps, unsigned laneBits = LaneBits);

/// How many of these bases, from the first, go along neighbours: each steps twice as far as the one
/// before it.
size_t runOf(std::span<const Vector> bases);

/// The layout with these elements in each thread's registers, behind the first `kept` bits of their
/// numbers. What lanes and warps had of them they have of what comes next, first lanes, then warps,
/// then the other registers, each in the order in which it was. The layout must be injective.
LinearLayout withInThread(const LinearLayout &layout, size_t kept,
                          std::span<const Vector> elements);

/// For sums that single threads add up, of (batches x) m x n: each thread has neighbours along n,
/// and about as many rows as columns, since it reads both for each step of the sum; the lanes that
/// differ along m read neighbouring rows of the left factor, the others neighbouring columns of the
/// right.
LinearLayout outerProductLayout(const Shape &shape, unsigned warps);

} // namespace nereid::layout
