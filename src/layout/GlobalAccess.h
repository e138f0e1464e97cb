// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the threads of a block load or store a tile in global memory, and what that costs.
#pragma once

#include "layout/TileLayout.h"

namespace nereid::layout {

/// Where a tile lies in global memory. The first element is taken to be aligned to 128 bytes.
struct GlobalTile {
  std::vector<int64_t> strides; // in elements, for each dimension
  unsigned elementBytes;
  /// Elements along the dimension of stride 1 that one access may take together, as alignment and
  /// masks allow; a power of two.
  unsigned contiguity = 1;
  /// How far each bit of an element's number leads, where that is no matter of dimensions; else
  /// empty, and strides say it. In elements.
  std::vector<int64_t> weights = {};
};

struct GlobalAccess {
  /// The bytes of one lane at once, up to 16.
  unsigned elements;
  /// The registers of each access, in the order of memory. Registers that hold what others hold are
  /// left out.
  std::vector<std::vector<unsigned>> steps;
};

/// The widest access that the layout allows.
GlobalAccess globalAccess(const LinearLayout &threads, const GlobalTile &tile);

/// Over all warps: requests, the sectors of 32 bytes that they touch, and as many as their bytes
/// would fill.
struct Sectors {
  uint64_t requests = 0, touched = 0, ideal = 0;
  uint64_t mostInRequest = 0;
};

/// Counted one by one, for reports: takes time with the tile's size.
Sectors countSectors(const LinearLayout &threads, const GlobalTile &tile,
                     const GlobalAccess &access);

} // namespace nereid::layout
