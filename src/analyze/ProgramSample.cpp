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

/// Of `size`, one place of each of `wanted` equal stretches.
std::vector<uint64_t> spread(uint64_t size, uint64_t wanted) {
  std::vector<uint64_t> places;
  for (uint64_t i = 0; i < wanted; ++i) {
    auto begin = uint64_t(static_cast<unsigned __int128>(size) * i / wanted),
         end = uint64_t(static_cast<unsigned __int128>(size) * (i + 1) / wanted);
    places.push_back(begin + mixed(i) % (end - begin));
  }
  return places;
}

std::vector<Part> partsOf(GridExtent grid) {
  std::vector<Part> parts = {{{0, 0, 0}, {grid.x, grid.y, grid.z}}};
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
  return parts;
}

/// Programs of a part that do about equally much, or all of it.
struct Group {
  const Part *part;
  std::vector<uint64_t> numbers; // empty: the whole part

  uint64_t size() const { return numbers.empty() ? part->size() : numbers.size(); }
};

/// Groups that have about an eighth of the part's work each; programs that do equally much are in
/// one of them.
void addGroups(std::vector<Group> &groups, const Part &part, GridExtent grid,
               std::span<const uint64_t> works) {
  constexpr uint64_t mostGroups = 8;
  std::vector<uint64_t> numbers;
  uint64_t all = 0;
  for (uint64_t i = 0; i < part.size(); ++i) {
    numbers.push_back(part.numberAt(i, grid));
    all += works[numbers.back()];
  }
  sortStably(numbers, [&](uint64_t a, uint64_t b) { return works[a] < works[b]; });
  uint64_t before = 0, last = mostGroups, lastWork = 0;
  for (uint64_t number : numbers) {
    const uint64_t work = works[number];
    const auto place = all ? uint64_t(double(before) / double(all) * mostGroups) : 0;
    if (last == mostGroups || (work != lastWork && place != last)) {
      groups.push_back({&part, {}});
      last = place;
    }
    groups.back().numbers.push_back(number);
    lastWork = work;
    before += work;
  }
}

} // namespace

ProgramSample::ProgramSample(GridExtent grid, uint64_t most, std::span<const uint64_t> works)
    : grid(grid) {
  const Part whole{{0, 0, 0}, {grid.x, grid.y, grid.z}};
  auto add = [&](const Group &group, uint64_t run) {
    std::vector<uint64_t> programs = spread(group.size(), run);
    for (uint64_t &program : programs)
      program = group.numbers.empty() ? group.part->numberAt(program, grid)
                                      : group.numbers[size_t(program)];
    std::sort(programs.begin(), programs.end());
    list.push_back({group.size(), std::move(programs)});
  };
  if (whole.size() <= most) {
    add({&whole, {}}, whole.size());
    return;
  }
  const std::vector<Part> parts = partsOf(grid);
  std::vector<Group> groups;
  for (const Part &part : parts)
    if (works.empty())
      groups.push_back({&part, {}});
    else
      addGroups(groups, part, grid, works);
  // The smallest first: what they have no programs for, the others are given.
  sortStably(groups, [](const Group &a, const Group &b) { return a.size() < b.size(); });
  uint64_t left = most, waiting = groups.size();
  for (const Group &group : groups) {
    const uint64_t run = std::min(group.size(), std::max<uint64_t>(2, left / waiting--));
    left -= std::min(left, run);
    strataOfLast[group.part->last] = unsigned(list.size());
    add(group, run);
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
