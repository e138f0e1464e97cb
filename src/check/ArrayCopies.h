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
  /// `bytesBelow` is as RunSettings has it.
  explicit ArrayCopies(std::span<const ArgumentSlot> arguments,
                       std::span<const uint64_t> bytesBelow = {});
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
    return copies[number].data() + int64_t(below(number)) + index * int64_t(bytes);
  }

private:
  uint64_t below(size_t number) const { return bytesBelow.empty() ? 0 : bytesBelow[number]; }
  std::byte *first(size_t number) const {
    return reinterpret_cast<std::byte *>(arguments[number].bits - below(number));
  }

  std::span<const ArgumentSlot> arguments;
  std::span<const uint64_t> bytesBelow;
  std::vector<std::vector<std::byte>> copies; // empty of what is no array
};

} // namespace nereid::check
