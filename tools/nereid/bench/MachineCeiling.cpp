// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "MachineCeiling.h"

#include <numeric>
#include <system_error>
#include <thread>

namespace nereid::command {
namespace {

constexpr const char *kernels = R"(
import triton
import triton.language as tl

@triton.jit
def copy(source, target, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(target + offsets, tl.load(source + offsets))

@triton.jit
def multiply_add(target, rounds, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    a = lanes * 1e-6
    b = lanes * 2e-6
    c = lanes * 3e-6
    d = lanes * 4e-6
    for i in range(rounds):
        a = a * 0.999 + 1e-3
        b = b * 0.999 + 1e-3
        c = c * 0.999 + 1e-3
        d = d * 0.999 + 1e-3
    tl.store(target + tl.program_id(0) * BLOCK + lanes, a + b + c + d)
)";

/// `count` independent chains of vectors, so that each unit always has work. The result is of no
/// use but to whoever would leave the work out.
template <typename Vector, int count> [[gnu::always_inline]] inline float chains(int64_t rounds) {
  Vector sums[count];
  Vector factor = Vector{} + 0.999f, addend = Vector{} + 1e-3f;
#pragma clang loop unroll(full)
  for (int i = 0; i < count; ++i)
    sums[i] = Vector{} + static_cast<float>(i);
  for (int64_t round = 0; round < rounds; ++round) {
#pragma clang loop unroll(full)
    for (int i = 0; i < count; ++i)
      sums[i] = sums[i] * factor + addend;
  }
  Vector all = {};
#pragma clang loop unroll(full)
  for (int i = 0; i < count; ++i)
    all += sums[i];
  return all[0];
}

struct Chains {
  float (*run)(int64_t rounds);
  int64_t flopsInRound;
};

#if defined(__x86_64__)
using Vector4 = float __attribute__((vector_size(16)));
using Vector8 = float __attribute__((vector_size(32)));
using Vector16 = float __attribute__((vector_size(64)));

float chainsSse(int64_t rounds) { return chains<Vector4, 10>(rounds); }
[[gnu::target("avx2,fma")]] float chainsAvx2(int64_t rounds) { return chains<Vector8, 10>(rounds); }
[[gnu::target("avx512f")]] float chainsAvx512(int64_t rounds) {
  return chains<Vector16, 12>(rounds);
}

Chains widestChains() {
  if (__builtin_cpu_supports("avx512f"))
    return {chainsAvx512, 2 * 16 * 12};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return {chainsAvx2, 2 * 8 * 10};
  return {chainsSse, 2 * 4 * 10};
}
#else
using Vector4 = float __attribute__((vector_size(16)));
float chainsOfFour(int64_t rounds) { return chains<Vector4, 12>(rounds); }
Chains widestChains() { return {chainsOfFour, 2 * 4 * 12}; }
#endif

/// Operations a millisecond. Each thread times short bursts by itself, so that what interrupts one
/// now and then does not count.
double fmaOfCpu(unsigned threads) {
  Chains chains = widestChains();
  constexpr int64_t rounds = 50'000; // some 100 us
  std::vector<double> rates(threads);
  auto work = [&](unsigned thread) {
    volatile float unused = 0;
    Measurement burst = measureCalls([&] { unused = unused + chains.run(rounds); });
    rates[thread] = static_cast<double>(rounds * chains.flopsInRound) / burst.median();
  };
  {
    std::vector<std::jthread> others;
    try {
      for (unsigned thread = 1; thread < threads; ++thread)
        others.emplace_back(work, thread);
    } catch (const std::system_error &) {
      // Launches have no more threads, either.
    }
    work(0);
  }
  return std::accumulate(rates.begin(), rates.end(), 0.0);
}

double fmaOfGpu(const Device &device) {
  constexpr int64_t block = 1024, rounds = 4096;
  int64_t programs = int64_t(device.threads()) * 16; // of four warps each: a multiprocessor's fill
  Launch launch =
      Module::fromText(kernels, "ceiling.py")
          .kernel("multiply_add")
          .prepare(device, {{"target", device.empty(DType::Float32, {programs * block})},
                            {"rounds", rounds},
                            {"BLOCK", block}});
  Measurement measured = Timer(device, {.flushesCache = false}).measure(launch, {programs});
  return static_cast<double>(programs * block * rounds * 4 * 2) / measured.quantile(0);
}

bool isGpu(const Device &device) { return device.name().starts_with("cuda"); }

} // namespace

Ceiling measureCopy(const Device &device) {
  constexpr int64_t elements = 32 << 20, block = 4096;
  // Written, since pages that nobody wrote may all be the same one.
  std::vector<float> values(elements, 1);
  Launch launch = Module::fromText(kernels, "ceiling.py")
                      .kernel("copy")
                      .prepare(device, {{"source", device.array(values)},
                                        {"target", device.zeros(DType::Float32, {elements})},
                                        {"BLOCK", block}});
  Measurement measured = Timer(device).measure(launch, {elements / block});
  return {"copy of 128 MiB", 2.0 * 4 * elements / measured.quantile(0) / 1e6};
}

Ceiling measureFma(const Device &device) {
  double perMillisecond = isGpu(device) ? fmaOfGpu(device) : fmaOfCpu(device.threads());
  return {"multiply-adds of f32", perMillisecond / 1e9};
}

} // namespace nereid::command
