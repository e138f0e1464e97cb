// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules of Triton's language about what arithmetic gives that are easy to get wrong, a test for
// each, on every executor.
#include "MeaningTest.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

using namespace nereid;

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

class ValueRulesTest : public nereid::test::MeaningTest {
protected:
  /// What `expression` gives for each pair of x and y, of these types.
  std::vector<double> each(const std::string &expression, DType type, const std::vector<double> &x,
                           const std::vector<double> &y, DType result) {
    auto count = static_cast<int64_t>(x.size());
    Array out = device.zeros(result, {count});
    run("def k(x_ptr, y_ptr, o, N: tl.constexpr):\n"
        "    i = tl.arange(0, N)\n"
        "    x, y = tl.load(x_ptr + i), tl.load(y_ptr + i)\n"
        "    tl.store(o + i, " +
            expression + ")\n",
        {{"x_ptr", device.arrayFromDoubles(type, x, {count})},
         {"y_ptr", device.arrayFromDoubles(type, y, {count})},
         {"o", out},
         {"N", count}});
    return out.toDoubles();
  }
};
NEREID_ON_ALL_DEVICES(ValueRulesTest);

TEST_P(ValueRulesTest, Division) {
  EXPECT_EQ(each("x / y", DType::Int32, {7, -7, 1}, {2, 2, 4}, DType::Float32),
            (std::vector<double>{3.5, -3.5, 0.25}));
  // Of halves, the quotient is a float32, and not one that was a half in between.
  double third = each("x / y", DType::Float16, {1}, {3}, DType::Float32)[0];
  EXPECT_NEAR(third, 1.0 / 3, 1e-7);
  double rounded = each("tl.div_rn(x, y)", DType::Float32, {1}, {3}, DType::Float32)[0];
  EXPECT_EQ(rounded, static_cast<double>(1.0F / 3.0F));
  EXPECT_EQ(each("tl.fdiv(x, y, ieee_rounding=True)", DType::Float32, {2}, {3}, DType::Float32)[0],
            static_cast<double>(2.0F / 3.0F));
}

TEST_P(ValueRulesTest, StepsOfLoopsAreThoseOfPython) {
  constexpr int least = -2147483647 - 1; // whose size is no int32
  // Known only at run time: upwards, downwards, past the end, to where nothing is.
  struct {
    int first, last, step;
    std::vector<int32_t> rounds;
  } cases[] = {{0, 7, 3, {0, 3, 6}},
               {7, 0, -3, {7, 4, 1}},
               {7, 1, -3, {7, 4}},
               {0, 7, -1, {}},
               {7, 0, 2, {}},
               {-2, -9, -4, {-2, -6}},
               {5, 4, -100, {5}},
               {5, -9, least, {5}},
               {0, 9, least, {}},
               {-1, least, least, {-1}},
               {2147483647, 2147483640, -5, {2147483647, 2147483642}},
               {-2147483647, 2147483647, 2147483646, {-2147483647, -1, 2147483645}}};
  for (const auto &[first, last, step, rounds] : cases)
    for (bool leaves : {false, true}) {
      Array out = device.zeros(DType::Int32, {8}), count = device.zeros(DType::Int32, {2});
      run("def k(o, c, first, last, step, LEAVES: tl.constexpr):\n"
          "    n = 0\n"
          "    i = 99\n"
          "    for i in range(first, last, step):\n"
          "        tl.store(o + n, i)\n"
          "        n += 1\n"
          "        if LEAVES:\n"
          "            if n == 100:\n"
          "                break\n"
          "    tl.store(c, n)\n"
          "    tl.store(c + 1, i)\n",
          {{"o", out},
           {"c", count},
           {"first", first},
           {"last", last},
           {"step", step},
           {"LEAVES", leaves}});
      std::vector<int32_t> wanted = rounds;
      int32_t lastRound = rounds.empty() ? 99 : rounds.back();
      wanted.resize(8);
      EXPECT_EQ(out.toVector<int32_t>(), wanted) << first << " " << last << " " << step;
      EXPECT_EQ(count.toVector<int32_t>(),
                (std::vector<int32_t>{static_cast<int32_t>(rounds.size()), lastRound}));
    }
}

TEST_P(ValueRulesTest, TheLeastConstantStep) {
  Array out = device.zeros(DType::Int32, {8});
  run("def k(o, first, last):\n"
      "    n = 0\n"
      "    for i in range(first, last, -2147483648):\n"
      "        tl.store(o + n, i)\n"
      "        n += 1\n"
      "    for i in range(2147483647, -2147483648, -2147483648):\n"
      "        tl.store(o + n, i)\n"
      "        n += 1\n"
      "    for i in range(first, last, -9223372036854775808):\n"
      "        tl.store(o + n, i)\n"
      "        n += 1\n"
      "    tl.store(o + 7, n)\n",
      {{"o", out}, {"first", 5}, {"last", -9}});
  EXPECT_EQ(out.toVector<int32_t>(), (std::vector<int32_t>{5, 2147483647, -1, 5, 0, 0, 0, 4}));
}

TEST_P(ValueRulesTest, FloorDivisionAndRemainder) {
  // Tiles and scalars truncate as C does; constants are Python's.
  std::vector<double> x = {7, -7, 7, -7}, y = {2, 2, -2, -2};
  EXPECT_EQ(each("x // y", DType::Int32, x, y, DType::Int32), (std::vector<double>{3, -3, -3, 3}));
  EXPECT_EQ(each("x % y", DType::Int32, x, y, DType::Int32), (std::vector<double>{1, -1, 1, -1}));
  EXPECT_EQ(each("x % y", DType::Float32, {7.5, -7.5}, {2, 2}, DType::Float32),
            (std::vector<double>{1.5, -1.5}));
  Array out = device.zeros(DType::Int32, {4});
  run(R"(
def k(o, n, C: tl.constexpr):
    tl.store(o, n // 2)
    tl.store(o + 1, C // 2)
    tl.store(o + 2, n % 2)
    tl.store(o + 3, C % 2)
)",
      {{"o", out}, {"n", -7}, {"C", -7}});
  EXPECT_EQ(out.toVector<int32_t>(), (std::vector<int32_t>{-3, -4, -1, 1}));
}

TEST_P(ValueRulesTest, FloorDivisionOnRequest) {
  Array out = device.zeros(DType::Int32, {8, 4});
  Module module = Module::fromText(R"(
import triton
import triton.language as tl

@triton.jit
def truncated(x, y):
    return x // y

@triton.jit(floor_division=True)
def floored(x, y, o, n):
    i, j = tl.arange(0, 8), tl.arange(0, 4)
    x, y = (i * 3 - 11)[:, None], (j * 2 - 3)[None, :]
    at = o + i[:, None] * 4 + j[None, :]
    tl.store(at, x // y * 10000 + x % y * 100 + truncated(x, y))
    u = i.to(tl.uint32)
    tl.device_assert(u // 3 * 3 + u % 3 == u)
    tl.device_assert(n // 2 == -4)
)");
  module.kernel("floored").launch(device, {}, {{"x", 0}, {"y", 0}, {"o", out}, {"n", -7}});
  std::vector<int32_t> given = out.toVector<int32_t>();
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 4; ++j) {
      int x = i * 3 - 11, y = j * 2 - 3;
      int quotient = static_cast<int>(std::floor(static_cast<double>(x) / y));
      EXPECT_EQ(given[static_cast<size_t>(i * 4 + j)],
                quotient * 10000 + (x - quotient * y) * 100 + x / y)
          << x << ", " << y;
    }
}

TEST_P(ValueRulesTest, Cdiv) {
  // (x + (y - 1)) // y, which truncates: one too much for negative multiples and their like.
  EXPECT_EQ(each("tl.cdiv(x, y)", DType::Int32, {7, 8, 9, 0, -7, -8, -1}, {4, 4, 4, 4, 4, 4, 4},
                 DType::Int32),
            (std::vector<double>{2, 2, 3, 0, -1, -1, 0}));
}

TEST_P(ValueRulesTest, Shifts) {
  EXPECT_EQ(each("x >> y", DType::Int32, {-8, 8, -1}, {1, 2, 31}, DType::Int32),
            (std::vector<double>{-4, 2, -1}));
  EXPECT_EQ(each("x >> y", DType::UInt32, {4294967288.0, 8}, {1, 2}, DType::UInt32),
            (std::vector<double>{2147483644.0, 2}));
  EXPECT_EQ(each("x << y", DType::Int8, {3, -1}, {6, 7}, DType::Int8),
            (std::vector<double>{-64, -128}));
}

TEST_P(ValueRulesTest, Comparisons) {
  std::vector<double> x = {nan, 1, nan, 2}, y = {1, nan, nan, 2};
  auto compared = [&](const std::string &op) {
    return each("x " + op + " y", DType::Float32, x, y, DType::Int8);
  };
  EXPECT_EQ(compared("=="), (std::vector<double>{0, 0, 0, 1}));
  EXPECT_EQ(compared("!="), (std::vector<double>{1, 1, 1, 0}));
  EXPECT_EQ(compared("<="), (std::vector<double>{0, 0, 0, 1}));
  EXPECT_EQ(compared(">"), (std::vector<double>{0, 0, 0, 0}));
  // A literal is a tensor first, so that both sides are promoted.
  EXPECT_EQ(each("x == 0.1", DType::Float16, {0.1}, {0}, DType::Int8), std::vector<double>{0});
  EXPECT_EQ(each("x < 300", DType::Int8, {127}, {0}, DType::Int8), std::vector<double>{1});
  EXPECT_EQ(each("x > -1", DType::Int8, {-1}, {0}, DType::Int8), std::vector<double>{0});
}

TEST_P(ValueRulesTest, ConstexprOfARunTimeValueStaysOne) {
  Array x = device.arrayFromDoubles(DType::Int32, std::vector<double>{1, 2, 3, 4}, {4});
  Array out = device.zeros(DType::Int32, {4});
  run(R"(
def k(x, o, n):
    i = tl.arange(0, 4)
    bound, loaded = tl.constexpr(n), tl.constexpr(tl.load(x + i))
    mask = tl.constexpr(i < bound)
    tl.store(o + i, loaded * bound + tl.constexpr(2), mask=mask)
)",
      {{"x", x}, {"o", out}, {"n", 3}});
  EXPECT_EQ(out.toVector<int32_t>(), (std::vector<int32_t>{5, 8, 11, 0}));
  EXPECT_THROW(run("def k(x, o):\n    tl.store(o + tl.arange(0, tl.constexpr(tl.load(x))), 1)\n",
                   {{"x", x}, {"o", out}}),
               Error);
}

TEST_P(ValueRulesTest, UnaryMinus) {
  std::vector<double> zero = each("-x", DType::Float32, {0, -0.0}, {0, 0}, DType::Float32);
  EXPECT_TRUE(std::signbit(zero[0]));
  EXPECT_FALSE(std::signbit(zero[1]));
  EXPECT_EQ(each("-x", DType::Int8, {-128, 5}, {0, 0}, DType::Int8),
            (std::vector<double>{-128, -5}));
  EXPECT_EQ(each("(x > 0) + (y > 0)", DType::Int8, {1, 1, 0}, {1, 0, 0}, DType::Int8),
            (std::vector<double>{0, 1, 0})); // int1 counts modulo 2
}

TEST_P(ValueRulesTest, Casts) {
  // To a narrower float to nearest even, or toward zero on request.
  EXPECT_EQ(
      each("x.to(tl.float16)", DType::Float32, {2049, 2051, 65520}, {0, 0, 0}, DType::Float32),
      (std::vector<double>{2048, 2052, infinity}));
  EXPECT_EQ(each("x.to(tl.float16, fp_downcast_rounding='rtz')", DType::Float32,
                 {2051, -2051, 65520}, {0, 0, 0}, DType::Float32),
            (std::vector<double>{2050, -2050, 65504}));
  EXPECT_EQ(each("x.to(tl.int32)", DType::Float32, {2.9, -2.9}, {0, 0}, DType::Int32),
            (std::vector<double>{2, -2}));
  EXPECT_EQ(each("x.to(tl.int1)", DType::Float32, {0.25, -0.0, nan}, {0, 0, 0}, DType::Int8),
            (std::vector<double>{1, 0, 1}));
  EXPECT_EQ(each("(x > 0).to(tl.int32)", DType::Int32, {2, -2}, {0, 0}, DType::Int32),
            (std::vector<double>{1, 0}));
  EXPECT_EQ(each("x.to(tl.int8)", DType::Int32, {300, -129}, {0, 0}, DType::Int32),
            (std::vector<double>{44, 127}));
}

TEST_P(ValueRulesTest, MinimumAndMaximum) {
  std::vector<double> x = {nan, 1, 3}, y = {2, nan, -4};
  EXPECT_EQ(each("tl.minimum(x, y)", DType::Float32, x, y, DType::Float32),
            (std::vector<double>{2, 1, -4}));
  std::vector<double> all = each("tl.maximum(x, y, propagate_nan=tl.PropagateNan.ALL)",
                                 DType::Float32, x, y, DType::Float32);
  EXPECT_TRUE(std::isnan(all[0]) && std::isnan(all[1]));
  EXPECT_EQ(all[2], 3);
  // Small integers are int32 in a reduction, whatever their sign was.
  EXPECT_EQ(each("tl.max(x, 0)", DType::UInt8, {200, 100}, {0, 0}, DType::Int32),
            (std::vector<double>{200, 200}));
}

TEST_P(ValueRulesTest, Sums) {
  EXPECT_EQ(each("tl.sum(x, 0)", DType::Int8, {100, 100, 100}, {0, 0, 0}, DType::Int32)[0], 300);
  EXPECT_EQ(each("tl.sum(x > 0, 0)", DType::Int8, {1, 1, 1}, {0, 0, 0}, DType::Int32)[0], 3);
  EXPECT_EQ(each("tl.sum(x)", DType::UInt8, {200, 200}, {0, 0}, DType::Int32)[0], 400);
}

TEST_P(ValueRulesTest, TiesAndNanOfArgmax) {
  EXPECT_EQ(each("tl.argmax(x, 0)", DType::Float32, {1, 5, 5, 2}, {0, 0, 0, 0}, DType::Int32)[0],
            1);
  EXPECT_EQ(each("tl.argmin(x, 0)", DType::Float32, {1, 0, 0, 2}, {0, 0, 0, 0}, DType::Int32)[0],
            1);
  EXPECT_EQ(
      each("tl.argmax(x, 0)", DType::Float32, {nan, 5, nan, 2}, {0, 0, 0, 0}, DType::Int32)[0], 1);
}

TEST_P(ValueRulesTest, OverflowWraps) {
  // sanitize_overflow checks nothing unless asked to.
  EXPECT_EQ(each("x + y", DType::Int32, {2147483647}, {1}, DType::Int32)[0], -2147483648.0);
  EXPECT_EQ(each("tl.add(x, y, sanitize_overflow=False)", DType::Int32, {2147483647}, {2},
                 DType::Int32)[0],
            -2147483647.0);
  EXPECT_EQ(each("tl.mul(x, y)", DType::Int32, {65536}, {65536}, DType::Int32)[0], 0);
}

TEST_P(ValueRulesTest, ProductsOfAnyRank) {
  constexpr int a = 2, b = 3, m = 16, n = 32, k = 16;
  Array out = device.zeros(DType::Float32, {a, b, m, n});
  run(R"(
def k(o, A: tl.constexpr, B: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    x = tl.reshape(tl.arange(0, A * B * M * K) % 7 - 3, (A, B, M, K)).to(tl.float16)
    y = tl.reshape(tl.arange(0, A * B * K * N) % 5 - 2, (A, B, K, N)).to(tl.float16)
    c = tl.full((A, B, M, N), 0.5, tl.float32)
    place = tl.reshape(tl.arange(0, A * B * M * N), (A, B, M, N))
    tl.store(o + place, tl.dot(x, y, c))
)",
      {{"o", out}, {"A", a}, {"B", b}, {"M", m}, {"N", n}, {"K", k}});
  std::vector<float> given = out.toVector<float>();
  for (int batch = 0; batch < a * b; ++batch)
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        double wanted = 0.5;
        for (int l = 0; l < k; ++l)
          wanted += (((batch * m + i) * k + l) % 7 - 3) * (((batch * k + l) * n + j) % 5 - 2);
        ASSERT_EQ(given[static_cast<size_t>((batch * m + i) * n + j)], wanted)
            << batch << ": " << i << ", " << j;
      }
}

TEST_P(ValueRulesTest, ProductsThatIgnoreOutDtype) {
  for (bool isShort : {false, true}) {
    Array out = device.zeros(DType::Float64, {16, 16});
    run(R"(
def k(o, IS_SHORT: tl.constexpr):
    i, j = tl.arange(0, 16)[:, None], tl.arange(0, 16)[None, :]
    x = ((i * 16 + j) % 7 - 3).to(tl.bfloat16 if IS_SHORT else tl.float32)
    c = tl.full((16, 16), 0.5, tl.float32)
    product = tl.dot(x, x, out_dtype=tl.float64)
    tl.store(o + i * 16 + j, product + tl.dot(x, x, c, out_dtype=tl.float64))
)",
        {{"o", out}, {"IS_SHORT", isShort}});
    std::vector<double> given = out.toVector<double>();
    for (int i = 0; i < 16; ++i)
      for (int j = 0; j < 16; ++j) {
        double wanted = 0.5;
        for (int l = 0; l < 16; ++l)
          wanted += 2 * ((i * 16 + l) % 7 - 3) * ((l * 16 + j) % 7 - 3);
        ASSERT_EQ(given[static_cast<size_t>(i * 16 + j)], wanted) << i << ", " << j;
      }
  }
}

TEST_P(ValueRulesTest, PrecisionsOfProducts) {
  // What each keeps of a float32, at least: the digits of the sum of its parts.
  const std::pair<const char *, int> precisions[] = {
      {"ieee", 24}, {"tf32", 11}, {"tf32x3", 21}, {"bf16x3", 15}, {"bf16x6", 22}};
  for (auto [precision, digits] : precisions) {
    Array out = device.zeros(DType::Float32, {16, 16});
    double x = 1 + std::ldexp(1, -9) + std::ldexp(1, -18) + std::ldexp(1, -23);
    run("def k(o, x, PRECISION: tl.constexpr):\n"
        "    i, j = tl.arange(0, 16)[:, None], tl.arange(0, 16)[None, :]\n"
        "    a = tl.zeros((16, 16), tl.float32) + x\n"
        "    tl.store(o + i * 16 + j, tl.dot(a, a, input_precision=PRECISION))\n",
        {{"o", out}, {"x", x}, {"PRECISION", precision}});
    // And each of 15 additions rounds, and each product where they are not fused.
    double rounding = 16 * std::ldexp(1, -24);
    for (float given : out.toVector<float>())
      ASSERT_NEAR(given / (16 * x * x), 1, std::ldexp(2, -digits) + rounding) << precision;
  }
}

TEST_P(ValueRulesTest, FusedMultiplyAdd) {
  // A product and a sum may be rounded once or twice; fma rounds once.
  double x = 1 + std::ldexp(1, -12), product = x * x, once = std::ldexp(1, -24);
  double given =
      each("x * x - y", DType::Float32, {x}, {1 + std::ldexp(1, -11)}, DType::Float32)[0];
  EXPECT_TRUE(given == 0 || given == once) << given << product;
  EXPECT_EQ(
      each("tl.fma(x, x, -y)", DType::Float32, {x}, {1 + std::ldexp(1, -11)}, DType::Float32)[0],
      once);
}

TEST_P(ValueRulesTest, Exponentials) {
  std::vector<double> x = {-100, -1, 0, 0.5, 3, 80};
  for (const char *function : {"exp", "exp2"}) {
    std::vector<double> given =
        each(std::string("tl.") + function + "(x)", DType::Float32, x, x, DType::Float32);
    for (size_t i = 0; i < x.size(); ++i) {
      double wanted =
          *function && std::string(function) == "exp" ? std::exp(x[i]) : std::exp2(x[i]);
      EXPECT_NEAR(given[i] / wanted, 1, wanted < 1e-38 ? 1 : 1e-5) << function << " of " << x[i];
    }
  }
  EXPECT_THROW(each("tl.exp(x)", DType::Int32, {1}, {1}, DType::Float32), Error);
}

} // namespace
