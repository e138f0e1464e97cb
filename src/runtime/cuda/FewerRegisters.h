// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The assembler takes as many registers as make code fast for one warp. Where a few fewer let
// another block share the SM, that is often worth more.
#pragma once

#include "runtime/cuda/DeviceProperties.h"
#include "runtime/cuda/Module.h"

#include <string>
#include <string_view>

namespace nereid::runtime::cuda {

/// The most registers of a thread with which an SM holds so many blocks; 0 if that is less than
/// seven eighths of what threads have, or if something else than registers forbids it.
unsigned registersForBlocks(const DeviceProperties &device, const FunctionAttributes &function,
                            const LaunchShape &shape, int blocks);

/// Where the assembler gave up and keeps nearly all in memory though most registers are left (seen of
/// ptxas 13.0: 32 registers and 13 kB of a thread, 255 and 3 kB under a limit of 255): as many as a
/// thread can have; 0 elsewhere.
unsigned registersAfterGivingUp(const DeviceProperties &device, const FunctionAttributes &function,
                                const LaunchShape &shape);

/// The PTX of one kernel with that limit (".maxnreg", PTX ISA); empty where that is 0, where it has one of
/// its own, or moves registers between its warps.
std::string withRegisterLimit(std::string_view ptx, unsigned registers);

} // namespace nereid::runtime::cuda
