// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <random>

namespace nereid::fuzz {

/// The source of one mutant, the same on every machine: what the standard's distributions give is
/// each library's own matter.
class Random {
public:
  Random(uint64_t seed, uint64_t mutant) : engine(seed * 0x9e3779b97f4a7c15 + mutant) {}

  uint64_t bits() { return engine(); }
  /// From 0 to `bound` - 1; 0 if that is nothing.
  size_t below(size_t bound) { return bound ? engine() % bound : 0; }
  /// Once in so many times.
  bool oneIn(size_t times) { return below(times) == 0; }
  template <typename Items> const auto &pick(const Items &items) {
    return *(std::begin(items) + below(std::size(items)));
  }

private:
  std::mt19937_64 engine;
};

} // namespace nereid::fuzz
