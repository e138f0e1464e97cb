// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nereid::command {

/// The values that one name takes, one after the other.
struct Sweep {
  std::string name;
  std::vector<int64_t> values; ///< ascending where they come from a range
  /// Each is the one before, multiplied.
  bool isGeometric = false;
};

/// Reads "n=2**10..2**24", which doubles, "n=2**10..2**24:*4", "n=128..4096:+128" and
/// "n=100,1000,5000". Throws Error(Usage) that says what is accepted.
Sweep parseSweep(const std::string &text);

} // namespace nereid::command
