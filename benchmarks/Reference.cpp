// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Reference.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <thread>
#include <vector>

namespace nereid::bench {

static void share(size_t count, unsigned threads, const std::function<void(size_t, size_t)> &work) {
  std::vector<std::thread> others;
  for (unsigned i = 1; i < threads; ++i)
    others.emplace_back(work, count * i / threads, count * (i + 1) / threads);
  work(0, count / threads);
  for (std::thread &thread : others)
    thread.join();
}

void addByHand(const float *__restrict x, const float *__restrict y, float *__restrict out,
               size_t count, unsigned threads) {
  share(count, threads, [=](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i)
      out[i] = x[i] + y[i];
  });
}

void softmaxByHand(const float *__restrict x, float *__restrict y, size_t rows, size_t columns,
                   unsigned threads) {
  share(rows, threads, [=](size_t begin, size_t end) {
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
