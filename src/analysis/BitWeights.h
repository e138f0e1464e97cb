// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Addresses that go with the bits of places: reversed, interleaved or turned indices have no run
// along any axis, and yet neighbours.
#pragma once

#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace nereid::analysis {

/// What a weight counts as that only the launch knows: from here on none is known.
inline constexpr int64_t farWeight = int64_t(1) << 34;

/// Of a tile of integers or pointers whose element at a place is one number and, for each bit that
/// is set in the place's number (row-major), that bit's weight, from the lowest on; of pointers in
/// elements. Nothing where an element is no such number as far as is seen, or a size is no power of
/// two. Arithmetic is taken to be exact, as for boxes (docs/decisions/0007): for layouts, not for
/// what accesses rest on.
std::optional<llvm::SmallVector<int64_t>> bitWeights(mlir::Value tile);

} // namespace nereid::analysis
