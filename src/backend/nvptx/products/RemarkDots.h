// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "backend/nvptx/Configuration.h"
#include "dialect/tile/Tile.h"

namespace nereid::backend::nvptx {

/// Remarks of a product that warpgroups do not compute why that is so, and, if warps do not either,
/// why tensor cores do not.
void remarkDot(tile::DotOp dot, const Configuration &configuration);

} // namespace nereid::backend::nvptx
