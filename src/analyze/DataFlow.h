// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What one program does with data: the kernel's operations from loads to stores, who waits for
// whom, and what goes through shared memory.
#pragma once

#include "analyze/CountLaunch.h"
#include "nereid/analyze.h"

namespace nereid::analyzer {

Analysis::Flow dataFlow(const backend::nvptx::EmittedKernel &kernel, const LaunchCounts &counts);

} // namespace nereid::analyzer
