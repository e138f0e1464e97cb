// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "frontend/sema/Specialization.h"
#include "nereid/nereid.h"

namespace nereid::jit {

/// Throws Error(Usage) for what no GPU can do.
sema::Tuning requireTuning(const Tuning &tuning);

} // namespace nereid::jit
