// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Put before a program that works on the fake driver: kernel_gelu computes what it is to.
#include "FakeCuda.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

using namespace nereid::fake_cuda;

static int run(const KernelRun &launch) {
  auto *x = static_cast<const float *>(hostAddress(launch.value<uint64_t>(0)));
  auto *out = static_cast<float *>(hostAddress(launch.value<uint64_t>(1)));
  constexpr uint64_t block = 1024;
  uint64_t count = std::min<uint64_t>(launch.value<uint32_t>(2), launch.grid[0] * block);
  for (uint64_t i = 0; i < count; ++i)
    out[i] = static_cast<float>(x[i] / 2.0 * (1 + std::erf(x[i] / std::sqrt(2.0))));
  return 0;
}

__attribute__((constructor)) static void begin() {
  setKernel("kernel_gelu", {{8, 8, 4}, 32, 0, 0, run});
}
