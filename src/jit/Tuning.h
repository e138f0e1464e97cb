// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "frontend/sema/Specialization.h"
#include "nereid/nereid.h"

#include <array>
#include <cstdint>

namespace nereid::jit {

/// Throws Error(Usage) for what no GPU can do.
sema::Tuning requireTuning(const Tuning &tuning);

/// The block of a launch of this kernel; all 0 for one of tiles. Throws Error(Usage) where a kernel
/// of threads has none, one of tiles has one, or no GPU could run it.
std::array<uint32_t, 3> requireBlock(const Tuning &tuning, const ast::Function &kernel);

/// Whether the environment asks for device_assert to be checked by compiled kernels: TRITON_DEBUG,
/// as Triton reads it.
bool checksAsserts();

} // namespace nereid::jit
