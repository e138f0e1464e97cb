// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "nereid/nereid.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace nereid::generate {

/// The memory of an array on a device, between bytes that nobody may change.
class GuardedArray {
public:
  /// Holds a copy of `contents`, aligned to `alignment` bytes: for executors on the host before a
  /// page that cannot be touched (GuardedMemory), on a GPU between guards alone.
  static std::unique_ptr<GuardedArray> make(const Device &device,
                                            std::span<const std::byte> contents, size_t alignment);
  virtual ~GuardedArray() = default;

  /// In the device's address space.
  virtual void *data() const = 0;

  struct Reading {
    std::vector<std::byte> contents;
    /// Which bytes outside of the array were changed; empty if none.
    std::string damage;
  };
  virtual Reading read() const = 0;
};

} // namespace nereid::generate
