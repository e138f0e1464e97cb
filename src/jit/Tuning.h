// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "frontend/sema/Specialization.h"
#include "nereid/nereid.h"

namespace nereid::jit {

/// Throws Error(Usage) for what no GPU can do.
sema::Tuning requireTuning(const Tuning &tuning);

/// Whether the environment asks for device_assert to be checked by compiled kernels: TRITON_DEBUG,
/// as Triton reads it.
bool checksAsserts();

} // namespace nereid::jit
