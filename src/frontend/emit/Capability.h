// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "frontend/emit/Emitter.h"

namespace nereid::emit {

/// The compute capability, as 90 for 9.0; nothing for what is no NVIDIA GPU.
std::optional<sema::Integer> capabilityOf(const Emitter &emitter);

} // namespace nereid::emit
