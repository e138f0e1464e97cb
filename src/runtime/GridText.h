// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/KernelArguments.h"

#include <string>

namespace nereid::runtime {

/// "(4, 1, 1)"
inline std::string gridText(GridExtent grid) {
  return "(" + std::to_string(grid.x) + ", " + std::to_string(grid.y) + ", " +
         std::to_string(grid.z) + ")";
}

} // namespace nereid::runtime
