// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/KernelArguments.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace nereid::check {

/// What the arrays of a launch hold at one time.
class ArrayCopies {
public:
  explicit ArrayCopies(std::span<const ArgumentSlot> arguments);
  /// Puts it back.
  void restore() const;

  struct Difference {
    int64_t index;    // of the first element that is another now
    int64_t count;    // of those that are
    int64_t elements; // that the array has
  };
  /// How the array of argument `number`, with elements of `bytes` bytes, differs now.
  std::optional<Difference> compare(size_t number, size_t bytes) const;
  const std::byte *element(size_t number, int64_t index, size_t bytes) const {
    return copies[number].data() + size_t(index) * bytes;
  }

private:
  std::span<const ArgumentSlot> arguments;
  std::vector<std::vector<std::byte>> copies; // empty of what is no array
};

} // namespace nereid::check
