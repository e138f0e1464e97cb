// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "nereid/nereid.h"

#include <optional>
#include <string>

namespace nereid::command {

/// Launches for 300 ms, five times at least, and says how long compiling and launching take, and
/// what part of what this machine copies in the time that is; with `flops`, the operations of a
/// launch, also of the multiply-adds that it does. What the kernel prints meanwhile is thrown away.
std::string describeTiming(const Launch &launch, Grid grid, const Arguments &arguments,
                           const Device &device, std::optional<double> flops = {});
/// Of all arrays, each once though it may be given several times.
size_t bytesOfArrays(const Arguments &arguments);

/// "12.3456 ms"; "850 ns" below a microsecond.
std::string formatDuration(double milliseconds);

} // namespace nereid::command
