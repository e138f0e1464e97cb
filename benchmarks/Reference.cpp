// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Reference.h"

#include <algorithm>
#include <cmath>

namespace nereid::bench {

using runtime::cpu::ThreadPool;

void addByHand(const float *__restrict x, const float *__restrict y, float *__restrict out,
               size_t count, ThreadPool &threads) {
  threads.run(count, 0, [=](uint64_t begin, uint64_t end, void *) {
    for (size_t i = begin; i < end; ++i)
      out[i] = x[i] + y[i];
  });
}

void softmaxByHand(const float *__restrict x, float *__restrict y, size_t rows, size_t columns,
                   ThreadPool &threads) {
  threads.run(rows, 0, [=](uint64_t begin, uint64_t end, void *) {
    for (size_t row = begin; row < end; ++row) {
      const float *in = x + row * columns;
      float *out = y + row * columns;
      float largest = *std::max_element(in, in + columns);
      float sum = 0;
      for (size_t i = 0; i < columns; ++i)
        sum += out[i] = std::exp(in[i] - largest);
      for (size_t i = 0; i < columns; ++i)
        out[i] /= sum;
    }
  });
}

} // namespace nereid::bench
