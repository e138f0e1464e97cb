// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The shared-memory layouts that the hardware knows: what TMA writes and wgmma reads.
#pragma once

#include "layout/TileLayout.h"

#include <optional>

namespace nereid::layout {

/// The bytes of a row that the swizzle pattern covers; the value is that number.
enum class Swizzle : unsigned { None = 0, Bytes32 = 32, Bytes64 = 64, Bytes128 = 128 };

/// In which order rows follow one another: as the tile has them, or those of even numbers first and
/// then the odd ones.
enum class RowOrder { Plain, EvenFirst };

/// A tile of two dimensions as boxes of one row's bytes (16 without swizzle), one under the other:
/// a TMA box of that width per column of boxes.
struct OperandImage {
  LinearLayout layout; // offset, in elements -> tile
  unsigned contiguous; // the dimension that runs along a row
  Swizzle swizzle;
  /// For wgmma's descriptor, in bytes: from 8 rows of a box to the next 8; and from a box to the
  /// next (of no meaning for a swizzled K-major operand). Which of them is called leading differs.
  unsigned rowGroupBytes, boxBytes;
  /// The address that the pattern must start on.
  unsigned alignment;
  RowOrder rows = RowOrder::Plain;
};

/// `contiguous` is the dimension that runs along a row: of k, the operand is K-major; of m or n,
/// MN-major. A dimension is at least 8 rows and a row's width.
OperandImage operandImage(const Shape &shape, unsigned contiguous, unsigned elementBytes,
                          Swizzle swizzle, RowOrder order = RowOrder::Plain);
/// With the widest swizzle whose rows the tile fills.
OperandImage widestImage(const Shape &shape, unsigned contiguous, unsigned elementBytes,
                         RowOrder order = RowOrder::Plain);
/// A tile of fewer rows than a box has: row behind row, whose pieces of 16 bytes are exchanged by
/// the row's number, so that as many rows of one piece touch as many banks. No operand of wgmma.
LinearLayout shortImage(const Shape &shape, unsigned contiguous, unsigned elementBytes);
/// Whose layout this is, if it is one of an operand.
std::optional<OperandImage> findImage(const LinearLayout &layout, unsigned elementBytes);

/// Without the swizzle, which the hardware applies to the address: bytes from the image's start to
/// the row that holds an element at `at`, and along it.
uint64_t plainOffset(const OperandImage &image, const Coordinates &at, unsigned elementBytes);

/// The hardware's pattern: XORs bits 7, 8, 9 of a byte address into bits 4, 5, 6 (one, two or all
/// three of them). `plain` has offsets as its input.
LinearLayout swizzled(const LinearLayout &plain, unsigned elementBytes, Swizzle swizzle);

} // namespace nereid::layout
