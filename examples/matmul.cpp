// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A matrix product: a kernel from a file, a grid computed from the block sizes, and a launch that
// is prepared once and run again and again.
#include "nereid/nereid.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <random>

static std::vector<float> randomValues(int64_t count, std::mt19937_64 &random) {
  std::uniform_real_distribution<float> distribution(-1, 1);
  std::vector<float> values(static_cast<size_t>(count));
  std::generate(values.begin(), values.end(), [&] { return distribution(random); });
  return values;
}

static double bestMilliseconds(const nereid::Launch &launch, const nereid::GridFunction &grid) {
  double best = INFINITY;
  for (int repeat = 0; repeat < 5; ++repeat) {
    auto start = std::chrono::steady_clock::now();
    launch.run(grid);
    std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
    best = std::min(best, elapsed.count());
  }
  return best;
}

static int matmul() {
  const int64_t m = 512, n = 512, k = 512;
  std::mt19937_64 random(1);
  std::vector<float> a = randomValues(m * k, random), b = randomValues(k * n, random);

  nereid::Device device = nereid::Device::open("cpu");
  nereid::Kernel kernel =
      nereid::Module::load(NEREID_SOURCE_DIR "/kernels/guide.py").kernel("gemm_v2");
  nereid::Array c = device.empty(nereid::DType::Float32, {m, n});
  nereid::Launch launch = kernel.prepare(device, {{"a_ptr", device.array(a, {m, k})},
                                                  {"b_ptr", device.array(b, {k, n})},
                                                  {"c_ptr", c},
                                                  {"M", m},
                                                  {"N", n},
                                                  {"K", k},
                                                  {"stride_am", k},
                                                  {"stride_ak", 1},
                                                  {"stride_bk", n},
                                                  {"stride_bn", 1},
                                                  {"stride_cm", n},
                                                  {"stride_cn", 1},
                                                  {"BLOCK_SIZE_M", 64},
                                                  {"BLOCK_SIZE_N", 64},
                                                  {"BLOCK_SIZE_K", 32}});

  // The grid depends on the block sizes, so it is a function of the launch's constants.
  auto grid = [&](const nereid::Constants &constants) -> nereid::Grid {
    return {nereid::cdiv(m, constants["BLOCK_SIZE_M"]), nereid::cdiv(n, constants["BLOCK_SIZE_N"])};
  };
  double milliseconds = bestMilliseconds(launch, grid);

  double expected = 0; // the last element
  for (int64_t i = 0; i < k; ++i)
    expected += double(a[(m - 1) * k + i]) * b[i * n + n - 1];
  double error = std::abs(c.toVector<float>().back() - expected);
  std::printf(
      "compiled in %.1f ms; %lld^3 in %.3f ms, %.1f GFLOP/s; error of the last element %.1e\n",
      launch.compileMilliseconds(), (long long)m, milliseconds,
      2e-6 * double(m * n * k) / milliseconds, error);
  return error < 1e-3 ? 0 : 1;
}

int main() {
  try {
    return matmul();
  } catch (const nereid::Error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
