// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether a device can run what a kernel asks for. Each answer says what is asked, what there is
// and what would work, or is empty if all is well.
#pragma once

#include "runtime/Artifact.h"
#include "runtime/cuda/DeviceProperties.h"
#include "runtime/cuda/Module.h"

#include <string>

namespace nereid::runtime::cuda {

/// Which of an artifact's codes the device runs.
enum class CodeForm { None, Cubin, Ptx };
CodeForm chooseForm(const DeviceProperties &device, const CudaCode &code);
/// Whether the driver can make machine code of the PTX.
bool canMakeCode(const DeviceProperties &device, const CudaCode &code);
std::string whyNoForm(const DeviceProperties &device, const CudaCode &code);

/// Whether one block fits.
std::string whyUnfit(const DeviceProperties &device, const FunctionAttributes &function,
                     const LaunchShape &shape);
/// Whether a cluster fits, of which the device has at most `largest` blocks.
std::string whyUnfitCluster(const DeviceProperties &device, const LaunchShape &shape, int largest);

/// Whether launches of code that waits by itself (CudaCode::overlapsPrevious) may begin before
/// those before them have ended, also in graphs.
bool canOverlapLaunches(const DeviceProperties &device);

std::string whyUnfitGrid(const DeviceProperties &device, GridExtent grid);

} // namespace nereid::runtime::cuda
