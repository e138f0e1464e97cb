// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a C++ engineer would write by hand. Compiled with -O3 -march=native.
#pragma once

#include <cstddef>

namespace nereid::bench {

/// out = x + y on `threads` threads, each with one contiguous share.
void addByHand(const float *x, const float *y, float *out, size_t count, unsigned threads);
/// Row-wise softmax with std::exp on `threads` threads.
void softmaxByHand(const float *x, float *y, size_t rows, size_t columns, unsigned threads);

} // namespace nereid::bench
