// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/ClockRecords.h"

#include <algorithm>
#include <bit>

namespace nereid::runtime {

/// Odd steps, so that blocks of all places of a grid whose extents are even have their turn.
static uint64_t oddStep(uint64_t blocks, uint64_t most) {
  uint64_t step = (blocks + most - 1) / most;
  return step <= 1 ? 1 : step | 1;
}

/// Modulo 2^32, of an odd number: each step of Newton's doubles the bits that are right.
static uint32_t inverseOf(uint32_t odd) {
  uint32_t inverse = odd; // three bits
  for (unsigned bits = 3; bits < 32; bits *= 2)
    inverse *= 2 - odd * inverse;
  return inverse;
}

std::array<uint32_t, 5> ClockShares::numbers(unsigned warps) const {
  return {inverseOf(blocksPerRow), static_cast<uint32_t>(rows), inverseOf(blocksPerArea),
          static_cast<uint32_t>(areas / warps), areaBytes};
}

ClockShares ClockShares::of(uint64_t blocks, unsigned warps, const ClockLimits &limits) {
  constexpr uint64_t fewest = 64, blocksWanted = 128;
  ClockShares shares;
  shares.blocksPerRow = static_cast<uint32_t>(oddStep(blocks, std::max<uint64_t>(1, limits.rows)));
  // Many blocks with few records each, or few with many: a hundred show how blocks differ, and
  // what one of them does to its end shows more than the beginnings of many.
  uint64_t perWarp = limits.records / (std::min(blocks, blocksWanted) * warps);
  perWarp = std::bit_floor(std::clamp(perWarp, fewest, std::max(fewest, limits.recordsOfWarp)));
  uint64_t most = std::max<uint64_t>(1, limits.records / (perWarp * warps));
  // Who has an area has a row.
  uint64_t step = oddStep((blocks + shares.blocksPerRow - 1) / shares.blocksPerRow, most);
  shares.areaBytes = static_cast<uint32_t>(perWarp * sizeof(ClockRecord));
  const bool areFew = limits.blocks < std::min(blocks, most);
  const uint64_t noting = areFew ? (3 * blocks + 3) / 4 : blocks;
  if (areFew)
    step = oddStep((noting + shares.blocksPerRow - 1) / shares.blocksPerRow,
                   std::max<uint64_t>(1, limits.blocks));
  shares.blocksPerArea = static_cast<uint32_t>(step * shares.blocksPerRow);
  auto divideUp = [](uint64_t a, uint64_t b) { return (a + b - 1) / b; };
  shares.rows = divideUp(blocks, shares.blocksPerRow);
  shares.areas = divideUp(noting, shares.blocksPerArea) * warps;
  return shares;
}

} // namespace nereid::runtime
