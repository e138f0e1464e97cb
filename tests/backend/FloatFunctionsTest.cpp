// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of one number on CPUs with and without multiply-adds, within what math_functions.def
// promises. Float32: every 4,099th float and those beside which functions change, or with
// NEREID_TEST_FLOAT_STRIDE=1 each of the 2^32, against double. Float64: 2^17 numbers, or as many
// more times as NEREID_TEST_DOUBLE_ROUNDS says, against long double.
#include "support/FloatSteps.h"
#include "support/TileProgram.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>

using namespace nereid;
using namespace nereid::test;

namespace {

struct PromisedFunction {
  const char *name;
  size_t arity;
  long double promise32, promise64;
  double (*reference32)(double); // in double, whose own error is nothing beside a step of float32
  long double (*reference64)(long double);
};

/// Null for what takes two.
template <typename Number, typename Call> constexpr auto ofOne(Call) -> Number (*)(Number) {
  if constexpr (std::is_invocable_v<Call, Number>)
    return [](Number x) -> Number { return Call()(x); };
  else
    return nullptr;
}

#define MATH_FUNCTION(operation, function, arity, promise32, promise64)                            \
  {#function,                                                                                      \
   arity,                                                                                          \
   promise32,                                                                                      \
   promise64,                                                                                      \
   ofOne<double>([](auto... x)                                                                     \
                   requires requires { std::function(x...); }                                      \
                 { return std::function(x...); }),                                                 \
                 ofOne<long double>([](auto... x)                                                  \
                                      requires requires { std::function(x...); }                   \
                                    { return std::function(x...); })},
constexpr PromisedFunction promisedFunctions[] = {
#include "backend/llvm/math_functions.def"
};

constexpr size_t tileWidth = 1024;
constexpr uint64_t allFloats = uint64_t(1) << 32;

std::string functionKernel(const char *function, const char *type) {
  return llvm::formatv(R"(
func.func @k(%x: !tile.ptr<{2}>, %out: !tile.ptr<{2}>) attributes {{tile.kernel, tile.noalias} {{
  %pid = tile.program_id 0
  %n = arith.constant {0} : i32
  %start = arith.muli %pid, %n : i32
  %i = tile.range 0 to {0} : tensor<{0}xi32>
  %first = tile.splat %start : i32 -> tensor<{0}xi32>
  %at = arith.addi %first, %i : tensor<{0}xi32>
  %xs = tile.splat %x : !tile.ptr<{2}> -> tensor<{0}x!tile.ptr<{2}>>
  %px = tile.offset %xs, %at : tensor<{0}x!tile.ptr<{2}>>, tensor<{0}xi32>
  %v = tile.load %px : tensor<{0}x!tile.ptr<{2}>>
  %r = math.{1} %v : tensor<{0}x{2}>
  %os = tile.splat %out : !tile.ptr<{2}> -> tensor<{0}x!tile.ptr<{2}>>
  %po = tile.offset %os, %at : tensor<{0}x!tile.ptr<{2}>>, tensor<{0}xi32>
  tile.store %po, %r : tensor<{0}x!tile.ptr<{2}>>
  return
})",
                       tileWidth, function, type);
}

/// What was seen of a function.
struct Seen {
  long double worst = 0;

  template <typename Number, typename Wide>
  void expect(const Format &format, const PromisedFunction &function, long double promise,
              const std::vector<Number> &numbers, const std::vector<Number> &results,
              const std::vector<Wide> &expected) {
    ASSERT_EQ(results.size(), expected.size());
    size_t wrong = format.firstWrong(results, expected, promise, worst);
    ASSERT_EQ(wrong, expected.size()) << function.name << " of " << numbers[wrong] << " is "
                                      << results[wrong] << ", not " << expected[wrong];
  }
};

/// What a function gives for each number. Each CPU's test asks for the same after that of the CPU
/// before it, for as many numbers at a time as that one.
template <typename Number, typename Wide>
const std::vector<Wide> &expectedOf(Wide (*reference)(Wide), const std::vector<Number> &numbers) {
  struct Known {
    Wide (*reference)(Wide) = nullptr;
    std::vector<Number> numbers;
    std::vector<Wide> expected;
  };
  static std::map<size_t, Known> lastOfSize;
  Known &known = lastOfSize[numbers.size()];
  bool isSame = known.reference == reference && std::memcmp(known.numbers.data(), numbers.data(),
                                                            numbers.size() * sizeof(Number)) == 0;
  if (isSame)
    return known.expected;
  known = {reference, numbers, {}};
  known.expected.reserve(numbers.size());
  for (Number x : numbers)
    known.expected.push_back(reference(x));
  return known.expected;
}

template <typename Number>
std::vector<Number> resultsOf(const target::CpuTarget &cpu, const PromisedFunction &function,
                              const std::vector<Number> &numbers) {
  std::string kernel = functionKernel(function.name, sizeof(Number) == 4 ? "f32" : "f64");
  auto tiles = static_cast<uint32_t>(numbers.size() / tileWidth);
  return runTileOn(cpu, kernel, {TestArgument::array(numbers), TestArgument::array(numbers)},
                   {tiles, 1, 1})[1]
      .template as<Number>();
}

void expectFloats(const target::CpuTarget &cpu, const PromisedFunction &function,
                  const std::vector<float> &numbers, Seen &seen) {
  seen.expect(formats[2], function, function.promise32, numbers, resultsOf(cpu, function, numbers),
              expectedOf(function.reference32, numbers));
}

/// Patterns beside those where code or results change: zeros, ones, the ends of the normal numbers
/// and of all, multiples of pi / 2 of all sizes, and where exponentials leave the type.
std::vector<float> turningPoints() {
  std::vector<float> points = {
      0,       1,      0x1p-126f, 0x1p-149f, INFINITY, NAN,     std::numeric_limits<float>::max(),
      0.625f,  0.875f, 4,         2,         0x1p23f,  0x1p24f, 88.7228f,
      103.97f, 128,    149,       20,        90};
  for (int power = 0; power < 127; ++power)
    points.push_back(static_cast<float>(std::ldexp(M_PI_2, power)));
  for (int turns = 1; turns < 600; ++turns)
    points.push_back(static_cast<float>(turns * M_PI_2 * (turns % 2 ? 1 : 257)));
  std::vector<float> numbers;
  for (float point : points)
    for (int32_t beside = -16; beside <= 16; ++beside)
      for (uint32_t sign : {0u, 0x80000000u})
        numbers.push_back(std::bit_cast<float>((std::bit_cast<uint32_t>(point) + beside) ^ sign));
  numbers.resize(numbers.size() / tileWidth * tileWidth + tileWidth);
  return numbers;
}

/// `count` of them, or the last one again. Those of the last call are kept for the next CPU.
const std::vector<float> &floatsFrom(uint64_t first, uint64_t stride, size_t count) {
  static std::vector<float> numbers;
  static std::optional<std::array<uint64_t, 3>> known;
  std::array<uint64_t, 3> asked = {first, stride, count};
  if (known == asked)
    return numbers;
  known = asked;
  numbers.resize(count);
  for (size_t i = 0; i < count; ++i)
    numbers[i] =
        std::bit_cast<float>(static_cast<uint32_t>(std::min(first + i * stride, allFloats - 1)));
  return numbers;
}

void expectFloatPromise(const target::CpuTarget &cpu, const PromisedFunction &function) {
  const char *chosen = std::getenv("NEREID_TEST_FLOAT_STRIDE");
  uint64_t stride = chosen ? std::strtoull(chosen, nullptr, 10) : 4099;
  size_t batch = size_t(1) << (stride < 100 ? 22 : 20); // each is compiled for anew
  Seen seen;
  static const std::vector<float> special = turningPoints();
  expectFloats(cpu, function, special, seen);
  for (uint64_t first = 0; first < allFloats && !testing::Test::HasFatalFailure();
       first += batch * stride)
    expectFloats(cpu, function, floatsFrom(first, stride, batch), seen);
  testing::Test::RecordProperty(function.name, std::to_string(seen.worst));
  if (chosen)
    std::printf("%s: %.3Lf steps at most\n", function.name, seen.worst);
}

/// Of any pattern, of everyday size, and of such whose exponentials leave the type.
double numberOf(std::mt19937_64 &random) {
  auto upTo = [&](double most) {
    return std::uniform_real_distribution<double>(-most, most)(random);
  };
  switch (random() % 4) {
  case 0:
    return std::bit_cast<double>(random());
  case 1:
    return std::ldexp(upTo(1), static_cast<int>(random() % 64) - 48);
  case 2:
    return upTo(7);
  default:
    return upTo(1100);
  }
}

/// Those of the last call are kept for the next function.
const std::vector<double> &doublesOf(uint64_t round) {
  static std::vector<double> numbers;
  static std::optional<uint64_t> known;
  if (known == round)
    return numbers;
  known = round;
  std::mt19937_64 random(round);
  numbers = {0.0, -0.0, 1, -1, INFINITY, -INFINITY, NAN, 0x1p-1022, 0x1p-1074, -0x1p-1074};
  while (numbers.size() < size_t(1) << 17)
    numbers.push_back(numberOf(random));
  return numbers;
}

void expectDoublePromise(const target::CpuTarget &cpu, const PromisedFunction &function) {
  const char *chosen = std::getenv("NEREID_TEST_DOUBLE_ROUNDS");
  uint64_t rounds = chosen ? std::strtoull(chosen, nullptr, 10) : 1;
  Seen seen;
  for (uint64_t round = 0; round < rounds; ++round) {
    const std::vector<double> &numbers = doublesOf(round);
    const std::vector<long double> &expected = expectedOf(function.reference64, numbers);
    // Where libmvec is faster there is code in line for machines that lack it.
    for (unsigned libmvec : {cpu.libmvec, 0u}) {
      target::CpuTarget machine = cpu;
      machine.libmvec = libmvec;
      seen.expect(formats[3], function, function.promise64, numbers,
                  resultsOf(machine, function, numbers), expected);
      if (testing::Test::HasFatalFailure())
        return;
    }
  }
  testing::Test::RecordProperty(function.name, std::to_string(seen.worst));
  if (chosen)
    std::printf("%s: %.3Lf steps at most\n", function.name, seen.worst);
}

class FloatFunction : public testing::TestWithParam<std::tuple<PromisedFunction, const char *>> {
protected:
  void runWith(void (*expectPromise)(const target::CpuTarget &, const PromisedFunction &)) {
    auto [function, name] = GetParam();
    if (function.arity != 1)
      GTEST_SKIP() << "MathTest tries functions of two numbers";
    target::CpuTarget cpu = *target::findCpu(name);
    if (auto missing = target::missingOnHost(cpu.features); !missing.empty())
      GTEST_SKIP() << "this machine lacks " << llvm::join(missing, ", ");
    expectPromise(cpu, function);
  }
};

TEST_P(FloatFunction, of_float32_keeps_its_promise) { runWith(expectFloatPromise); }
TEST_P(FloatFunction, of_float64_keeps_its_promise) { runWith(expectDoublePromise); }

// Without multiply-adds, with them, and with scaling by powers of two: one function after the
// other, so that the next CPU's test finds what this one's compared with.
INSTANTIATE_TEST_SUITE_P(Cpus, FloatFunction,
                         testing::Combine(testing::ValuesIn(promisedFunctions),
                                          testing::Values("x86-64", "haswell", "skylake-avx512")),
                         [](const auto &info) {
                           std::string name = std::string(std::get<0>(info.param).name) + "_" +
                                              std::get<1>(info.param);
                           llvm::replace(name, '-', '_');
                           return name;
                         });

} // namespace
