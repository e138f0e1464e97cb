// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/launch/Convert.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

using namespace nereid;

namespace {

template <typename T> T store(DType type, double value) {
  T element;
  jit::storeElement(type, &element, value);
  return element;
}

double roundTrip(DType type, double value) {
  uint64_t element = 0;
  jit::storeElement(type, &element, value);
  return jit::loadElement(type, &element);
}

TEST(Convert, HalfRoundsOnceToNearestEven) {
  EXPECT_EQ(store<uint16_t>(DType::Float16, 1.0), 0x3c00);
  EXPECT_EQ(store<uint16_t>(DType::Float16, -65504.0), 0xfbff);
  EXPECT_EQ(store<uint16_t>(DType::Float16, 65520.0), 0x7c00);
  // Half way between 1 and the next half, and a little more than what a float can tell from it.
  EXPECT_EQ(store<uint16_t>(DType::Float16, 1 + 0x1p-11), 0x3c00);
  EXPECT_EQ(store<uint16_t>(DType::Float16, 1 + 0x1p-11 + 0x1p-40), 0x3c01);
  EXPECT_EQ(store<uint16_t>(DType::Float16, 0x1p-24), 0x0001);
  EXPECT_EQ(store<uint16_t>(DType::Float16, 0x1p-25), 0x0000);
}

TEST(Convert, BFloatRoundsOnceToNearestEven) {
  EXPECT_EQ(store<uint16_t>(DType::BFloat16, 1.0), 0x3f80);
  EXPECT_EQ(store<uint16_t>(DType::BFloat16, 1 + 0x1p-8), 0x3f80);
  EXPECT_EQ(store<uint16_t>(DType::BFloat16, 1 + 0x1p-8 + 0x1p-40), 0x3f81);
  EXPECT_EQ(store<uint16_t>(DType::BFloat16, 1e39), 0x7f80);
}

TEST(Convert, SpecialValuesSurvive) {
  for (DType type : {DType::Float16, DType::BFloat16, DType::Float32, DType::Float64}) {
    EXPECT_TRUE(std::isnan(roundTrip(type, NAN)));
    EXPECT_EQ(roundTrip(type, -INFINITY), -INFINITY);
    EXPECT_TRUE(std::signbit(roundTrip(type, -0.0)));
  }
}

TEST(Convert, IntegersSaturateAndRound) {
  EXPECT_EQ(roundTrip(DType::Int8, 1000), 127);
  EXPECT_EQ(roundTrip(DType::Int8, -1000), -128);
  EXPECT_EQ(roundTrip(DType::UInt8, -3), 0);
  EXPECT_EQ(roundTrip(DType::Int32, 2.5), 2);
  EXPECT_EQ(roundTrip(DType::Int32, 3.5), 4);
  EXPECT_EQ(roundTrip(DType::Int32, NAN), 0);
  EXPECT_EQ(store<int64_t>(DType::Int64, 1e30), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(store<uint64_t>(DType::UInt64, 1e30), std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(store<int64_t>(DType::Int64, -0x1p63), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(roundTrip(DType::Int1, 0.25), 1);
  EXPECT_EQ(roundTrip(DType::Int1, 0), 0);
}

} // namespace
