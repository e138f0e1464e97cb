// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <string_view>

namespace nereid::command {

/// Numbers that depend only on a seed and a name: splitmix64 over a hash of both. The standard
/// library's distributions differ between implementations, hence our own.
class Random {
public:
  Random(std::string_view name, uint64_t seed) : state(seed * 0x9e3779b97f4a7c15) {
    for (char c : name)
      state = mix(state ^ static_cast<unsigned char>(c));
  }

  uint64_t bits() { return mix(state += 0x9e3779b97f4a7c15); }
  /// In [0, 1), a multiple of 2^-24, so that float32 holds it exactly and never rounds it up to 1.
  double uniform() { return static_cast<double>(bits() >> 40) * 0x1p-24; }
  double normal() {
    double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

private:
  static uint64_t mix(uint64_t value) {
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
    value = (value ^ value >> 27) * 0x94d049bb133111eb;
    return value ^ value >> 31;
  }

  uint64_t state;
};

} // namespace nereid::command
