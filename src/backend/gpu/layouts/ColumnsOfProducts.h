// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "dialect/tile/Tile.h"

namespace nereid::backend::gpu {

/// Whether a row that is loaded meets a product's sums column by column. A thread has a quarter of
/// the columns, and two of the rows.
bool meetsColumnsOfProducts(tile::LoadOp row);

} // namespace nereid::backend::gpu
