// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "frontend/sema/Specialization.h"
#include "nereid/nereid.h"

namespace nereid::jit {

/// Throws Error(Usage) for what no GPU can do, the block aside.
void requireTuning(const Tuning &tuning);

/// What a launch of this kernel is compiled for; one of tiles has no block, and a limit of more
/// registers than a thread has is one of all that it has. Throws Error(Usage) for what no GPU can
/// do, and where a kernel of threads has no block or one of tiles has one.
Tuning tuningFor(const ast::Function &kernel, const Tuning &given);

/// Whether the environment asks for device_assert to be checked by compiled kernels: TRITON_DEBUG,
/// as Triton reads it.
bool checksAsserts();

/// The choices of back ends that the environment asks to be others, for whoever tries them:
/// NEREID_POLICY, NAME=NUMBER with commas between. Throws Error(Usage) for others than those that
/// `--dump=policy` shows.
std::vector<std::pair<std::string, unsigned>> policy();

} // namespace nereid::jit
