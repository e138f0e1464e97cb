// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements along one axis by indices that only the threads know, where none leaves its warp.
#pragma once

#include "layout/ThreadMap.h"
#include "layout/TileLayout.h"

namespace nereid::layout {

/// Result register r of a thread is at lane(thread) ^ laneXor[r] ^ laneOfIndex, in register
/// registers[r] ^ registerOfIndex of the source, where what the index adds is the XOR over its
/// bits.
struct GatherPlan {
  ThreadMap lane;
  std::vector<unsigned> laneXor, registers; // by registers of the result
  std::vector<Vector> laneOfIndex,
      registerOfIndex; // by bits of the index, of one inside the source
};

/// The tiles differ along the axis alone. Nothing if an element may lie in another warp, or which
/// register it is in depends on the thread.
std::optional<GatherPlan> planGather(const LinearLayout &source, const LinearLayout &result,
                                     unsigned axis);

} // namespace nereid::layout
