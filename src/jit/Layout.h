// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the elements of an array lie.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace nereid::jit {

struct Layout {
  std::vector<int64_t> shape, strides;
  int64_t size;
  /// Elements from the first to the last, both included; 0 if there are none.
  size_t extent;
};

/// Both throw Error(Usage) for negative dimensions or strides, and for more bytes than can be
/// addressed.
Layout rowMajor(std::vector<int64_t> shape, unsigned elementBytes);
Layout strided(std::vector<int64_t> shape, std::vector<int64_t> strides, unsigned elementBytes);

/// "[3, 4]"
std::string toString(const std::vector<int64_t> &shape);

} // namespace nereid::jit
