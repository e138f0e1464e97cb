// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a launch hands to an executor, whichever it is.
#pragma once

#include <cstdint>

namespace nereid {

/// One run-time argument. Scalars are in `bits`, little-endian and zero-extended; a pointer is an
/// address in the device's memory, with the array behind it.
struct ArgumentSlot {
  uint64_t bits = 0;
  /// Bytes reachable from the pointer; 0 for scalars.
  uint64_t extentBytes = 0;
};

/// Extents of the grid, each at least 1.
struct GridExtent {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t programs() const { return uint64_t(x) * y * z; }
};

} // namespace nereid
