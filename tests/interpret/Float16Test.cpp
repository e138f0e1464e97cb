// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The conversions against the compiler's own 16-bit types.
#include "support/Float16.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace nereid::interpret {

static bool isNaN(uint16_t bits, uint16_t infinity) { return (bits & 0x7fff) > infinity; }

TEST(Float16, WidensEveryHalf) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    float expected = std::bit_cast<_Float16>(uint16_t(bits)), actual = Half::widen(bits);
    if (std::isnan(expected))
      EXPECT_TRUE(std::isnan(actual)) << bits;
    else
      EXPECT_EQ(std::bit_cast<uint32_t>(actual), std::bit_cast<uint32_t>(expected)) << bits;
  }
}

TEST(Float16, WidensEveryBFloat) {
  for (unsigned bits = 0; bits < 0x10000; ++bits)
    EXPECT_EQ(std::bit_cast<uint32_t>(BFloat::widen(bits)), bits << 16);
}

TEST(Float16, RoundTripsEveryValue) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    if (!isNaN(bits, Half::infinity))
      EXPECT_EQ(Half::round(Half::widen(bits)), bits);
    if (!isNaN(bits, BFloat::infinity))
      EXPECT_EQ(BFloat::round(BFloat::widen(bits)), bits);
  }
}

TEST(Float16, RoundsRandomDoublesLikeTheCompiler) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> exponent(-28, 18), mantissa(1, 2);
  for (int i = 0; i < 200000; ++i) {
    double value = std::ldexp(mantissa(random), int(exponent(random)));
    EXPECT_EQ(Half::round(value), std::bit_cast<uint16_t>(_Float16(value))) << value;
    EXPECT_EQ(Half::round(-value), std::bit_cast<uint16_t>(_Float16(-value))) << value;
  }
}

TEST(Float16, RoundsRandomFloatsToBFloat) {
  std::mt19937 random(2);
  for (int i = 0; i < 200000; ++i) {
    uint32_t bits = random();
    float value = std::bit_cast<float>(bits);
    if (std::isnan(value))
      continue;
    uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16; // carries into the exponent
    EXPECT_EQ(BFloat::round(value), rounded) << value;
  }
}

/// Each midpoint between neighbours goes to the even one, and the slightest step beside it decides.
template <typename Format> static void testTies() {
  for (unsigned bits = 0; bits < Format::infinity - 1u; ++bits) {
    double middle = (double(Format::widen(bits)) + double(Format::widen(bits + 1))) / 2;
    EXPECT_EQ(Format::round(middle), bits + (bits & 1));
    EXPECT_EQ(Format::round(std::nextafter(middle, 0)), bits);
    EXPECT_EQ(Format::round(std::nextafter(middle, INFINITY)), bits + 1);
  }
}

TEST(Float16, RoundsTiesToEven) {
  testTies<Half>();
  testTies<BFloat>();
}

TEST(Float16, OverflowsHalfwayPastTheLargest) {
  EXPECT_EQ(Half::round(65519.999), 0x7bff);
  EXPECT_EQ(Half::round(65520), Half::infinity);
  EXPECT_EQ(Half::round(-1e300), 0x8000 | Half::infinity);
  EXPECT_EQ(BFloat::round(1e300), BFloat::infinity);
  EXPECT_EQ(Half::round(5e-324), 0);
  EXPECT_EQ(Half::round(-0.0), 0x8000);
  EXPECT_TRUE(isNaN(Half::round(NAN), Half::infinity));
  EXPECT_TRUE(isNaN(BFloat::round(NAN), BFloat::infinity));
}

} // namespace nereid::interpret
