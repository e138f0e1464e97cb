// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/KernelArguments.h"

namespace nereid::interpret {

struct ProgramId {
  uint32_t x, y, z;
  bool operator==(const ProgramId &) const = default;
};

/// The programs of a grid are counted x fastest, then y, then z.
inline uint64_t numberOf(ProgramId program, GridExtent grid) {
  return program.x + uint64_t(grid.x) * (program.y + uint64_t(grid.y) * program.z);
}
inline ProgramId programOf(uint64_t number, GridExtent grid) {
  return {uint32_t(number % grid.x), uint32_t(number / grid.x % grid.y),
          uint32_t(number / grid.x / grid.y)};
}

} // namespace nereid::interpret
