// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the tensor cores want their operands in registers: PTX ISA, "Matrix Fragments for
// mma.m16n8k*" and "Register Fragments and Shared Memory Matrix Layouts" of wgmma.
#pragma once

#include "layout/TileLayout.h"

namespace nereid::layout {

/// D = A B + D, where A is m x k, B is k x n, and D is m x n with elements of 32 bits.
enum class Operand { A, B, D };

/// What one warp holds for one mma.sync.m16n8k*, where k * elementBits is 128 or 256 (the wide
/// form; f16: k8, k16; tf32: k4, k8; 8-bit types: k16, k32). In B the dimensions are k, n.
/// Registers count elements: several share a 32-bit register, the first in the low bits. Of a
/// product of fewer than 16 `rows` or 8 `columns`, powers of two, the lanes of the rest hold
/// copies, and the registers of rows 8 to 15 are left out, with one column those of every other
/// column, too.
LinearLayout mmaFragment(Operand operand, unsigned elementBits, unsigned k, unsigned rows = 16,
                         unsigned columns = 8);

/// What one warpgroup holds for one wgmma.m64nNkK, K of 32 bytes: D, 64 x n, n a power of two.
LinearLayout wgmmaAccumulator(unsigned n);
/// A in registers, 64 x k.
LinearLayout wgmmaOperandA(unsigned elementBits);

/// How warps share a product: `m` times `n` of them, the low bits of a warp's number along m, the
/// high ones along the matrices of a batch.
struct WarpGrid {
  unsigned m, n, batch = 1; // powers of two
};

/// A fragment of one warp (mma.sync), repeated over an operand's whole tile: first warps side by
/// side, then registers, along k before m or n (in D: along n before m). Warps that need the same
/// part of A or B hold copies. No
/// depth of the tile is smaller than the fragment's. A shape of three dimensions is a
/// batch, over whose matrices registers go last.
LinearLayout mmaLayout(Operand operand, const Shape &shape, unsigned elementBits, unsigned k,
                       WarpGrid warps);
/// The same for wgmma, in steps of the instruction's width n; four warps are one along m already.
LinearLayout wgmmaAccumulatorLayout(const Shape &shape, unsigned n, WarpGrid warpgroups);
/// The accumulator where each two rows that stand eight apart in the instruction are neighbours of
/// the tile: those of a left factor that warps read two rows at a time (16 bits of a matrix).
LinearLayout wgmmaTurnedLayout(const Shape &shape, unsigned n, WarpGrid warpgroups);
/// The same sums where the right factor has its even columns first, and then the odd ones: threads
/// have four neighbours of a row, as the left operand of 8 bits has them.
LinearLayout withEvenColumnsFirst(const LinearLayout &accumulator);
LinearLayout wgmmaOperandALayout(const Shape &shape, unsigned elementBits, WarpGrid warpgroups);

} // namespace nereid::layout
