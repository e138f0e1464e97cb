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

/// Throws Error(Usage) that says why, if the device's kernels have no clocks.
void requireClocks(const Device &device);

/// Of a device that has clocks. Throws as profile() does.
Profile profileLaunch(const ProfileRequest &request, Grid grid, const ProfileOptions &options);

} // namespace nereid::jit
