// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "backend/llvm/LaneBuilder.h"

namespace nereid::backend::cpu {

/// Squares of fewer lanes a side are narrower than the smallest register (16 bytes of 4), and are
/// not worth turning.
constexpr int64_t leastTurnedSide = 4;

/// Lane j of row i becomes lane i of row j: as many vectors as each has lanes, a power of two. In
/// registers, by exchanging blocks of 1, 2, 4, ... lanes between pairs of rows (Eklundh, "A fast
/// computer method for matrix transposing", 1972).
void transposeLanes(Builder &b, llvm::MutableArrayRef<llvm::Value *> rows);

/// Lane i of each vector in turn, then lane i + 1: as many vectors as a power of two.
llvm::Value *interleaveLanes(Builder &b, llvm::ArrayRef<llvm::Value *> rows);

} // namespace nereid::backend::cpu
