// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of the math dialect on both executors, each within what math_functions.def promises of
// the value that long double gives.
#include "support/FloatSteps.h"
#include "support/TileProgram.h"

#include "llvm/Support/FormatVariadic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <vector>

using namespace nereid;
using namespace nereid::test;

namespace {

constexpr int lanes = 256;
/// What double and long double may be off themselves, in steps of float32.
constexpr long double slack = 0x1p-20L;

struct MathFunction {
  const char *operation;
  size_t arity;
  long double (*reference)(long double, long double);
  /// Steps of float32 and float64 that the CPU's result may be off if it is computed there, and the
  /// interpreter's of float64.
  long double cpu32, cpu64, interpreter;

  long double allowed(const Format &format, Executor executor) const {
    bool isCpu = executor == Executor::Cpu;
    if (!isCpu && format.digits < 53) // computed in double, rounded once
      return 0.5L + slack;
    long double own = !isCpu ? interpreter : format.digits < 53 ? cpu32 : cpu64;
    return format.isNative() ? own + slack : 0.5L + std::ldexp(own, format.digits - 24) + slack;
  }
};

/// What the C library's scalar mathFunctions may be off.
constexpr long double scalarSteps(std::string_view name) {
  return name == "cbrt" || name == "erfc" ? 4 : 2;
}

const std::vector<MathFunction> &mathFunctions() {
  static const std::vector<MathFunction> all = {
#define MATH_FUNCTION(operation, name, arity, promise32, promise64)                                \
  {#operation, arity,     referenceOf<arity>([](auto... x) { return std::name(x...); }),                                   \
   promise32,  promise64, scalarSteps(#name)},
#include "backend/llvm/math_functions.def"
      {"SqrtOp", 1, [](long double x, long double) { return std::sqrt(x); }, 0.5L, 0.5L, 0.5L},
      {"RsqrtOp", 1, [](long double x, long double) { return 1 / std::sqrt(x); }, 1.5L, 1.5L, 1.5L},
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

/// All mathFunctions of the elements of %x, and of %x and %y, `count` results after `count`
/// results.
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
  for (size_t f = 0; f < mathFunctions().size(); ++f) {
    const MathFunction &function = mathFunctions()[f];
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

/// What a function is of pairs of numbers, asked for by both executors one after the other: most of
/// the time of a test is the C library's in long double.
const std::vector<long double> &expectedOf(const Format &format, size_t function,
                                           const std::vector<long double> &x,
                                           const std::vector<long double> &y) {
  static std::map<std::pair<std::string_view, size_t>, std::vector<long double>> known;
  std::vector<long double> &expected = known[{format.name, function}];
  for (size_t i = expected.size(); i < x.size(); ++i)
    expected.push_back(mathFunctions()[function].reference(x[i], y[i]));
  return expected;
}

template <typename Bits> void expectPromises(const Format &format, Executor executor) {
  std::vector<Bits> x = numbersOf<Bits>(1), y = numbersOf<Bits>(2);
  auto count = static_cast<int64_t>(x.size());
  auto results =
      runTile(kernelOf(format, count),
              {TestArgument::array(x), TestArgument::array(y),
               TestArgument::array(std::vector<Bits>(x.size() * mathFunctions().size()))},
              {static_cast<uint32_t>(count / lanes), 1, 1}, executor)[2]
          .template as<Bits>();
  std::vector<long double> a = format.values<Bits>(x), b = format.values<Bits>(y);
  for (size_t f = 0; f < mathFunctions().size(); ++f) {
    const MathFunction &function = mathFunctions()[f];
    std::vector<long double> actual =
        format.values(std::span<const Bits>(results).subspan(f * x.size(), x.size()));
    const std::vector<long double> &expected = expectedOf(format, f, a, b);
    long double worst = 0;
    size_t wrong = format.firstWrong(actual, expected, function.allowed(format, executor), worst);
    ASSERT_EQ(wrong, x.size()) << function.operation << " of " << a[wrong] << ", " << b[wrong]
                               << " is " << actual[wrong] << ", not " << expected[wrong];
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
