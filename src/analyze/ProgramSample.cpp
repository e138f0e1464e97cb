// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analyze/ProgramSample.h"

#include "support/SortStably.h"

#include <algorithm>
#include <array>

namespace nereid::analyzer {
namespace {

/// A range of places along each axis.
struct Part {
  std::array<uint64_t, 3> first, count;
  unsigned last = 0; // the axes along which it is what is last, a bit for each

  uint64_t size() const { return count[0] * count[1] * count[2]; }
  uint64_t numberAt(uint64_t index, GridExtent grid) const {
    uint64_t x = first[0] + index % count[0], y = first[1] + index / count[0] % count[1],
             z = first[2] + index / count[0] / count[1];
    return x + grid.x * (y + uint64_t(grid.y) * z);
  }
};

/// A number that looks as if it were drawn: the same each time, and with no period that a grid's
/// numbering could share (splitmix64).
uint64_t mixed(uint64_t value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

/// One of each of `wanted` equal stretches.
std::vector<uint64_t> spread(const Part &part, uint64_t wanted, GridExtent grid) {
  std::vector<uint64_t> programs;
  const uint64_t size = part.size();
  for (uint64_t i = 0; i < wanted; ++i) {
    auto begin = uint64_t(static_cast<unsigned __int128>(size) * i / wanted),
         end = uint64_t(static_cast<unsigned __int128>(size) * (i + 1) / wanted);
    programs.push_back(part.numberAt(begin + mixed(i) % (end - begin), grid));
  }
  std::sort(programs.begin(), programs.end());
  return programs;
}

} // namespace

ProgramSample::ProgramSample(GridExtent grid, uint64_t most) : grid(grid) {
  const Part whole{{0, 0, 0}, {grid.x, grid.y, grid.z}};
  if (whole.size() <= most) {
    list.push_back({whole.size(), spread(whole, whole.size(), grid)});
    return;
  }
  std::vector<Part> parts = {whole};
  for (unsigned axis = 0; axis < 3; ++axis)
    for (size_t i = parts.size(); i-- > 0;) {
      if (parts[i].count[axis] < 2)
        continue;
      Part last = parts[i];
      last.first[axis] += last.count[axis] - 1;
      last.count[axis] = 1;
      last.last |= 1u << axis;
      --parts[i].count[axis];
      parts.push_back(last);
    }
  // The smallest first: what they have no programs for, the others are given.
  sortStably(parts, [](const Part &a, const Part &b) { return a.size() < b.size(); });
  uint64_t left = most, waiting = parts.size();
  for (const Part &part : parts) {
    const uint64_t run = std::min(part.size(), std::max<uint64_t>(2, left / waiting--));
    left -= std::min(left, run);
    strataOfLast[part.last] = unsigned(list.size());
    list.push_back({part.size(), spread(part, run, grid)});
  }
}

unsigned ProgramSample::stratumOf(uint64_t program) const {
  if (list.size() == 1)
    return 0;
  const std::array<uint64_t, 3> extents = {grid.x, grid.y, grid.z},
                                at = {program % grid.x, program / grid.x % grid.y,
                                      program / grid.x / grid.y};
  unsigned last = 0;
  for (unsigned axis = 0; axis < 3; ++axis)
    last |= unsigned(extents[axis] > 1 && at[axis] + 1 == extents[axis]) << axis;
  return strataOfLast[last];
}

} // namespace nereid::analyzer
