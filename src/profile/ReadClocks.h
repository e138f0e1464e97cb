// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "nereid/profile.h"
#include "runtime/ClockRecords.h"

namespace nereid::profiler {

/// What the warps of one launch noted, as intervals on one axis of time, and added up by line. Of
/// the launch it fills in blocks, warps and clocks. Throws Error(Internal) for records that no
/// kernel writes.
Profile readClocks(const runtime::ClockReadings &readings);

} // namespace nereid::profiler
