// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gathers in which every two lanes whose places differ by the same bits take each other's element:
// the steps of sorting networks.
#pragma once

#include "dialect/tile/Tile.h"

namespace nereid::analysis {

/// The bits by which places along the axis differ from the indices: a scalar, or a tile that is a
/// constant. Null if the gather is none of these, or source and result differ in shape.
mlir::Value exchangeMask(tile::GatherOp gather);

/// The same if it is known now, and leads no lane out of the tile.
std::optional<int64_t> constantExchangeMask(tile::GatherOp gather);

} // namespace nereid::analysis
