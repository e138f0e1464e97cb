// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "backend/Backend.h"
#include "runtime/cpu/ThreadPool.h"

namespace nereid::backend {

/// Compiles kernels for the CPU of this machine; they run on `pool`, which must outlive them.
std::unique_ptr<Backend> createCpuBackend(runtime::cpu::ThreadPool &pool);

} // namespace nereid::backend
