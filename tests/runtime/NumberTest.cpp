// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers at the edges of their types: masks that leave one lane, NaN, long sums of short types,
// literals that a tile's type cannot hold.
#include "MeaningTest.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

using namespace nereid;

namespace {

class NumberTest : public nereid::test::MeaningTest {};
NEREID_ON_ALL_DEVICES(NumberTest);

// Masked stores

TEST_P(NumberTest, AStoreStaysWithinItsMask) {
  for (int block : {2, 4, 8, 16, 32})
    for (int kept = 0; kept < block; ++kept) {
      std::vector<int64_t> values(static_cast<size_t>(block));
      for (int i = 0; i < block; ++i)
        values[static_cast<size_t>(i)] = 0x5555555500000000 + i;
      // A guard lies behind the block, and every other lane keeps what it has.
      Array out = device.array(std::vector<int32_t>(static_cast<size_t>(block) + 8, -7));
      run("def k(x, o, B: tl.constexpr, KEPT: tl.constexpr):\n"
          "    i = tl.arange(0, B)\n"
          "    tl.store(o + i, tl.load(x + i), mask=i == KEPT)\n",
          {{"x", device.array(values)}, {"o", out}, {"B", block}, {"KEPT", kept}});
      std::vector<int32_t> stored = out.toVector<int32_t>();
      for (int i = 0; i < block + 8; ++i)
        ASSERT_EQ(stored[static_cast<size_t>(i)], i == kept ? i : -7)
            << "lane " << i << " of " << block << ", kept " << kept;
    }
}

TEST_P(NumberTest, AStoreOfOneElementWritesOne) {
  Array x = device.array(std::vector<int64_t>(8, 0x1234567800000009));
  for (int n : {0, 1, 2, 7}) {
    Array out = device.array(std::vector<int32_t>(16, -7));
    run("def k(x, o, n):\n"
        "    i = tl.arange(0, 8)\n"
        "    tl.store(o + i, tl.load(x + i), mask=i < n)\n",
        {{"x", x}, {"o", out}, {"n", n}});
    std::vector<int32_t> stored = out.toVector<int32_t>();
    for (int i = 0; i < 16; ++i)
      ASSERT_EQ(stored[static_cast<size_t>(i)], i < n ? 9 : -7) << "element " << i << ", n " << n;
  }
}

// NaN

TEST_P(NumberTest, ANumberWinsAgainstNan) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  // A program id is a number that every compiler knows to be none of NaN.
  Array x = device.array(std::vector<float>{nan, nan, 5, -5, nan, 0});
  Array out = device.zeros(DType::Float32, {24});
  run(R"(
def k(x, o):
    p = tl.program_id(0)
    number = p.to(tl.float32)
    value = tl.load(x + p)
    tl.store(o + 4 * p, tl.maximum(number, value))
    tl.store(o + 4 * p + 1, tl.maximum(value, number))
    tl.store(o + 4 * p + 2, tl.minimum(number, value))
    tl.store(o + 4 * p + 3, tl.minimum(value, number))
)",
      {{"x", x}, {"o", out}}, {6});
  std::vector<float> values = x.toVector<float>(), chosen = out.toVector<float>();
  for (size_t p = 0; p < values.size(); ++p) {
    auto number = static_cast<float>(p);
    for (size_t order : {0, 1}) {
      EXPECT_EQ(chosen[4 * p + order], std::fmax(number, values[p])) << p;
      EXPECT_EQ(chosen[4 * p + 2 + order], std::fmin(number, values[p])) << p;
    }
  }
}

TEST_P(NumberTest, NanInTailsAndBesideConstants) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  for (int size : {1, 3, 8, 12, 31}) {
    std::vector<float> x(static_cast<size_t>(size), nan);
    x.back() = -2;
    Array out = device.zeros(DType::Float32, {4 * size}), all = device.array(x);
    run(R"(
def k(x, o, S: tl.constexpr):
    i = tl.arange(0, S)
    v = tl.load(x + i)
    tl.store(o + i, tl.maximum(v, i.to(tl.float32)))
    tl.store(o + S + i, tl.minimum(1.5, v))
    tl.store(o + 2 * S + i, tl.maximum(v, i.to(tl.float32), propagate_nan=tl.PropagateNan.ALL))
    tl.store(o + 3 * S + i, tl.minimum(1.5, v, propagate_nan=tl.PropagateNan.ALL))
)",
        {{"x", all}, {"o", out}, {"S", size}});
    std::vector<float> chosen = out.toVector<float>();
    for (int i = 0; i < size; ++i) {
      bool isLast = i == size - 1;
      EXPECT_EQ(chosen[static_cast<size_t>(i)], i) << size;
      EXPECT_EQ(chosen[static_cast<size_t>(size + i)], isLast ? -2 : 1.5f) << size;
      EXPECT_EQ(std::isnan(chosen[static_cast<size_t>(2 * size + i)]), !isLast) << size;
      EXPECT_EQ(std::isnan(chosen[static_cast<size_t>(3 * size + i)]), !isLast) << size;
    }
  }
}

TEST_P(NumberTest, NegativeZeroIsBelowZero) {
  std::vector<float> x = {0.0f, -0.0f, 0.0f, -0.0f}, y = {-0.0f, 0.0f, 0.0f, -0.0f};
  Array out = device.zeros(DType::Float32, {8});
  run(R"(
def k(x, y, o):
    i = tl.arange(0, 4)
    tl.store(o + i, tl.maximum(tl.load(x + i), tl.load(y + i)))
    tl.store(o + 4 + i, tl.minimum(tl.load(x + i), tl.load(y + i)))
)",
      {{"x", device.array(x)}, {"y", device.array(y)}, {"o", out}});
  std::vector<float> chosen = out.toVector<float>();
  const bool isNegative[] = {false, false, false, true, true, true, false, true};
  for (size_t i = 0; i < chosen.size(); ++i)
    EXPECT_EQ(std::signbit(chosen[i]), isNegative[i]) << i;
}

TEST_P(NumberTest, ASumOfNegativeZerosIsNegative) {
  Array out = device.zeros(DType::Float32, {256});
  run(R"(
def k(o, n):
    at = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
    ones = tl.zeros((16, 16), tl.float32) + n
    nothing = -(ones - n)
    tl.store(o + at, tl.dot(nothing, ones, nothing, input_precision="ieee"))  # tensor cores add to +0
)",
      {{"o", out}, {"n", 5}});
  for (float sum : out.toVector<float>())
    ASSERT_TRUE(sum == 0 && std::signbit(sum));
}

// Division

/// What division means where C++ leaves it open: by zero 0, and the least number by -1 wraps.
template <typename T> T quotientOf(T a, T b) {
  if (b == 0)
    return 0;
  return std::is_signed_v<T> && b == T(-1) ? static_cast<T>(0 - static_cast<uint64_t>(a))
                                           : static_cast<T>(a / b);
}
template <typename T> T remainderOf(T a, T b) {
  return b == 0 || (std::is_signed_v<T> && b == T(-1)) ? T(0) : static_cast<T>(a % b);
}

template <typename T> class DivisionTest : public testing::Test {};
using Integers =
    testing::Types<int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t>;
TYPED_TEST_SUITE(DivisionTest, Integers);

TYPED_TEST(DivisionTest, IsExactAndNeverTraps) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  // Extremes, their neighbours, small numbers, products that a quotient just reaches or misses.
  std::vector<T> numbers = {0, 1, 2, 3, 5, 7, 10, 100, T(-1), T(-2), T(-3), T(-100)};
  for (T n : {Limits::min(), Limits::max(), T(Limits::max() / 2), T(Limits::max() / 3)})
    numbers.insert(numbers.end(), {T(n - 1), n, T(n + 1)});
  std::vector<T> a, b;
  for (T x : numbers)
    for (T y : numbers)
      for (T offset : {0, 1, -1}) {
        a.push_back(static_cast<T>(static_cast<uint64_t>(x) * static_cast<uint64_t>(y) +
                                   static_cast<uint64_t>(offset)));
        b.push_back(y);
        a.push_back(x);
        b.push_back(static_cast<T>(static_cast<uint64_t>(y) + static_cast<uint64_t>(offset)));
      }
  auto count = static_cast<int64_t>(a.size());
  for (const char *name : {"cpu", "check"}) {
    Device device = Device::open(name, {.check = {.ignored = {"division_by_zero"}}});
    Array quotients = device.array(a), remainders = device.array(a), scalars = device.array(a);
    Module module = Module::fromText(R"(
import triton
import triton.language as tl

@triton.jit
def k(a, b, q, r, s, n):
    i = tl.program_id(0) * 64 + tl.arange(0, 64)
    x = tl.load(a + i, mask=i < n, other=1)
    y = tl.load(b + i, mask=i < n, other=0)
    tl.store(q + i, x // y, mask=i < n)
    tl.store(r + i, x % y, mask=i < n)
    for j in range(64):
        at = tl.program_id(0) * 64 + j
        if at < n:
            tl.store(s + at, tl.load(a + at) // tl.load(b + at))
)");
    module.kernel("k").launch(device, {cdiv(count, 64)},
                              {{"a", device.array(a)},
                               {"b", device.array(b)},
                               {"q", quotients},
                               {"r", remainders},
                               {"s", scalars},
                               {"n", count}});
    std::vector<T> q = quotients.template toVector<T>(), r = remainders.template toVector<T>(),
                   s = scalars.template toVector<T>();
    for (size_t i = 0; i < a.size(); ++i) {
      ASSERT_EQ(q[i], quotientOf(a[i], b[i])) << name << ": " << +a[i] << " // " << +b[i];
      ASSERT_EQ(r[i], remainderOf(a[i], b[i])) << name << ": " << +a[i] << " % " << +b[i];
      ASSERT_EQ(s[i], quotientOf(a[i], b[i])) << name << ": " << +a[i] << " // " << +b[i];
    }
  }
}

TEST_P(NumberTest, ADivisorThatAShiftMadeZero) {
  ignore({"division_by_zero"});
  std::vector<uint16_t> amounts(64);
  for (size_t i = 0; i < amounts.size(); ++i)
    amounts[i] = static_cast<uint16_t>(i % 20);
  Array out = device.zeros(DType::UInt16, {64}), wide = device.zeros(DType::Int64, {64});
  run(R"(
def k(x, o, w, s, t):
    i = tl.arange(0, 64)
    v = tl.load(x + i)
    tl.store(o + i, s.to(tl.uint16) // (tl.full((64,), 5, tl.uint16) << v))
    tl.store(w + i, t // (tl.full((64,), 5, tl.int64) << (v.to(tl.int64) * 4)))
)",
      {{"x", device.array(amounts)},
       {"o", out},
       {"w", wide},
       {"s", 1000.0},
       {"t", int64_t(1) << 40}});
  std::vector<uint16_t> quotients = out.toVector<uint16_t>();
  std::vector<int64_t> wideQuotients = wide.toVector<int64_t>();
  for (size_t i = 0; i < 64; ++i) {
    unsigned shift = amounts[i];
    auto divisor = static_cast<uint16_t>(shift > 15 ? 0 : 5u << shift);
    EXPECT_EQ(quotients[i], divisor ? 1000 / divisor : 0) << shift;
    auto wideDivisor = static_cast<int64_t>(shift > 15 ? 0 : uint64_t(5) << (4 * shift));
    EXPECT_EQ(wideQuotients[i], quotientOf(int64_t(1) << 40, wideDivisor)) << shift;
  }
}

TEST_P(NumberTest, TwoRoundingsAreTwo) {
  // As float32 these are halfway between two bfloat16s (or float16s), and as integers they are not.
  Array x = device.array(std::vector<int32_t>{-24969217, 24969217, 2049 * 4096 + 1, 33570816 + 1});
  Array out = device.zeros(DType::BFloat16, {4});
  run(R"(
def k(x, o):
    i = tl.arange(0, 4)
    tl.store(o + i, tl.load(x + i).to(tl.float32).to(tl.bfloat16))
)",
      {{"x", x}, {"o", out}});
  std::vector<int32_t> integers = x.toVector<int32_t>();
  std::vector<double> rounded = out.toDoubles();
  for (size_t i = 0; i < integers.size(); ++i) {
    uint32_t bits = std::bit_cast<uint32_t>(static_cast<float>(integers[i]));
    bits += 0x7fff + (bits >> 16 & 1);
    EXPECT_EQ(rounded[i], std::bit_cast<float>(bits & 0xffff0000)) << integers[i];
  }
}

// Long sums

TEST_P(NumberTest, SumsOfSmallFloatsAreRoundedOnce) {
  struct Case {
    DType type;
    int count;
    double value, expected;
  };
  // A tenth is 0.10009765625 as bfloat16 and 0.0999755859375 as float16.
  const Case cases[] = {{DType::BFloat16, 512, 1, 512},     {DType::Float16, 4096, 1, 4096},
                        {DType::BFloat16, 65536, 1, 65536}, {DType::BFloat16, 4096, 0.1, 410},
                        {DType::Float16, 4096, 0.1, 409.5}, {DType::Float16, 3000, -1, -3000}};
  for (const Case &c : cases) {
    std::vector<double> values(static_cast<size_t>(c.count), c.value);
    Array x = device.arrayFromDoubles(c.type, values), out = device.zeros(c.type, {1});
    run("def k(x, o, N: tl.constexpr):\n"
        "    tl.store(o, tl.sum(tl.load(x + tl.arange(0, N))))\n",
        {{"x", x}, {"o", out}, {"N", c.count}});
    EXPECT_EQ(out.toDoubles()[0], c.expected) << name(c.type) << " " << c.count;
  }
}

TEST_P(NumberTest, SumsAlongEitherAxisAreRoundedOnce) {
  constexpr int rows = 600, columns = 16;
  std::vector<double> ones(rows * columns, 1);
  for (int axis : {0, 1}) {
    int kept = axis == 0 ? columns : rows;
    Array x = device.arrayFromDoubles(DType::BFloat16, ones);
    Array out = device.zeros(DType::BFloat16, {kept});
    run(R"(
def k(x, o, R: tl.constexpr, C: tl.constexpr, AXIS: tl.constexpr, KEPT: tl.constexpr):
    v = tl.load(x + tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :])
    tl.store(o + tl.arange(0, KEPT), tl.sum(v, axis=AXIS))
)",
        {{"x", x}, {"o", out}, {"R", rows}, {"C", columns}, {"AXIS", axis}, {"KEPT", kept}});
    for (double sum : out.toDoubles())
      ASSERT_EQ(sum, axis == 0 ? rows : columns);
  }
}

TEST_P(NumberTest, ProductsOfSmallFloatsAreRoundedOnce) {
  // 64 times the float16 next to 1: each rounding on the way would round to even.
  constexpr double step = 1 + 1.0 / 1024;
  Array x = device.arrayFromDoubles(DType::Float16, std::vector<double>(64, step));
  Array out = device.zeros(DType::Float16, {1});
  run(R"(
def multiply(a, b):
    return a * b

@triton.jit
def k(x, o):
    tl.store(o, tl.reduce(tl.load(x + tl.arange(0, 64)), 0, multiply))
)",
      {{"x", x}, {"o", out}});
  double expected = std::round(std::pow(step, 64) * 1024) / 1024;
  EXPECT_EQ(out.toDoubles()[0], expected);
}

// Comparison with literals

TEST_P(NumberTest, ALiteralIsComparedAsWritten) {
  Array halves = device.arrayFromDoubles(DType::Float16, std::vector<double>{0.1, 0.5});
  Array brains = device.arrayFromDoubles(DType::BFloat16, std::vector<double>{256, 258});
  Array bytes = device.array(std::vector<int8_t>{-128, 127});
  Array naturals = device.array(std::vector<uint8_t>{0, 255});
  Array out = device.zeros(DType::Int1, {20});
  run(R"(
def k(halves, brains, bytes, naturals, o):
    i = tl.arange(0, 2)
    h = tl.load(halves + i)
    g = tl.load(brains + i)
    s = tl.load(bytes + i)
    u = tl.load(naturals + i)
    tl.store(o + i, h == 0.1)
    tl.store(o + 2 + i, 0.5 == h)
    tl.store(o + 4 + i, g == 257)
    tl.store(o + 6 + i, s < 300)
    tl.store(o + 8 + i, u > -1)
    tl.store(o + 10 + i, -129 >= s)
    tl.store(o + 12 + i, s < 0.5)
    tl.store(o + 14 + i, u == 255.0)
    tl.store(o + 16 + i, u != 256)
    tl.store(o + 18 + i, h < 0.1)
)",
      {{"halves", halves},
       {"brains", brains},
       {"bytes", bytes},
       {"naturals", naturals},
       {"o", out}});
  // float16's 0.1 is 0.0999755859375.
  const bool expected[20] = {false, false, false, true,  false, false, true, true, true, true,
                             false, false, true,  false, false, true,  true, true, true, false};
  std::vector<double> holds = out.toDoubles();
  for (size_t i = 0; i < 20; ++i)
    EXPECT_EQ(holds[i] != 0, expected[i]) << "comparison " << i / 2 << ", lane " << i % 2;
}

// Tuples

TEST_P(NumberTest, ElementsOfAnAssignedTupleAreScalars) {
  Array bytes = device.array(std::vector<int8_t>{100, -100});
  Array out = device.zeros(DType::Int32, {6});
  run(R"(
def k(x, o):
    v = tl.load(x + tl.arange(0, 2))
    q = (2, 3)
    tl.static_assert((v * q[0]).dtype == tl.int32)
    tl.static_assert((v * 2).dtype == tl.int8)
    tl.store(o + tl.arange(0, 2), v * q[0])
    a, b = q
    tl.store(o + 2 + tl.arange(0, 2), v * b)
    nested = (1, (4, 5))
    tl.store(o + 4 + tl.arange(0, 2), v * nested[1][0])
    tl.static_assert(v.shape == (2,))
    s = v.shape
    tl.static_assert(s == (2,))
    tl.static_assert(s != (3,))
)",
      {{"x", bytes}, {"o", out}});
  EXPECT_EQ(out.toVector<int32_t>(), (std::vector<int32_t>{200, -200, 300, -300, 400, -400}));
}

TEST_P(NumberTest, AConditionalGivesAScalar) {
  Array bytes = device.array(std::vector<int8_t>{100, -100}), out = device.zeros(DType::Int32, {2});
  run(R"(
def k(x, o, n):
    v = tl.load(x + tl.arange(0, 2))
    tl.static_assert((v * (2 if n > 5 else 2)).dtype == tl.int32)
    tl.static_assert((v * (2 if n.dtype == tl.int32 else 3)).dtype == tl.int8)
    tl.store(o + tl.arange(0, 2), v * (2 if n > 5 else 3))
)",
      {{"x", bytes}, {"o", out}, {"n", 7}});
  EXPECT_EQ(out.toVector<int32_t>(), (std::vector<int32_t>{200, -200}));
}

// Every float16 there is

TEST_P(NumberTest, Float16ThereAndBack) {
  std::vector<uint16_t> bits(1 << 16);
  for (size_t i = 0; i < bits.size(); ++i)
    bits[i] = static_cast<uint16_t>(i);
  Array halves = device.zeros(DType::Float16, {1 << 16});
  halves.copyFrom(bits.data());
  Array wide = device.zeros(DType::Float32, {1 << 16}),
        back = device.zeros(DType::Float16, {1 << 16});
  run(R"(
def k(x, wide, back):
    i = tl.program_id(0) * 1024 + tl.arange(0, 1024)
    v = tl.load(x + i).to(tl.float32)
    tl.store(wide + i, v)
    tl.store(back + i, tl.load(x + i).to(tl.float32).to(tl.float16))
)",
      {{"x", halves}, {"wide", wide}, {"back", back}}, {64});
  std::vector<float> actual = wide.toVector<float>();
  std::vector<uint16_t> returned(1 << 16);
  back.copyTo(returned.data());
  for (size_t i = 0; i < bits.size(); ++i) {
    int exponent = static_cast<int>(i >> 10 & 31), fraction = static_cast<int>(i & 1023);
    float size = exponent == 0    ? std::ldexp(static_cast<float>(fraction), -24)
                 : exponent == 31 ? std::numeric_limits<float>::infinity()
                                  : std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
    if (exponent == 31 && fraction != 0) {
      ASSERT_TRUE(std::isnan(actual[i])) << i;
      ASSERT_GT(returned[i] & 0x7fff, 0x7c00) << i;
      continue;
    }
    ASSERT_EQ(actual[i], i < 0x8000 ? size : -size) << i;
    ASSERT_EQ(std::signbit(actual[i]), i >= 0x8000) << i;
    ASSERT_EQ(returned[i], i);
  }
}

TEST_P(NumberTest, Float32RoundsToTheNearestFloat16) {
  // Around each float16: itself, the middle to the next, and the neighbours of that middle.
  std::vector<float> values;
  std::vector<uint16_t> expected;
  for (uint16_t bits = 0; bits < 0x7c00; ++bits) {
    int exponent = bits >> 10, fraction = bits & 1023;
    float value = exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                                : std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
    float middle = value + std::ldexp(0.5f, std::max(exponent, 1) - 25);
    auto even = static_cast<uint16_t>(bits + (bits & 1)), next = static_cast<uint16_t>(bits + 1);
    values.insert(values.end(), {value, std::nextafter(middle, 0.0f), middle,
                                 std::nextafter(middle, std::numeric_limits<float>::infinity())});
    expected.insert(expected.end(), {bits, bits, even, next});
  }
  int64_t count = static_cast<int64_t>(values.size());
  Array out = device.zeros(DType::Float16, {2 * count});
  run(R"(
def k(x, o, n):
    i = tl.program_id(0) * 1024 + tl.arange(0, 1024)
    v = tl.load(x + i, mask=i < n, other=0)
    tl.store(o + i, v.to(tl.float16), mask=i < n)
    tl.store(o + n + i, (-v).to(tl.float16), mask=i < n)
)",
      {{"x", device.array(values)}, {"o", out}, {"n", count}}, {cdiv(count, 1024)});
  std::vector<uint16_t> rounded(static_cast<size_t>(2 * count));
  out.copyTo(rounded.data());
  for (size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(rounded[i], expected[i]) << values[i];
    ASSERT_EQ(rounded[values.size() + i], expected[i] | 0x8000) << values[i];
  }
}

} // namespace
