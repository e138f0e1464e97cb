// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelRun.h"
#include "interpret/operations/Exponential.h"

#include <cmath>
#include <gtest/gtest.h>

namespace nereid::interpret {

using Floats = std::vector<float>;

static Floats floats(const std::string &op, Floats a, Floats b) {
  return evaluate<float>("%r = " + op + " %a, %b : $T", "f32", Operand<float>{"f32", a},
                         Operand<float>{"f32", b});
}

static Floats unary(const std::string &op, Floats a) {
  return evaluate<float>("%r = " + op + " %a : $T", "f32", Operand<float>{"f32", a});
}

/// Equal as numbers with the signs of zeros, all NaN alike.
static void expectSame(const Floats &actual, const Floats &expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    if (std::isnan(expected[i]))
      EXPECT_TRUE(std::isnan(actual[i])) << i;
    else
      EXPECT_EQ(std::bit_cast<uint32_t>(actual[i]), std::bit_cast<uint32_t>(expected[i]))
          << i << ": " << actual[i] << " instead of " << expected[i];
  }
}

TEST(Float, RoundsSinglePrecisionAfterEachOperation) {
  expectSame(floats("arith.addf", {16777216, 0.1f, INFINITY}, {1, 0.2f, -INFINITY}),
             {16777216, 0.1f + 0.2f, NAN});
  expectSame(floats("arith.subf", {1, -0.0f}, {1, 0}), {0, -0.0f});
  expectSame(floats("arith.mulf", {1e30f, -0.0f, 3}, {1e30f, 2, 7}), {INFINITY, -0.0f, 21});
  expectSame(floats("arith.divf", {1, -1, 0, 1}, {0, 0, 0, 3}),
             {INFINITY, -INFINITY, NAN, 1.0f / 3});
  expectSame(floats("arith.remf", {5.5f, -5.5f, 1}, {2, 2, 0}), {1.5f, -1.5f, NAN});
  float x = 1 + 0x1p-12f; // its square needs more bits than a float has
  auto separate =
      evaluate<float>("%p = arith.mulf %a, %a : $T\n%r = arith.subf %p, %b : $T", "f32",
                      Operand<float>{"f32", {x}}, Operand<float>{"f32", {1 + 0x1p-11f}});
  expectSame(separate, {0});
  auto fused = evaluate<float>("%n = arith.negf %b : $T\n%r = math.fma %a, %a, %n : $T", "f32",
                               Operand<float>{"f32", {x}}, Operand<float>{"f32", {1 + 0x1p-11f}});
  expectSame(fused, {0x1p-24f});
}

// The sum lies 2^-31 below the middle of two numbers of float16: as float32 it is that middle.
TEST(Float, HalvesAreFusedWithOneRounding) {
  auto fused = evaluate<uint16_t>(
      "%c = arith.constant dense<0x3C01> : $T\n%r = math.fma %a, %b, %c : $T", "f16",
      Operand<uint16_t>{"f16", {0x1001}}, Operand<uint16_t>{"f16", {0x3BFE}});
  EXPECT_EQ(fused.front(), 0x3C01);
}

TEST(Float, MinimumAndMaximumTreatNaNAsTheyPromise) {
  Floats a{1, NAN, 2, NAN, -0.0f, 0}, b{2, 3, NAN, NAN, 0, -0.0f};
  expectSame(floats("arith.minnumf", a, b), {1, 3, 2, NAN, -0.0f, -0.0f});
  expectSame(floats("arith.maxnumf", a, b), {2, 3, 2, NAN, 0, 0});
  expectSame(floats("arith.minimumf", a, b), {1, NAN, NAN, NAN, -0.0f, -0.0f});
  expectSame(floats("arith.maximumf", a, b), {2, NAN, NAN, NAN, 0, 0});
}

TEST(Float, ComparesOrderedAndUnordered) {
  const std::vector<std::pair<std::string, std::vector<uint8_t>>> predicates = {
      {"false", {0, 0, 0, 0}}, {"true", {1, 1, 1, 1}}, {"ord", {1, 1, 1, 0}},
      {"uno", {0, 0, 0, 1}},   {"oeq", {0, 1, 0, 0}},  {"ueq", {0, 1, 0, 1}},
      {"one", {1, 0, 1, 0}},   {"une", {1, 0, 1, 1}},  {"olt", {1, 0, 0, 0}},
      {"ult", {1, 0, 0, 1}},   {"ole", {1, 1, 0, 0}},  {"ule", {1, 1, 0, 1}},
      {"ogt", {0, 0, 1, 0}},   {"ugt", {0, 0, 1, 1}},  {"oge", {0, 1, 1, 0}},
      {"uge", {0, 1, 1, 1}}};
  for (auto &[predicate, expected] : predicates)
    EXPECT_EQ(evaluate<uint8_t>("%r = arith.cmpf " + predicate + ", %a, %b : $T", "i1",
                                Operand<float>{"f32", {1, 2, 3, NAN}},
                                Operand<float>{"f32", {2, 2, 2, 2}}),
              expected)
        << predicate;
}

TEST(Float, RoundsHalfAfterEachOperation) {
  uint16_t large = Half::round(2048), one = Half::round(1), three = Half::round(3);
  auto halves = [](const std::string &op, std::vector<uint16_t> a, std::vector<uint16_t> b) {
    return evaluate<uint16_t>("%r = " + op + " %a, %b : $T", "f16", Operand<uint16_t>{"f16", a},
                              Operand<uint16_t>{"f16", b});
  };
  EXPECT_EQ(halves("arith.addf", {large, large}, {one, three}),
            (std::vector<uint16_t>{large, Half::round(2052)})); // ties go to even
  EXPECT_EQ(halves("arith.mulf", {Half::round(300)}, {Half::round(300)}),
            std::vector<uint16_t>{uint16_t(Half::format.firstSpecial())});
  EXPECT_EQ(halves("arith.divf", {one}, {three}), std::vector<uint16_t>{Half::round(1.0f / 3)});
  auto bfloats = evaluate<uint16_t>("%r = arith.addf %a, %b : $T", "bf16",
                                    Operand<uint16_t>{"bf16", {BFloat::round(256)}},
                                    Operand<uint16_t>{"bf16", {BFloat::round(1)}});
  EXPECT_EQ(bfloats, std::vector<uint16_t>{BFloat::round(256)});
}

TEST(Float, MathIsTheNearestValue) {
  Floats x{0.5f, 1.25f, 0.1f};
  const std::vector<std::pair<std::string, double (*)(double)>> functions = {
      {"exp", std::exp},
      {"exp2", std::exp2},
      {"log", std::log},
      {"log2", std::log2},
      {"sin", std::sin},
      {"cos", std::cos},
      {"erf", std::erf},
      {"tan", std::tan},
      {"asin", std::asin},
      {"acos", std::acos},
      {"atan", std::atan},
      {"sinh", std::sinh},
      {"cosh", std::cosh},
      {"tanh", std::tanh},
      {"asinh", std::asinh},
      {"atanh", std::atanh},
      {"erfc", std::erfc},
      {"expm1", std::expm1},
      {"log10", std::log10},
      {"log1p", std::log1p},
      {"cbrt", std::cbrt},
      {"sqrt", std::sqrt},
      {"rsqrt", [](double x) { return 1 / std::sqrt(x); }}};
  for (auto &[name, function] : functions) {
    Floats expected;
    for (float value : x)
      expected.push_back(float(function(value)));
    SCOPED_TRACE(name);
    expectSame(unary("math." + name, x), expected);
  }
  expectSame(unary("math.log", {0, -1}), {-INFINITY, NAN});
  expectSame(unary("math.acosh", {1, 0.5f, 2}), {0, NAN, float(std::acosh(2.0))});
  expectSame(floats("math.powf", {2, -8, 0}, {10, 3, -1}), {1024, -512, INFINITY});
  expectSame(floats("math.atan2", {0, -0.0f, 1}, {1, 1, -1}), {0, -0.0f, float(std::atan2(1, -1))});
  expectSame(unary("math.rsqrt", {0, 4}), {INFINITY, 0.5f});
}

TEST(Float, RoundsToWholeNumbers) {
  Floats x{2.5f, -2.5f, 3.5f, -0.25f};
  expectSame(unary("math.floor", x), {2, -3, 3, -1});
  expectSame(unary("math.ceil", x), {3, -2, 4, -0.0f});
  expectSame(unary("math.trunc", x), {2, -2, 3, -0.0f});
  expectSame(unary("math.round", x), {3, -3, 4, -0.0f});
  expectSame(unary("math.roundeven", x), {2, -2, 4, -0.0f});
  expectSame(unary("math.absf", x), {2.5f, 2.5f, 3.5f, 0.25f});
  expectSame(floats("math.copysign", {1, -2, 3, 0}, x), {1, -2, 3, -0.0f});
  expectSame(unary("arith.negf", {0, NAN, -1}), {-0.0f, NAN, 1});
}

/// Of every 997th float, with vectors of every length: what the library's double function gives,
/// rounded.
TEST(Float, ExponentialsOfFloats) {
  std::vector<float> x;
  for (uint64_t bits = 0; bits < uint64_t(1) << 32; bits += 997)
    x.push_back(std::bit_cast<float>(uint32_t(bits)));
  std::vector<float> result(x.size());
  size_t length = 1;
  for (size_t at = 0; at < x.size(); at += length, length = length % 70 + 1)
    exponentials(&x[at], &result[at], int64_t(std::min(length, x.size() - at)));
  for (size_t i = 0; i < x.size(); ++i) {
    auto expected = float(std::exp(double(x[i])));
    ASSERT_TRUE(result[i] == expected || (std::isnan(x[i]) && std::isnan(result[i])))
        << x[i] << ": " << result[i] << ", not " << expected;
  }
}

} // namespace nereid::interpret
