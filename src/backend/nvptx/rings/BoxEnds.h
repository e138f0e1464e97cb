// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Boxes of rows that are counted modulo their number.
#pragma once

#include "backend/nvptx/rings/Boxes.h"

namespace nereid::backend::nvptx {

/// Where the box of a load begins at a remainder (`rows % M`), and rows from M on reach nothing
/// that is stored, it ends at M instead: what it holds beyond are zeros, where the program has its
/// first rows again, and the launch may have any M.
void endAtModuli(Box &box, tile::LoadOp load, analysis::AffineTiles &tiles);

} // namespace nereid::backend::nvptx
