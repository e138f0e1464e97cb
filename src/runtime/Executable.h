// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The seam between compilers and devices.
#pragma once

#include "support/KernelArguments.h"

#include <span>

namespace nereid::runtime {

/// A kernel that one device can run. Launching it from several threads at once is allowed.
class Executable {
public:
  virtual ~Executable() = default;
  /// Runs every program of the grid and returns when all are done. One slot for each run-time
  /// parameter, in order.
  virtual void launch(GridExtent grid, std::span<const ArgumentSlot> arguments) = 0;
};

} // namespace nereid::runtime
