// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a C++ engineer would write by hand. Compiled with -O3 -march=native, and run by the same
// threads, so that only the loops are compared.
#pragma once

#include "runtime/cpu/ThreadPool.h"

#include <cstddef>

namespace nereid::bench {

/// out = x + y
void addByHand(const float *x, const float *y, float *out, size_t count,
               runtime::cpu::ThreadPool &threads);
/// Row-wise softmax with std::exp.
void softmaxByHand(const float *x, float *y, size_t rows, size_t columns,
                   runtime::cpu::ThreadPool &threads);

} // namespace nereid::bench
