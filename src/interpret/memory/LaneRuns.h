// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lanes of an access that are neighbours in memory. Most are, so whoever looks at an access looks
// at runs of them.
#pragma once

#include <cstdint>

namespace nereid::interpret {

/// The lanes of one access: a pointer for each, the interpreter's own.
struct AccessLanes {
  const uint64_t *pointers;
  const uint8_t *mask; // null: all take part
  int64_t count;
  uint64_t bytes; // from one element to the next
};

inline constexpr int64_t lanesAtOnce = 16;

/// Whether so many lanes from `lane` on, of which each takes part, are neighbours of the one
/// before. Without a branch, so that it becomes vector code.
inline bool goOn(const AccessLanes &lanes, int64_t lane) {
  uint64_t difference = 0;
  for (int64_t i = lane; i < lane + lanesAtOnce; ++i)
    difference |= (lanes.pointers[i] - lanes.pointers[i - 1]) ^ lanes.bytes;
  uint8_t missing = 0;
  for (int64_t i = lane; lanes.mask && i < lane + lanesAtOnce; ++i)
    missing |= lanes.mask[i] ^ 1;
  return !difference && !missing;
}

/// The lane after the longest run that begins at `start`, which takes part.
inline int64_t endOfRun(const AccessLanes &lanes, int64_t start) {
  auto belongs = [&](int64_t lane) {
    return (!lanes.mask || lanes.mask[lane]) &&
           lanes.pointers[lane] == lanes.pointers[lane - 1] + lanes.bytes;
  };
  int64_t end = start + 1;
  if (end == lanes.count || !belongs(end))
    return end; // lanes that are no neighbours are told apart at once
  while (end + lanesAtOnce <= lanes.count && goOn(lanes, end))
    end += lanesAtOnce;
  while (end < lanes.count && belongs(end))
    ++end;
  return end;
}

/// Calls `f(first, count)` with each longest run of lanes that take part.
template <typename F> void forEachLaneRun(const AccessLanes &lanes, F f) {
  for (int64_t start = 0; start < lanes.count;) {
    if (lanes.mask && !lanes.mask[start]) {
      ++start;
      continue;
    }
    int64_t end = endOfRun(lanes, start);
    f(start, end - start);
    start = end;
  }
}

} // namespace nereid::interpret
