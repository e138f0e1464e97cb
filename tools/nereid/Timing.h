// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "nereid/nereid.h"

#include <string>

namespace nereid::command {

/// Launches for 300 ms, five times at least, and says how long compiling and launching take.
std::string describeTiming(const Launch &launch, Grid grid, const Arguments &arguments,
                           const Device &device);

} // namespace nereid::command
