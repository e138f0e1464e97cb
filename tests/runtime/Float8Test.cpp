// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The floats of 8 bits on both executors: what they hold, how numbers are rounded to them, and
// what is computed with them. The reference decodes bytes by the formats' definition and finds the
// nearest of them.
#include "MeaningTest.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <ranges>

using namespace nereid;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Float8Format {
  DType type;
  int exponentBits, mantissaBits, bias;
  bool hasInfinity;
  /// The code of -0 is the only NaN.
  bool isUnsignedZero = false;
  /// Every code is a number; converted in software, with ties away from zero and a largest number
  /// that is one below.
  bool isSoftware = false;

  double decode(int bits) const {
    int code = bits & 0x7f;
    int exponent = code >> mantissaBits, mantissa = code & ((1 << mantissaBits) - 1);
    bool isHighest = exponent == (1 << exponentBits) - 1;
    double size;
    if (isUnsignedZero && bits == 0x80)
      return nan;
    if (hasInfinity && isHighest)
      size = mantissa ? nan : infinity;
    else if (code == 0x7f && !isUnsignedZero && !isSoftware)
      size = nan;
    else if (exponent == 0)
      size = std::ldexp(mantissa, 1 - bias - mantissaBits);
    else
      size = std::ldexp(mantissa + (1 << mantissaBits), exponent - bias - mantissaBits);
    return bits & 0x80 ? -size : size;
  }

  /// To nearest even; beyond the largest, infinity included, the largest; one NaN.
  uint8_t round(double value) const {
    if (std::isnan(value) && isSoftware)
      return std::signbit(value) ? 0xfe : 0x7e;
    if (std::isnan(value))
      return isUnsignedZero ? 0x80 : 0x7f;
    double size = std::fabs(value);
    int largest = hasInfinity ? 0x7b : isUnsignedZero ? 0x7f : 0x7e;
    int best = largest;
    if (size < decode(largest)) {
      // Codes are in the order of their numbers.
      auto codes = std::views::iota(0, largest + 1);
      int above =
          *std::ranges::lower_bound(codes, size, {}, [&](int bits) { return decode(bits); });
      int below = std::max(above - 1, 0);
      double up = decode(above) - size, down = size - decode(below);
      bool isEven = below % 2 == 0 && !isSoftware;
      best = down < up || (down == up && isEven) ? below : above;
    }
    bool isNegative = std::signbit(value) && !(isUnsignedZero && best == 0);
    return static_cast<uint8_t>(best | (isNegative ? 0x80 : 0));
  }
};

const Float8Format formats[] = {{DType::Float8E4M3FN, 4, 3, 7, false},
                                {DType::Float8E4M3FNUZ, 4, 3, 8, false, true},
                                {DType::Float8E5M2, 5, 2, 15, true},
                                {DType::Float8E5M2FNUZ, 5, 2, 16, false, true},
                                {DType::Float8E4M3B15, 4, 3, 15, false, false, true}};

class Float8Test : public nereid::test::MeaningTest {
protected:
  Array bytes(DType type, const std::vector<uint8_t> &values) {
    Array array = device.zeros(type, {static_cast<int64_t>(values.size())});
    array.copyFrom(values.data());
    return array;
  }
  static std::vector<uint8_t> bytesOf(const Array &array) {
    std::vector<uint8_t> values(static_cast<size_t>(array.size()));
    array.copyTo(values.data());
    return values;
  }
  static std::vector<uint8_t> everyByte() {
    std::vector<uint8_t> values(256);
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<uint8_t>(i);
    return values;
  }
  /// The elements of `in`, a multiple of 256 of them, converted to `type` by a kernel.
  Array converted(const Array &in, DType type) {
    Array out = device.zeros(type, {in.size()});
    run("def k(x, o):\n"
        "    i = tl.program_id(0) * 256 + tl.arange(0, 256)\n"
        "    tl.store(o + i, tl.load(x + i).to(o.dtype.element_ty))\n",
        {{"x", in}, {"o", out}}, {in.size() / 256});
    return out;
  }
};
NEREID_ON_ALL_DEVICES(Float8Test);

TEST_P(Float8Test, EveryByteWidens) {
  for (const Float8Format &format : formats)
    for (DType to : {DType::Float16, DType::BFloat16, DType::Float32, DType::Float64}) {
      Array wide = converted(bytes(format.type, everyByte()), to);
      std::vector<double> values = wide.toDoubles();
      for (int bits = 0; bits < 256; ++bits) {
        double expected = format.decode(bits), actual = values[static_cast<size_t>(bits)];
        if (std::isnan(expected))
          EXPECT_TRUE(std::isnan(actual)) << bits << " to " << name(to);
        else
          EXPECT_EQ(std::bit_cast<uint64_t>(actual), std::bit_cast<uint64_t>(expected))
              << bits << " to " << name(to);
      }
    }
}

TEST_P(Float8Test, EveryByteIsKept) {
  for (const Float8Format &format : formats) {
    Array x = bytes(format.type, everyByte());
    EXPECT_EQ(bytesOf(converted(x, format.type)), everyByte());
    std::vector<uint8_t> back = bytesOf(converted(converted(x, DType::Float16), format.type));
    for (int bits = 0; bits < 256; ++bits)
      EXPECT_EQ(back[static_cast<size_t>(bits)], format.round(format.decode(bits))) << bits;
  }
}

/// Infinities among them, and numbers that no conversion makes.
TEST_P(Float8Test, AbsoluteValuesAreThoseOfTheBits) {
  for (const Float8Format &format : formats) {
    Array x = bytes(format.type, everyByte()), out = device.zeros(format.type, {256});
    run("def k(x, o):\n    i = tl.arange(0, 256)\n    tl.store(o + i, tl.abs(tl.load(x + i)))\n",
        {{"x", x}, {"o", out}}, {1});
    std::vector<uint8_t> sizes = bytesOf(out);
    for (int bits = 0; bits < 256; ++bits) {
      double expected = std::fabs(format.decode(bits)),
             actual = format.decode(sizes[static_cast<size_t>(bits)]);
      EXPECT_TRUE(actual == expected || (std::isnan(actual) && std::isnan(expected)))
          << name(format.type) << ' ' << bits << ": " << actual << ", not " << expected;
    }
  }
}

TEST_P(Float8Test, EveryHalfIsRounded) {
  for (DType from : {DType::Float16, DType::BFloat16}) {
    std::vector<uint16_t> every(1 << 16);
    for (size_t i = 0; i < every.size(); ++i)
      every[i] = static_cast<uint16_t>(i);
    Array x = device.zeros(from, {1 << 16});
    x.copyFrom(every.data());
    std::vector<double> values = x.toDoubles();
    for (const Float8Format &format : formats) {
      std::vector<uint8_t> rounded = bytesOf(converted(x, format.type));
      for (size_t i = 0; i < values.size(); ++i) {
        // A NaN becomes a number where the format has none. Its sign is the machine's.
        uint8_t wanted = format.round(values[i]);
        bool losesNan = std::isnan(values[i]) && !std::isnan(format.decode(wanted));
        uint8_t compared = losesNan ? 0x7f : 0xff;
        ASSERT_EQ(rounded[i] & compared, wanted & compared)
            << values[i] << " to " << name(format.type);
      }
    }
  }
}

TEST_P(Float8Test, WiderNumbersAreRoundedOnce) {
  for (const Float8Format &format : formats) {
    // Around each number and each middle between two, as near as float and double come.
    std::vector<double> near;
    for (int bits = 0; bits < 0x80 && std::isfinite(format.decode(bits)); ++bits) {
      double here = format.decode(bits), next = format.decode(bits + 1);
      double middle = std::isfinite(next) ? (here + next) / 2 : here * 1.0625;
      for (double value : {here, middle})
        for (double step : {0.0, 1e-16, -1e-16, 1e-7, -1e-7})
          near.insert(near.end(), {value * (1 + step), -value * (1 + step)});
    }
    near.insert(near.end(), {infinity, -infinity, nan, 1e300, -1e300, 5e-324, 1e-40, 0.0, -0.0});
    near.resize((near.size() + 255) / 256 * 256);
    std::vector<float> singles(near.begin(), near.end());
    std::vector<uint8_t> once = bytesOf(converted(device.array(near), format.type));
    std::vector<uint8_t> single = bytesOf(converted(device.array(singles), format.type));
    for (size_t i = 0; i < near.size(); ++i) {
      ASSERT_EQ(once[i], format.round(near[i])) << near[i] << " to " << name(format.type);
      ASSERT_EQ(single[i], format.round(singles[i])) << singles[i] << " to " << name(format.type);
    }
  }
}

TEST_P(Float8Test, IntegersAreRoundedOnce) {
  std::vector<int32_t> integers(1024);
  for (size_t i = 0; i < integers.size(); ++i)
    integers[i] = static_cast<int32_t>(i) - 512;
  for (const Float8Format &format : formats) {
    std::vector<uint8_t> rounded = bytesOf(converted(device.array(integers), format.type));
    for (size_t i = 0; i < integers.size(); ++i)
      ASSERT_EQ(rounded[i], format.round(integers[i])) << integers[i];
  }
}

TEST_P(Float8Test, ConstantsSaturateAsConversionsDo) {
  Array e4 = device.zeros(DType::Float8E4M3FN, {4}), e5 = device.zeros(DType::Float8E5M2, {4});
  run("def k(e4, e5):\n"
      "    i = tl.arange(0, 4)\n"
      "    tl.store(e4 + i, tl.full((4,), 1000.0, tl.float8e4nv))\n"
      "    tl.store(e5 + i, tl.full((4,), -1e6, tl.float32).to(tl.float8e5))\n",
      {{"e4", e4}, {"e5", e5}});
  EXPECT_EQ(e4.toDoubles(), (std::vector<double>(4, 448)));
  EXPECT_EQ(e5.toDoubles(), (std::vector<double>(4, -57344)));
}

TEST_P(Float8Test, ArithmeticIsRoundedToTheType) {
  for (const Float8Format &format : formats) {
    std::vector<uint8_t> left, right;
    for (int i = 0; i < 4096; ++i) {
      left.push_back(static_cast<uint8_t>(i * 37));
      right.push_back(static_cast<uint8_t>(i * 101 + i / 256));
    }
    Array x = bytes(format.type, left), y = bytes(format.type, right);
    Array sum = device.zeros(format.type, {4096}), product = device.zeros(format.type, {4096});
    Array less = device.zeros(DType::Int8, {4096});
    run("def k(x, y, s, p, l):\n"
        "    i = tl.arange(0, 4096)\n"
        "    a, b = tl.load(x + i), tl.load(y + i)\n"
        "    tl.store(s + i, a + b)\n"
        "    tl.store(p + i, a * b)\n"
        "    tl.store(l + i, a < b)\n",
        {{"x", x}, {"y", y}, {"s", sum}, {"p", product}, {"l", less}});
    std::vector<uint8_t> sums = bytesOf(sum), products = bytesOf(product);
    std::vector<int8_t> isLess = less.toVector<int8_t>();
    for (size_t i = 0; i < left.size(); ++i) {
      double a = format.decode(left[i]), b = format.decode(right[i]);
      ASSERT_EQ(sums[i], format.round(a + b)) << a << " + " << b;
      ASSERT_EQ(products[i], format.round(a * b)) << a << " * " << b;
      ASSERT_EQ(isLess[i], a < b) << a << " < " << b;
    }
  }
}

TEST_P(Float8Test, ProductsOfMatrices) {
  constexpr int64_t m = 16, n = 32, k = 64;
  for (const Float8Format &left : formats)
    for (const Float8Format &right : formats)
      for (DType out : {DType::Float32, DType::Float16}) {
        // Small enough for every order of summing to be exact.
        std::vector<double> a(m * k), b(k * n);
        for (size_t i = 0; i < a.size(); ++i)
          a[i] = (static_cast<double>(i * 7 % 5) - 2) / 2;
        for (size_t i = 0; i < b.size(); ++i)
          b[i] = (static_cast<double>(i * 11 % 9) - 4) / 4;
        Array c = device.zeros(out, {m, n});
        run("def k(a, b, c, HALF: tl.constexpr):\n"
            "    i, j, l = tl.arange(0, 16)[:, None], tl.arange(0, 32)[None, :], tl.arange(0, 64)\n"
            "    x, y = tl.load(a + i * 64 + l[None, :]), tl.load(b + l[:, None] * 32 + j)\n"
            "    out: tl.constexpr = tl.float16 if HALF else tl.float32\n"
            "    tl.store(c + i * 32 + j, tl.dot(x, y, out_dtype=out))\n",
            {{"a", device.arrayFromDoubles(left.type, a, {m, k})},
             {"b", device.arrayFromDoubles(right.type, b, {k, n})},
             {"c", c},
             {"HALF", out == DType::Float16}});
        std::vector<double> result = c.toDoubles();
        for (int64_t i = 0; i < m; ++i)
          for (int64_t j = 0; j < n; ++j) {
            double expected = 0;
            for (int64_t l = 0; l < k; ++l)
              expected += a[static_cast<size_t>(i * k + l)] * b[static_cast<size_t>(l * n + j)];
            ASSERT_EQ(result[static_cast<size_t>(i * n + j)], expected)
                << name(left.type) << " by " << name(right.type) << " at " << i << ", " << j;
          }
      }
}

} // namespace
