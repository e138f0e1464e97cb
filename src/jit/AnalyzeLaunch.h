// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "driver/Compiler.h"
#include "nereid/analyze.h"
#include "support/KernelArguments.h"

#include <span>

namespace nereid::jit {

/// Of a kernel that is specialized for the slots. What is wrong with the options or the grid is an
/// Error(Usage).
Analysis analyzeLaunch(driver::KernelRequest request, std::span<const ArgumentSlot> slots,
                       Grid grid, const AnalyzeOptions &options);

} // namespace nereid::jit
