// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layouts for people: who holds what, and what accesses cost. At most 100 columns.
#pragma once

#include "layout/Conversion.h"
#include "layout/GlobalAccess.h"

namespace nereid::layout {

/// The basis vectors, and a table of the tile with the warp (w), the lane (l) and the first of the
/// registers (r) of each run of elements; of those who hold copies, the first. The last dimension
/// runs along lines; all others go down. Of a large tile the first lines and columns are shown, and
/// then those at powers of two: the layout is linear, so they tell the rest.
std::string drawTile(const LinearLayout &threads);

/// What lies in shared memory: a line for each wavefront of 128 bytes with the element that each
/// 16-byte row begins with.
std::string drawShared(const LinearLayout &shared, unsigned elementBytes);

/// "16 bytes a lane, 8 requests of 16 sectors, 100 % of their bytes used", over all warps.
std::string describe(const GlobalAccess &access, const Sectors &sectors, unsigned elementBytes);
/// "16 bytes a lane, 4 accesses of 4 wavefronts, no bank conflicts", for each warp.
std::string describe(const SharedAccess &access, unsigned elementBytes);
std::string describe(const Conversion &conversion, unsigned elementBytes);

} // namespace nereid::layout
