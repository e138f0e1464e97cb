// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "frontend/sema/Specialization.h"
#include "nereid/nereid.h"

namespace nereid::jit {

/// Throws Error(Usage) for what no GPU can do.
sema::Tuning requireTuning(const Tuning &tuning);

/// Takes the block of a launch of this kernel; one of tiles has none. Throws Error(Usage) where a
/// kernel of threads has none, one of tiles has one, or no GPU could run it.
void takeBlock(const Tuning &tuning, const ast::Function &kernel,
               sema::Specialization &specialization);

/// Whether the environment asks for device_assert to be checked by compiled kernels: TRITON_DEBUG,
/// as Triton reads it.
bool checksAsserts();

/// The choices of back ends that the environment asks to be others, for whoever tries them:
/// NEREID_POLICY, NAME=NUMBER with commas between. Throws Error(Usage) for others than those that
/// `--dump=policy` shows.
std::vector<std::pair<std::string, unsigned>> policy();

} // namespace nereid::jit
