// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles of integers whose elements are known before the program runs: made of ranges and constants
// alone.
#pragma once

#include "mlir/IR/Value.h"
#include "llvm/ADT/APInt.h"

#include <optional>
#include <vector>

namespace nereid::analysis {

/// The elements along one axis of a tile of integers that has the same at all places of the other
/// axes. Nothing where that cannot be seen.
std::optional<std::vector<llvm::APInt>> knownElements(mlir::Value tile, unsigned axis);

} // namespace nereid::analysis
