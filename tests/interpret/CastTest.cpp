// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelRun.h"

#include <climits>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace nereid::interpret {

template <typename R, typename A>
static std::vector<R> cast(const std::string &op, const std::string &from, const std::string &to,
                           std::vector<A> values) {
  return evaluate<R>("%r = arith." + op + " %a : $T to $R", to, Operand<A>{from, values});
}

TEST(Cast, ExtendsAndTruncatesIntegers) {
  EXPECT_EQ((cast<int32_t, int8_t>("extsi", "i8", "i32", {-1, 127})),
            (std::vector<int32_t>{-1, 127}));
  EXPECT_EQ((cast<int32_t, int8_t>("extui", "i8", "i32", {-1, 127})),
            (std::vector<int32_t>{255, 127}));
  EXPECT_EQ((cast<int8_t, int32_t>("trunci", "i32", "i8", {511, -129})),
            (std::vector<int8_t>{-1, 127}));
  EXPECT_EQ((cast<uint8_t, int32_t>("trunci", "i32", "i1", {2, 3})), (std::vector<uint8_t>{0, 1}));
  EXPECT_EQ((cast<int8_t, uint8_t>("extsi", "i1", "i8", {1, 0})), (std::vector<int8_t>{-1, 0}));
  EXPECT_EQ((cast<int8_t, uint8_t>("extui", "i1", "i8", {1, 0})), (std::vector<int8_t>{1, 0}));
}

TEST(Cast, SaturatesFloatsThatDoNotFit) {
  std::vector<float> x{1e10f, -1e10f, NAN, -1.9f, 1.9f, INFINITY, -INFINITY, 2147483648.0f};
  EXPECT_EQ((cast<int32_t, float>("fptosi", "f32", "i32", x)),
            (std::vector<int32_t>{INT_MAX, INT_MIN, 0, -1, 1, INT_MAX, INT_MIN, INT_MAX}));
  EXPECT_EQ((cast<uint32_t, float>("fptoui", "f32", "i32", x)),
            (std::vector<uint32_t>{UINT_MAX, 0, 0, 0, 1, UINT_MAX, 0, 2147483648u}));
  EXPECT_EQ((cast<int8_t, float>("fptosi", "f32", "i8", {127.9f, 128, -128.9f, -129})),
            (std::vector<int8_t>{127, 127, -128, -128}));
  EXPECT_EQ((cast<uint8_t, float>("fptoui", "f32", "i8", {255.9f, 256, -0.5f})),
            (std::vector<uint8_t>{255, 255, 0}));
  EXPECT_EQ((cast<int64_t, double>("fptosi", "f64", "i64", {0x1p63, -0x1p63, 0x1p62, -1e300})),
            (std::vector<int64_t>{INT64_MAX, INT64_MIN, int64_t(1) << 62, INT64_MIN}));
  EXPECT_EQ((cast<uint64_t, double>("fptoui", "f64", "i64", {0x1p64, 0x1p63, -1})),
            (std::vector<uint64_t>{UINT64_MAX, uint64_t(1) << 63, 0}));
}

TEST(Cast, RoundsIntegersToFloatsOnce) {
  EXPECT_EQ((cast<float, int32_t>("sitofp", "i32", "f32", {16777217, -3})),
            (std::vector<float>{16777216, -3}));
  EXPECT_EQ((cast<float, int32_t>("uitofp", "i32", "f32", {-1})),
            std::vector<float>{4294967296.0f});
  EXPECT_EQ((cast<float, uint8_t>("sitofp", "i1", "f32", {1, 0})), (std::vector<float>{-1, 0}));
  EXPECT_EQ((cast<double, int64_t>("sitofp", "i64", "f64", {INT64_MIN})),
            std::vector<double>{-0x1p63});
  // One more than the midpoint of two bfloats: by way of double it would look like a tie.
  int64_t pastMiddle = (int64_t(1) << 62) + (int64_t(1) << 54) + 1;
  EXPECT_EQ(
      (cast<uint16_t, int64_t>("sitofp", "i64", "bf16", {pastMiddle, pastMiddle - 1, -pastMiddle})),
      (std::vector<uint16_t>{0x5e81, 0x5e80, 0xde81}));
  EXPECT_EQ((cast<uint16_t, int32_t>("sitofp", "i32", "f16", {2049, 65519, 65520, -70000})),
            (std::vector<uint16_t>{0x6800, 0x7bff, 0x7c00, 0xfc00}));
}

TEST(Cast, RoundsDoubleToHalfOnce) {
  // Just above a midpoint of halves; rounding to float first would make it a tie.
  double value = 1 + 0x1p-11 + 0x1p-40;
  EXPECT_EQ((cast<uint16_t, double>("truncf", "f64", "f16", {value, 1 + 0x1p-11})),
            (std::vector<uint16_t>{0x3c01, 0x3c00}));
  EXPECT_EQ((cast<uint16_t, float>("truncf", "f32", "bf16", {1.00390625f, 1.01171875f})),
            (std::vector<uint16_t>{0x3f80, 0x3f82}));
  EXPECT_EQ((cast<float, uint16_t>("extf", "f16", "f32", {0x0001, 0xc000})),
            (std::vector<float>{0x1p-24f, -2}));
  EXPECT_EQ((cast<double, uint16_t>("extf", "bf16", "f64", {0x3f80})), std::vector<double>{1});
  EXPECT_EQ((cast<float, double>("truncf", "f64", "f32", {0.1})), std::vector<float>{0.1f});
}

TEST(Cast, NarrowsToEightBitsWithoutInfinities) {
  std::string narrowed = "%n = tile.narrow %a : $T -> tensor<6xf8E5M2>\n"
                         "%r = arith.bitcast %n : tensor<6xf8E5M2> to $R";
  float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(
      (evaluate<uint8_t>(narrowed, "i8",
                         Operand<float>{"f32", {1, -1e9f, infinity, -infinity, NAN, 1.125f}})),
      (std::vector<uint8_t>{0x3c, 0xfb, 0x7b, 0xfb, 0x7f, 0x3c}));
}

TEST(Cast, KeepsBits) {
  EXPECT_EQ((cast<uint32_t, float>("bitcast", "f32", "i32", {1, -0.0f})),
            (std::vector<uint32_t>{0x3f800000, 0x80000000}));
  EXPECT_EQ((cast<uint16_t, uint16_t>("bitcast", "i16", "bf16", {0x1234})),
            std::vector<uint16_t>{0x1234});
}

} // namespace nereid::interpret
