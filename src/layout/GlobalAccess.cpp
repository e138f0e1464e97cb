// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layout/GlobalAccess.h"

#include "support/Check.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>

namespace nereid::layout {
namespace {

constexpr unsigned SectorShift = 5, SectorBytes = 1 << SectorShift;

/// Bits of packed elements that a vector access covers: from `first`, `count` of them.
struct VectorBits {
  unsigned first = 0, count = 0;

  Vector mask() const { return ((Vector(1) << count) - 1) << first; }
};

/// As wide as registers fill the low bits of the dimension of stride 1 and nothing else does.
VectorBits vectorBits(const LinearLayout &threads, const GlobalTile &tile) {
  const Spaces &spaces = threads.outputs();
  VectorBits result;
  unsigned bits = 0;
  for (size_t dimension = spaces.size(); dimension-- > 0; result.first += bits) {
    bits = spaces[dimension].bits;
    if (tile.strides[dimension] == 1 && bits)
      break;
    if (!dimension)
      return result;
  }
  const Subspace ofRegisters = threads.image(Register);
  const unsigned most = std::min(tile.contiguity, std::max(1u, 16 / tile.elementBytes));
  for (; result.count < bits && 2u << result.count <= most; ++result.count) {
    const Vector next = Vector(1) << (result.first + result.count);
    const auto touches = [&](Vector basis) { return (basis & next) != 0; };
    const auto lanes = threads.bases(Lane), warps = threads.bases(Warp);
    if (!ofRegisters.contains(next) || std::any_of(lanes.begin(), lanes.end(), touches) ||
        std::any_of(warps.begin(), warps.end(), touches))
      break;
  }
  return result;
}

int64_t offsetOf(Vector element, const Spaces &spaces, const GlobalTile &tile) {
  int64_t offset = 0;
  for (size_t bit = 0; bit < tile.weights.size(); ++bit)
    offset += (element >> bit & 1) != 0 ? tile.weights[bit] : 0;
  if (!tile.weights.empty())
    return offset;
  const Coordinates coordinates = unpack(spaces, element);
  for (size_t i = 0; i < coordinates.size(); ++i)
    offset += int64_t(coordinates[i]) * tile.strides[i];
  return offset;
}

} // namespace

GlobalAccess globalAccess(const LinearLayout &threads, const GlobalTile &tile) {
  NEREID_CHECK(tile.strides.size() == threads.outputs().size(), "one stride for each dimension");
  const VectorBits vector = vectorBits(threads, tile);
  const DistinctRegisters distinct = distinctRegisters(threads);
  std::map<Vector, std::vector<std::pair<Vector, unsigned>>> steps; // by first element
  for (unsigned number : distinct.kept) {
    const Vector element = combine(threads.bases(Register), number);
    steps[element & ~vector.mask()].push_back({element & vector.mask(), number});
  }
  GlobalAccess access{1u << vector.count, {}};
  for (auto &[first, members] : steps) {
    std::sort(members.begin(), members.end());
    access.steps.emplace_back();
    for (const auto &[element, number] : members)
      access.steps.back().push_back(number);
  }
  return access;
}

Sectors countSectors(const LinearLayout &threads, const GlobalTile &tile,
                     const GlobalAccess &access) {
  Sectors result;
  const auto registers = threads.bases(Register), lanes = threads.bases(Lane),
             warps = threads.bases(Warp);
  const int64_t bytes = int64_t(access.elements) * tile.elementBytes;
  for (const std::vector<unsigned> &step : access.steps)
    for (Vector warp = 0; warp < Vector(1) << warps.size(); ++warp) {
      const Vector base = combine(registers, step.front()) ^ combine(warps, warp);
      std::set<int64_t> sectors;
      std::set<Vector> elements;
      for (Vector lane = 0; lane < Vector(1) << lanes.size(); ++lane) {
        const Vector element = base ^ combine(lanes, lane);
        if (!elements.insert(element).second)
          continue;
        const int64_t first =
            offsetOf(element, threads.outputs(), tile) * int64_t(tile.elementBytes);
        // A shift rounds down below zero, too.
        for (int64_t sector = first >> SectorShift; sector <= (first + bytes - 1) >> SectorShift;
             ++sector)
          sectors.insert(sector);
      }
      ++result.requests;
      result.touched += sectors.size();
      result.ideal += (elements.size() * uint64_t(bytes) + SectorBytes - 1) / SectorBytes;
      result.mostInRequest = std::max<uint64_t>(result.mostInRequest, sectors.size());
    }
  return result;
}

} // namespace nereid::layout
