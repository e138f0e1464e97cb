// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "backend/Backend.h"

namespace nereid::backend {

/// Compiles kernels to vector code for x86-64.
extern const Backend cpuBackend;

} // namespace nereid::backend
