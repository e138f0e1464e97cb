// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of the math dialect on both executors, each within what is promised of it
// (docs/decisions/0006-libmvec.md) of the value that long double gives.
#include "support/TileProgram.h"

#include "llvm/Support/FormatVariadic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <tuple>
#include <vector>

using namespace nereid;
using namespace nereid::test;

namespace {

constexpr int lanes = 256;
/// What double and long double may be off themselves, in steps of float32.
constexpr long double slack = 0x1p-20L;

/// A floating-point format, read and measured here by its definition alone.
struct Format {
  const char *name;
  int bits, digits, largestExponent;

  int smallestExponent() const { return 1 - largestExponent; }
  bool isNative() const { return digits >= 24; }

  long double value(uint64_t pattern) const {
    int fractionBits = digits - 1, exponentBits = bits - digits;
    auto fraction = static_cast<long double>(pattern & ((uint64_t(1) << fractionBits) - 1));
    int exponent = static_cast<int>(pattern >> fractionBits & ((1 << exponentBits) - 1));
    bool isNegative = pattern >> (bits - 1) & 1;
    long double size = exponent == 0 ? std::ldexp(fraction, smallestExponent() - fractionBits)
                                     : std::ldexp(fraction + std::ldexp(1.0L, fractionBits),
                                                  exponent - largestExponent - fractionBits);
    if (exponent == (1 << exponentBits) - 1)
      size = fraction == 0 ? INFINITY : NAN;
    return isNegative ? -size : size;
  }

  /// How many steps of the format lie between the two; what overflows is one step above the rest.
  long double steps(long double actual, long double expected) const {
    long double limit = std::ldexp(1.0L, largestExponent + 1);
    for (long double *number : {&actual, &expected})
      if (std::fabs(*number) > limit)
        *number = std::copysign(limit, *number);
    int exponent =
        expected == 0 ? smallestExponent() : std::max(std::ilogb(expected), smallestExponent());
    exponent = std::min(exponent, largestExponent);
    return std::fabs(actual - expected) / std::ldexp(1.0L, exponent - digits + 1);
  }
};

/// What gtest calls it where a test fails.
void PrintTo(const Format &format, std::ostream *out) { *out << format.name; }

constexpr Format formats[] = {
    {"f16", 16, 11, 15}, {"bf16", 16, 8, 127}, {"f32", 32, 24, 127}, {"f64", 64, 53, 1023}};

struct Function {
  const char *operation;
  size_t arity;
  long double (*reference)(long double, long double);
  /// Steps of the type it is computed in that the CPU's result may be off, and the interpreter's
  /// of float64.
  long double cpu, interpreter;

  long double allowed(const Format &format, Executor executor) const {
    bool isCpu = executor == Executor::Cpu;
    if (!isCpu && format.digits < 53) // computed in double, rounded once
      return 0.5L + slack;
    long double own = isCpu ? cpu : interpreter;
    return format.isNative() ? own + slack : 0.5L + std::ldexp(own, format.digits - 24) + slack;
  }
};

template <size_t arity, typename Call> constexpr auto referenceOf(Call) {
  return [](long double x, long double y) {
    if constexpr (arity == 1)
      return static_cast<long double>(Call()(x));
    else
      return static_cast<long double>(Call()(x, y));
  };
}

/// What the C library's scalar functions may be off.
constexpr long double scalarSteps(std::string_view name) {
  return name == "cbrt" || name == "erfc" ? 4 : 2;
}

const std::vector<Function> &functions() {
  // libmvec promises 4 steps.
  static const std::vector<Function> all = {
#define MATH_FUNCTION(operation, name, arity)                                                      \
  {#operation, arity, referenceOf<arity>([](auto... x) { return std::name(x...); }), 4,            \
   scalarSteps(#name)},
#include "backend/llvm/math_functions.def"
      {"SqrtOp", 1, [](long double x, long double) { return std::sqrt(x); }, 0.5L, 0.5L},
      {"RsqrtOp", 1, [](long double x, long double) { return 1 / std::sqrt(x); }, 1.5L, 1.5L},
  };
  return all;
}

/// "math.exp2" of "Exp2Op".
std::string mnemonicOf(std::string operation) {
  operation.resize(operation.size() - 2);
  for (char &letter : operation)
    letter = static_cast<char>(std::tolower(letter));
  return "math." + operation;
}

/// Lines that make %NAME, pointers to the program's part of the array %BASE of $T.
std::string placeLines(const std::string &name, const std::string &base) {
  return llvm::formatv(R"(
  %{0}_base = tile.offset %{1}, %start : !tile.ptr<$T>, i32
  %{0}_all = tile.splat %{0}_base : !tile.ptr<$T> -> tensor<$Nx!tile.ptr<$T>>
  %{0} = tile.offset %{0}_all, %i : tensor<$Nx!tile.ptr<$T>>, tensor<$Nxi32>)",
                       name, base);
}

/// All functions of the elements of %x, and of %x and %y, `count` results after `count` results.
std::string kernelOf(const Format &format, int64_t count) {
  std::string text = R"(
func.func @k(%x: !tile.ptr<$T>, %y: !tile.ptr<$T>, %out: !tile.ptr<$T>)
    attributes {tile.kernel, tile.noalias} {
  %pid = tile.program_id 0
  %n = arith.constant $N : i32
  %start = arith.muli %pid, %n : i32
  %i = tile.range 0 to $N : tensor<$Nxi32>)" +
                     placeLines("px", "x") + placeLines("py", "y") + R"(
  %vx = tile.load %px : tensor<$Nx!tile.ptr<$T>>
  %vy = tile.load %py : tensor<$Nx!tile.ptr<$T>>)";
  for (size_t f = 0; f < functions().size(); ++f) {
    const Function &function = functions()[f];
    text += llvm::formatv(R"(
  %r{0} = {1} %vx{2} : tensor<$Nx$T>
  %c{0} = arith.constant {3} : i32
  %o{0} = tile.offset %out, %c{0} : !tile.ptr<$T>, i32)",
                          f, mnemonicOf(function.operation), function.arity == 2 ? ", %vy" : "",
                          static_cast<int64_t>(f) * count)
                .str() +
            placeLines("p" + std::to_string(f), "o" + std::to_string(f));
    text += llvm::formatv("\n  tile.store %p{0}, %r{0} : tensor<$Nx!tile.ptr<$T>>", f);
  }
  text += "\n  return\n}\n";
  for (auto [key, value] :
       {std::pair("$T", std::string(format.name)), {"$N", std::to_string(lanes)}})
    for (size_t at; (at = text.find(key)) != std::string::npos;)
      text.replace(at, 2, value);
  return text;
}

/// Every number of 16 bits, in an order that depends on the seed.
template <typename Bits>
  requires(sizeof(Bits) == 2)
std::vector<Bits> numbersOf(unsigned seed) {
  std::vector<Bits> all;
  for (uint32_t pattern = 0; pattern < 0x10000; ++pattern)
    all.push_back(static_cast<Bits>(pattern));
  std::shuffle(all.begin(), all.end(), std::mt19937_64(seed));
  return all;
}

/// Patterns of bits, numbers of everyday size, and such whose exponentials leave the type.
template <typename Bits> std::vector<Bits> numbersOf(unsigned seed) {
  using Number = std::conditional_t<sizeof(Bits) == 4, float, double>;
  std::vector<Bits> all;
  for (double special : {0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 1e-40, 1e-310})
    all.push_back(std::bit_cast<Bits>(static_cast<Number>(special)));
  for (Number special :
       {std::numeric_limits<Number>::infinity(), -std::numeric_limits<Number>::infinity(),
        std::numeric_limits<Number>::quiet_NaN()})
    all.push_back(std::bit_cast<Bits>(special));
  std::mt19937_64 random(seed);
  auto between = [&](double low, double high) {
    return std::bit_cast<Bits>(
        static_cast<Number>(std::uniform_real_distribution<double>(low, high)(random)));
  };
  while (all.size() < 32 * lanes)
    all.push_back(all.size() % 3 == 0   ? static_cast<Bits>(random())
                  : all.size() % 3 == 1 ? between(-20, 20)
                                        : between(-800, 800));
  std::shuffle(all.begin(), all.end(), random);
  return all;
}

template <typename Bits> void expectPromises(const Format &format, Executor executor) {
  std::vector<Bits> x = numbersOf<Bits>(1), y = numbersOf<Bits>(2);
  auto count = static_cast<int64_t>(x.size());
  auto results = runTile(kernelOf(format, count),
                         {TestArgument::array(x), TestArgument::array(y),
                          TestArgument::array(std::vector<Bits>(x.size() * functions().size()))},
                         {static_cast<uint32_t>(count / lanes), 1, 1}, executor)[2]
                     .template as<Bits>();
  for (size_t f = 0; f < functions().size(); ++f) {
    const Function &function = functions()[f];
    long double worst = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      long double a = format.value(x[i]), b = format.value(y[i]);
      long double expected = function.reference(a, b);
      long double actual = format.value(results[f * x.size() + i]);
      ASSERT_EQ(std::isnan(actual), std::isnan(expected))
          << function.operation << " of " << a << ", " << b << " is " << actual;
      if (!std::isnan(expected))
        worst = std::max(worst, format.steps(actual, expected));
      ASSERT_LE(worst, function.allowed(format, executor))
          << function.operation << " of " << a << ", " << b << " is " << actual << ", not "
          << expected;
    }
    testing::Test::RecordProperty(function.operation, std::to_string(worst));
  }
}

class MathTest : public testing::TestWithParam<std::tuple<Format, Executor>> {};

TEST_P(MathTest, IsWithinItsPromise) {
  auto [format, executor] = GetParam();
  if (format.bits == 16)
    expectPromises<uint16_t>(format, executor);
  else if (format.bits == 32)
    expectPromises<uint32_t>(format, executor);
  else
    expectPromises<uint64_t>(format, executor);
}

std::string nameOf(const testing::TestParamInfo<std::tuple<Format, Executor>> &info) {
  const auto &[format, executor] = info.param;
  return std::string(format.name) + (executor == Executor::Cpu ? "_cpu" : "_interpreter");
}

INSTANTIATE_TEST_SUITE_P(Types, MathTest,
                         testing::Combine(testing::ValuesIn(formats),
                                          testing::Values(Executor::Interpreter, Executor::Cpu)),
                         nameOf);

} // namespace
