// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <initializer_list>
#include <iterator>

namespace nereid::generate {

/// Random choices that are the same on every machine (splitmix64; the standard library leaves its
/// distributions open).
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}

  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  /// 0 <= result < bound.
  int64_t below(int64_t bound) {
    return static_cast<int64_t>(next() % static_cast<uint64_t>(bound));
  }
  /// low <= result <= high.
  int64_t between(int64_t low, int64_t high) { return low + below(high - low + 1); }
  bool chance(int percent) { return below(100) < percent; }

  template <typename Range> auto pick(const Range &range) {
    return *std::next(std::begin(range), below(static_cast<int64_t>(std::size(range))));
  }
  template <typename T> T pick(std::initializer_list<T> values) {
    return *std::next(values.begin(), below(static_cast<int64_t>(values.size())));
  }

private:
  uint64_t state;
};

} // namespace nereid::generate
