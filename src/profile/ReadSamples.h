// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "nereid/profile.h"
#include "runtime/LineSamples.h"

namespace nereid::profiler {

/// Where the threads of a CPU were seen in `launches` launches, which took `seconds` in all, as
/// time by line. Fills in lines, threads and samples.
Profile readSamples(const runtime::LineSamples &samples, unsigned threads, uint64_t launches,
                    double seconds);

} // namespace nereid::profiler
