// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random layouts for laws that hold for all of them.
#pragma once

#include "layout/TileLayout.h"

#include <random>

namespace nereid::layout::test {

using Random = std::mt19937_64;

unsigned below(Random &random, unsigned bound);

/// Spaces of these names, of `bits` in all.
Spaces randomSpaces(Random &random, const std::vector<std::string> &names, unsigned bits);
/// Any linear map.
LinearLayout randomLayout(Random &random, Spaces inputs, Spaces outputs);
LinearLayout randomInvertible(Random &random, Spaces inputs, Spaces outputs);

/// What the bases of a random distributed layout are.
enum class Mix {
  Units, // each bit of a place is a bit of the element, as in layouts of practice
  Sums,  // any vectors
};
/// Holds every element. Places that the tile does not need hold copies: `copies` adds registers
/// for that, and they repeat element 0 (Units) or anything (Sums).
LinearLayout randomDistributed(Random &random, Mix mix, const Shape &shape, unsigned warpBits,
                               unsigned copies);

} // namespace nereid::layout::test
