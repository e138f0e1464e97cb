// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/ArrayCopies.h"

#include <cstring>

namespace nereid::check {

static std::byte *contentsOf(const ArgumentSlot &slot) {
  return reinterpret_cast<std::byte *>(slot.bits);
}

ArrayCopies::ArrayCopies(std::span<const ArgumentSlot> arguments) : arguments(arguments) {
  for (const ArgumentSlot &slot : arguments)
    copies.emplace_back(contentsOf(slot), contentsOf(slot) + slot.extentBytes);
}

void ArrayCopies::restore() const {
  for (size_t i = 0; i < copies.size(); ++i)
    if (!copies[i].empty())
      std::memcpy(contentsOf(arguments[i]), copies[i].data(), copies[i].size());
}

std::optional<ArrayCopies::Difference> ArrayCopies::compare(size_t number, size_t bytes) const {
  const std::vector<std::byte> &copy = copies[number];
  const std::byte *now = contentsOf(arguments[number]);
  Difference found{-1, 0, int64_t(copy.size() / bytes)};
  for (int64_t i = 0; i < found.elements; ++i) {
    if (std::memcmp(copy.data() + size_t(i) * bytes, now + size_t(i) * bytes, bytes) == 0)
      continue;
    if (found.count++ == 0)
      found.index = i;
  }
  return found.count ? std::optional(found) : std::nullopt;
}

} // namespace nereid::check
