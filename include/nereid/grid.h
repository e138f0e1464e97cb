// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many programs of a kernel run, and what that may be computed from.
#pragma once

#include "nereid/Export.h"
#include "nereid/error.h"

#include <bit>
#include <concepts>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace nereid {

/// Quotient rounded up, of a non-negative by a positive integer.
constexpr int64_t cdiv(int64_t value, int64_t divisor) {
  if (value < 0 || divisor <= 0)
    throw Error(Error::Kind::Usage, "cdiv(" + std::to_string(value) + ", " +
                                        std::to_string(divisor) +
                                        "): a value from 0 up and a divisor from 1 up is accepted");
  return value / divisor + (value % divisor != 0);
}
/// The smallest power of two that is at least `value`, which is at most 2^62; 1 for values below 1.
constexpr int64_t nextPowerOf2(int64_t value) {
  if (value > int64_t(1) << 62)
    throw Error(Error::Kind::Usage,
                "nextPowerOf2(" + std::to_string(value) + "): a value up to 2^62 is accepted");
  return value <= 1 ? 1 : static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(value)));
}

/// How many programs run along each axis. Every extent is at least 1, x less than 2^31, y and z at
/// most 65535, and all programs together at most 2^40.
struct Grid {
  int64_t x = 1, y = 1, z = 1;
};

/// What the extents of the block are called of a kernel of threads, behind its own constants.
inline constexpr const char *blockExtentNames[] = {"block_x", "block_y", "block_z"};

/// The constexpr integers of one launch, as a grid function sees them.
class NEREID_API Constants {
public:
  explicit Constants(std::vector<std::pair<std::string, int64_t>> values)
      : values(std::move(values)) {}
  /// Throws Error if there is no constexpr integer of that name.
  int64_t operator[](std::string_view name) const;
  int64_t operator[](const char *name) const {
    return (*this)[std::string_view(detail::requireText(name))];
  }

private:
  std::vector<std::pair<std::string, int64_t>> values;
};
using GridFunction = std::function<Grid(const Constants &)>;

/// What a grid may be computed by. A template takes these, since a braced list is no type that one
/// can deduce: `{0}` is a grid, and never a function that is null.
template <typename F>
concept GridCallable = std::is_invocable_r_v<Grid, F &, const Constants &>;

} // namespace nereid
