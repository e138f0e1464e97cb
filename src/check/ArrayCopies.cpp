// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/ArrayCopies.h"

#include <cstring>

namespace nereid::check {

ArrayCopies::ArrayCopies(std::span<const ArgumentSlot> arguments,
                         std::span<const uint64_t> bytesBelow)
    : arguments(arguments), bytesBelow(bytesBelow) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    size_t bytes = arguments[i].extentBytes ? below(i) + arguments[i].extentBytes : 0;
    copies.emplace_back(first(i), first(i) + bytes);
  }
}

void ArrayCopies::restore() const {
  for (size_t i = 0; i < copies.size(); ++i)
    if (!copies[i].empty())
      std::memcpy(first(i), copies[i].data(), copies[i].size());
}

std::optional<ArrayCopies::Difference> ArrayCopies::compare(size_t number, size_t bytes) const {
  const std::vector<std::byte> &copy = copies[number];
  const std::byte *now = first(number);
  Difference found{-1, 0, int64_t(copy.size() / bytes)};
  for (int64_t i = 0; i < found.elements; ++i) {
    if (std::memcmp(copy.data() + size_t(i) * bytes, now + size_t(i) * bytes, bytes) == 0)
      continue;
    if (found.count++ == 0)
      found.index = i - int64_t(below(number) / bytes);
  }
  return found.count ? std::optional(found) : std::nullopt;
}

} // namespace nereid::check
