// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers that depend on the thread alone.
#pragma once

#include "layout/Subspace.h"

#include <algorithm>

namespace nereid::layout {

/// A number as the XOR of what each set bit of the lane's and of the warp's number adds.
struct ThreadMap {
  std::vector<Vector> lane, warp;

  unsigned operator()(unsigned laneNumber, unsigned warpNumber) const {
    return unsigned(combine(lane, laneNumber) ^ combine(warp, warpNumber));
  }
  /// How many bits change the number.
  unsigned support() const {
    const auto isSet = [](Vector basis) { return basis != 0; };
    return unsigned(std::count_if(lane.begin(), lane.end(), isSet) +
                    std::count_if(warp.begin(), warp.end(), isSet));
  }
  /// The lane's own number.
  bool isLane() const {
    for (size_t bit = 0; bit < lane.size(); ++bit)
      if (lane[bit] != Vector(1) << bit)
        return false;
    return std::all_of(warp.begin(), warp.end(), [](Vector basis) { return !basis; });
  }
};

/// Each basis times a power of two: a place in elements, in bytes.
inline ThreadMap scaled(ThreadMap map, unsigned factor) {
  for (auto *bases : {&map.lane, &map.warp})
    for (Vector &basis : *bases)
      basis *= factor;
  return map;
}

} // namespace nereid::layout
