// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that CPUs compute in line are within two steps of float32 everywhere: every 4,099th float,
// or with NEREID_TEST_FLOAT_STRIDE=1 each of the 2^32, on CPUs with and without multiply-adds.
#include "support/FloatSteps.h"
#include "support/TileProgram.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <gtest/gtest.h>

#include <cstdlib>

using namespace nereid;
using namespace nereid::test;

namespace {

constexpr long double promisedSteps = 2;
constexpr uint64_t allFloats = uint64_t(1) << 32;
constexpr size_t batch = size_t(1) << 20, tileWidth = 1024;

struct InlineFunction {
  const char *name;
  double (*reference)(double); // in double, whose own error is nothing beside a step of float32
};
constexpr InlineFunction inlineFunctions[] = {{"exp", std::exp},   {"exp2", std::exp2},
                                              {"log", std::log},   {"log2", std::log2},
                                              {"tanh", std::tanh}, {"erf", std::erf}};

std::string functionKernel(const char *function) {
  return llvm::formatv(R"(
func.func @k(%x: !tile.ptr<f32>, %out: !tile.ptr<f32>) attributes {{tile.kernel, tile.noalias} {{
  %pid = tile.program_id 0
  %n = arith.constant {0} : i32
  %start = arith.muli %pid, %n : i32
  %i = tile.range 0 to {0} : tensor<{0}xi32>
  %first = tile.splat %start : i32 -> tensor<{0}xi32>
  %at = arith.addi %first, %i : tensor<{0}xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<{0}x!tile.ptr<f32>>
  %px = tile.offset %xs, %at : tensor<{0}x!tile.ptr<f32>>, tensor<{0}xi32>
  %v = tile.load %px : tensor<{0}x!tile.ptr<f32>>
  %r = math.{1} %v : tensor<{0}xf32>
  %os = tile.splat %out : !tile.ptr<f32> -> tensor<{0}x!tile.ptr<f32>>
  %po = tile.offset %os, %at : tensor<{0}x!tile.ptr<f32>>, tensor<{0}xi32>
  tile.store %po, %r : tensor<{0}x!tile.ptr<f32>>
  return
})",
                       tileWidth, function);
}

/// The floats that are tried, `batch` at a time.
std::vector<uint32_t> batchOf(uint64_t first, uint64_t stride) {
  std::vector<uint32_t> patterns(batch);
  for (size_t i = 0; i < batch; ++i)
    patterns[i] = static_cast<uint32_t>(std::min(first + i * stride, allFloats - 1));
  return patterns;
}

class FloatFunction : public testing::TestWithParam<std::tuple<const char *, InlineFunction>> {};

void expectWithinSteps(const target::CpuTarget &cpu, const InlineFunction &function) {
  const Format &format = formats[2];
  const char *chosen = std::getenv("NEREID_TEST_FLOAT_STRIDE");
  uint64_t stride = chosen ? std::strtoull(chosen, nullptr, 10) : 4099;
  long double worst = 0;
  for (uint64_t first = 0; first < allFloats; first += batch * stride) {
    std::vector<uint32_t> patterns = batchOf(first, stride);
    auto results =
        runTileOn(cpu, functionKernel(function.name),
                  {TestArgument::array(patterns), TestArgument::array(std::vector<float>(batch))},
                  {batch / tileWidth, 1, 1})[1]
            .as<float>();
    for (size_t i = 0; i < batch; ++i) {
      float x = std::bit_cast<float>(patterns[i]);
      double expected = function.reference(x);
      ASSERT_EQ(std::isnan(results[i]), std::isnan(expected)) << function.name << " of " << x;
      if (std::isnan(expected))
        continue;
      worst = std::max(worst, format.steps(results[i], expected));
      ASSERT_LE(worst, promisedSteps)
          << function.name << " of " << x << " is " << results[i] << ", not " << expected;
      ASSERT_EQ(std::signbit(results[i]), std::signbit(expected)) << function.name << " of " << x;
    }
  }
  testing::Test::RecordProperty(function.name, std::to_string(worst));
  if (chosen)
    std::printf("%s: %.3Lf steps at most\n", function.name, worst);
}

TEST_P(FloatFunction, is_within_two_steps) {
  auto [name, function] = GetParam();
  target::CpuTarget cpu = *target::findCpu(name);
  if (auto missing = target::missingOnHost(cpu.features); !missing.empty())
    GTEST_SKIP() << "this machine lacks " << llvm::join(missing, ", ");
  expectWithinSteps(cpu, function);
}

// Without multiply-adds, with them, and with scaling by powers of two.
INSTANTIATE_TEST_SUITE_P(
    Cpus, FloatFunction,
    testing::Combine(testing::Values("x86-64", "haswell", "skylake-avx512"),
                     testing::ValuesIn(inlineFunctions)),
    [](const auto &info) {
      std::string name = std::string(std::get<1>(info.param).name) + "_" + std::get<0>(info.param);
      llvm::replace(name, '-', '_');
      return name;
    });

} // namespace
