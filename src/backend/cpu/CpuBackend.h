// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "backend/Backend.h"
#include "runtime/cpu/ThreadPool.h"
#include "target/CpuTarget.h"

namespace nereid::backend {

/// Compiles kernels for `target`; they run on `pool`, which must outlive them.
std::unique_ptr<Backend> createCpuBackend(runtime::cpu::ThreadPool &pool,
                                          target::CpuTarget target = target::hostCpu());

} // namespace nereid::backend
