// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The conversions against the compiler's own 16-bit types, and against LLVM's software floats.
#include "support/NarrowFloat.h"

#include "llvm/ADT/APFloat.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace nereid::interpret {

using Half = NarrowFloat<DType::Float16>;
using BFloat = NarrowFloat<DType::BFloat16>;
using E4M3 = NarrowFloat<DType::Float8E4M3FN>;
using E5M2 = NarrowFloat<DType::Float8E5M2>;
using E4M3Unsigned = NarrowFloat<DType::Float8E4M3FNUZ>;
using E5M2Unsigned = NarrowFloat<DType::Float8E5M2FNUZ>;

template <typename Format> static uint16_t infinityOf() { return Format::format.firstSpecial(); }

static bool isNaN(uint16_t bits, uint16_t infinity) { return (bits & 0x7fff) > infinity; }

TEST(NarrowFloat, WidensEveryHalf) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    float expected = std::bit_cast<_Float16>(uint16_t(bits)), actual = Half::widen(bits);
    if (std::isnan(expected))
      EXPECT_TRUE(std::isnan(actual)) << bits;
    else
      EXPECT_EQ(std::bit_cast<uint32_t>(actual), std::bit_cast<uint32_t>(expected)) << bits;
  }
}

TEST(NarrowFloat, WidensEveryBFloat) {
  for (unsigned bits = 0; bits < 0x10000; ++bits)
    EXPECT_EQ(std::bit_cast<uint32_t>(BFloat::widen(bits)), bits << 16);
}

TEST(NarrowFloat, RoundTripsEveryValue) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    if (!isNaN(bits, infinityOf<Half>()))
      EXPECT_EQ(Half::round(Half::widen(bits)), bits);
    if (!isNaN(bits, infinityOf<BFloat>()))
      EXPECT_EQ(BFloat::round(BFloat::widen(bits)), bits);
  }
}

TEST(NarrowFloat, RoundsRandomDoublesLikeTheCompiler) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> exponent(-28, 18), mantissa(1, 2);
  for (int i = 0; i < 200000; ++i) {
    double value = std::ldexp(mantissa(random), int(exponent(random)));
    EXPECT_EQ(Half::round(value), std::bit_cast<uint16_t>(_Float16(value))) << value;
    EXPECT_EQ(Half::round(-value), std::bit_cast<uint16_t>(_Float16(-value))) << value;
  }
}

TEST(NarrowFloat, RoundsRandomFloatsToBFloat) {
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
  for (unsigned bits = 0; bits < infinityOf<Format>() - 1u; ++bits) {
    double middle = (double(Format::widen(bits)) + double(Format::widen(bits + 1))) / 2;
    EXPECT_EQ(Format::round(middle), bits + (bits & 1));
    EXPECT_EQ(Format::round(std::nextafter(middle, 0)), bits);
    EXPECT_EQ(Format::round(std::nextafter(middle, INFINITY)), bits + 1);
  }
}

TEST(NarrowFloat, RoundsTiesToEven) {
  testTies<Half>();
  testTies<BFloat>();
}

TEST(NarrowFloat, OverflowsHalfwayPastTheLargest) {
  EXPECT_EQ(Half::round(65519.999), 0x7bff);
  EXPECT_EQ(Half::round(65520), infinityOf<Half>());
  EXPECT_EQ(Half::round(-1e300), 0x8000 | infinityOf<Half>());
  EXPECT_EQ(BFloat::round(1e300), infinityOf<BFloat>());
  EXPECT_EQ(Half::round(5e-324), 0);
  EXPECT_EQ(Half::round(-0.0), 0x8000);
  EXPECT_TRUE(isNaN(Half::round(NAN), infinityOf<Half>()));
  EXPECT_TRUE(isNaN(BFloat::round(NAN), infinityOf<BFloat>()));
}

/// As LLVM decodes the byte.
static double decoded(uint8_t bits, const llvm::fltSemantics &semantics) {
  llvm::APFloat number(semantics, llvm::APInt(8, bits));
  bool losesInfo;
  number.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return number.convertToDouble();
}

/// The byte whose value is nearest; of two the even one; the largest for all beyond. Found by
/// looking at every byte.
static uint8_t nearest(double value, const llvm::fltSemantics &semantics) {
  bool hasNegativeZero = !std::isnan(decoded(0x80, semantics));
  if (std::isnan(value))
    return hasNegativeZero ? 0x7f : 0x80;
  int best = 0;
  for (int bits = 1; bits < 0x80; ++bits) {
    double candidate = decoded(bits, semantics);
    if (!std::isfinite(candidate))
      continue;
    double distance = std::fabs(candidate - std::fabs(value));
    double least = std::fabs(decoded(best, semantics) - std::fabs(value));
    if (distance < least || (distance == least && bits % 2 == 0) || std::isinf(value))
      best = bits;
  }
  return best | (std::signbit(value) && (best || hasNegativeZero) ? 0x80 : 0);
}

template <typename Format> static void testEveryByte(const llvm::fltSemantics &semantics) {
  for (int bits = 0; bits < 0x100; ++bits) {
    double expected = decoded(bits, semantics);
    float actual = Format::widen(bits);
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(actual)) << bits;
      continue;
    }
    EXPECT_EQ(actual, expected) << bits;
    EXPECT_EQ(std::signbit(actual), bits >= 0x80) << bits;
    if (std::isfinite(expected)) {
      EXPECT_EQ(Format::round(expected), bits);
    }
  }
}

TEST(NarrowFloat, WidensAndKeepsEveryByte) {
  testEveryByte<E4M3>(llvm::APFloat::Float8E4M3FN());
  testEveryByte<E5M2>(llvm::APFloat::Float8E5M2());
  testEveryByte<E4M3Unsigned>(llvm::APFloat::Float8E4M3FNUZ());
  testEveryByte<E5M2Unsigned>(llvm::APFloat::Float8E5M2FNUZ());
}

TEST(NarrowFloat, RoundsEveryHalfToTheNearestByte) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    double value = Half::widen(bits);
    ASSERT_EQ(E4M3::round(value), nearest(value, llvm::APFloat::Float8E4M3FN())) << value;
    ASSERT_EQ(E5M2::round(value), nearest(value, llvm::APFloat::Float8E5M2())) << value;
    ASSERT_EQ(E4M3Unsigned::round(value), nearest(value, llvm::APFloat::Float8E4M3FNUZ())) << value;
    ASSERT_EQ(E5M2Unsigned::round(value), nearest(value, llvm::APFloat::Float8E5M2FNUZ())) << value;
  }
}

TEST(NarrowFloat, SaturatesInEightBits) {
  EXPECT_EQ(largest(DType::Float8E4M3FN), 448);
  EXPECT_EQ(largest(DType::Float8E5M2), 57344);
  EXPECT_EQ(largest(DType::Float8E4M3FNUZ), 240);
  EXPECT_EQ(largest(DType::Float8E5M2FNUZ), 57344);
  EXPECT_EQ(E4M3Unsigned::round(-INFINITY), 0xff);
  EXPECT_EQ(E4M3Unsigned::round(-1e-9), 0);
  EXPECT_EQ(E4M3::round(464), 0x7e); // halfway to what would be 480
  EXPECT_EQ(E4M3::round(1e300), 0x7e);
  EXPECT_EQ(E4M3::round(-INFINITY), 0xfe);
  EXPECT_EQ(E4M3::round(-NAN), 0x7f);
  EXPECT_EQ(E5M2::round(61440), 0x7b);
  EXPECT_EQ(E5M2::round(INFINITY), 0x7b);
  EXPECT_TRUE(std::isinf(E5M2::widen(0x7c)));
}

} // namespace nereid::interpret
