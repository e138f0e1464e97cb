// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <numeric>
#include <optional>

namespace nereid::interpret {

/// In what order the programs of a grid start: by number, or shuffled.
class ProgramOrder {
public:
  /// Without a seed: by number.
  ProgramOrder(uint64_t count, std::optional<uint64_t> seed) : count(count) {
    if (!seed || count < 2)
      return;
    // Steps of a length that shares no divisor with the count reach each number once.
    uint64_t wish = *seed * 0x9e3779b97f4a7c15 >> 20;
    step = count / 2 + wish % (count - count / 2);
    while (std::gcd(step, count) != 1)
      ++step;
    start = wish / 7 % count;
  }
  uint64_t at(uint64_t turn) const {
    return uint64_t((static_cast<unsigned __int128>(turn) * step + start) % count);
  }

private:
  uint64_t count, step = 1, start = 0;
};

} // namespace nereid::interpret
