// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace nereid::generate {

/// The memory of an array, between bytes that nobody may change. It ends as close to a page that
/// cannot be touched as its alignment allows, so that a read further behind ends the process.
class GuardedMemory {
public:
  /// Holds a copy of `contents`, aligned to `alignment` bytes. The larger the alignment, the more
  /// bytes lie between the end and the page.
  GuardedMemory(std::span<const std::byte> contents, size_t alignment);
  ~GuardedMemory();
  GuardedMemory(const GuardedMemory &) = delete;
  GuardedMemory &operator=(const GuardedMemory &) = delete;

  std::byte *data() const { return first; }
  std::span<const std::byte> contents() const { return {first, size}; }
  /// Which bytes outside of the array were changed; empty if none.
  std::string damage() const;

private:
  std::byte *pages = nullptr, *first = nullptr;
  size_t size = 0, accessible = 0;
};

} // namespace nereid::generate
