// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "jit/State.h"
#include "nereid/profile.h"

namespace nereid::jit {

/// A launch whose arguments are on the device already.
struct ProfileRequest {
  Device device;
  runtime::Executable *plain; ///< without clocks
  driver::KernelRequest kernel;
  std::vector<ArgumentSlot> slots;
};

/// Of two in the middle their mean. At least one.
double medianOf(std::vector<double> times);

/// Throws Error(Usage) that says why, if nothing is measured by line on the device.
void requireProfiles(const Device &device);

/// Of a device that samples lines: launches for half a second, and as often as options.turns says.
Profile sampleLaunch(const ProfileRequest &request, GridExtent grid, const ProfileOptions &options);

/// Of a device that passes requireProfiles(). Throws as profile() does.
Profile profileLaunch(const ProfileRequest &request, Grid grid, const ProfileOptions &options);

} // namespace nereid::jit
