// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Failures.h"
#include "nereid/nereid.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

using namespace nereid;
using namespace nereid::test;

namespace {

TEST(Device, UnknownNameListsWhatThereIs) {
  std::string message = messageOf(Error::Kind::Usage, [] { Device::open("cpuu"); });
  EXPECT_NE(message.find("cpu, check"), std::string::npos) << message;
  EXPECT_NE(message.find("did you mean 'cpu'"), std::string::npos) << message;
}

TEST(Device, ThreadsAreAsAskedFor) {
  EXPECT_EQ(Device::open("cpu", {3}).threads(), 3u);
  EXPECT_EQ(Device::open("check").threads(), 1u);
  messageOf(Error::Kind::Usage, [] { Device::open("cpu", {100000}); });
}

TEST(Array, ShapesAndStrides) {
  Device device = Device::open();
  Array array = device.zeros(DType::Int16, {2, 3, 4});
  EXPECT_EQ(array.strides(), (std::vector<int64_t>{12, 4, 1}));
  EXPECT_EQ(array.size(), 24);
  EXPECT_EQ(array.bytes(), 48u);
  EXPECT_EQ(device.zeros(DType::Float32, {}).size(), 1);
  EXPECT_EQ(device.zeros(DType::Float32, {0, 5}).size(), 0);
  EXPECT_TRUE(
      device.zeros(DType::Float32, {int64_t(1) << 40, int64_t(1) << 40, 0}).toDoubles().empty());
}

TEST(Array, ImpossibleShapesAreRefused) {
  Device device = Device::open();
  messageOf(Error::Kind::Usage, [&] { device.zeros(DType::Float32, {-1}); });
  messageOf(Error::Kind::Usage,
            [&] { device.zeros(DType::Float32, {int64_t(1) << 40, int64_t(1) << 40}); });
  messageOf(Error::Kind::Usage, [&] { device.zeros(DType::Float64, {int64_t(1) << 61}); });
  messageOf(Error::Kind::Environment, [&] { device.zeros(DType::Int8, {int64_t(1) << 60}); });
}

TEST(Array, CopiesValuesInAndOut) {
  Device device = Device::open();
  std::vector<float> values = {1, 2, 3, 4, 5, 6};
  Array array = device.array(values, {2, 3});
  EXPECT_EQ(array.toVector<float>(), values);
  EXPECT_EQ(device.array(std::vector<int64_t>{}).size(), 0);
  messageOf(Error::Kind::Usage, [&] { array.toVector<double>(); });
  std::string message = messageOf(Error::Kind::Usage, [&] { device.array(values, {7}); });
  EXPECT_NE(message.find("6 values"), std::string::npos) << message;
}

TEST(Array, BoolsAreCopiedInAndOut) {
  Device device = Device::open();
  std::vector<bool> values = {true, false, false, true, true};
  Array array = device.array(values);
  EXPECT_EQ(array.dtype(), DType::Int1);
  EXPECT_EQ(array.toVector<bool>(), values);
}

TEST(Array, OneValueIsOneDimension) {
  EXPECT_EQ(Device::open().array(std::vector<float>{1}).shape(), std::vector<int64_t>{1});
}

TEST(Array, NullPointersAreRefused) {
  Array array = Device::open().zeros(DType::Int8, {3});
  messageOf(Error::Kind::Usage, [&] { array.copyFrom(nullptr); });
  messageOf(Error::Kind::Usage, [&] { array.copyTo(nullptr); });
  Device::open().zeros(DType::Int8, {0}).copyTo(nullptr);
}

TEST(Array, ViewsOfMoreElementsThanFitAreNotCopied) {
  int8_t value = 7;
  Array repeated = Device::open().borrow(&value, DType::Int8, {int64_t(1) << 62}, {0});
  messageOf(Error::Kind::Usage, [&] { repeated.toVector<int8_t>(); });
  messageOf(Error::Kind::Usage, [&] { repeated.toDoubles(); });
}

TEST(Array, DoublesAreRounded) {
  Device device = Device::open();
  Array array = device.arrayFromDoubles(DType::BFloat16, std::vector<double>{1.00001, -2, 3e38});
  EXPECT_EQ(array.toDoubles()[0], 1);
  EXPECT_EQ(array.toDoubles()[1], -2);
  EXPECT_EQ(array.bytes(), 6u);
}

TEST(Array, BorrowedViewsAreReadThroughTheirStrides) {
  Device device = Device::open();
  std::vector<int32_t> memory = {0, 1, 2, 3, 4, 5};
  Array transposed = device.borrow(memory.data(), DType::Int32, {3, 2}, {1, 3});
  EXPECT_EQ(transposed.toDoubles(), (std::vector<double>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(transposed.data(), memory.data());
  messageOf(Error::Kind::Usage, [&] { transposed.toVector<int32_t>(); });
  Array broadcast = device.borrow(memory.data() + 5, DType::Int32, {4}, {0});
  EXPECT_EQ(broadcast.toDoubles(), (std::vector<double>{5, 5, 5, 5}));
}

TEST(Array, BadBorrowsAreRefused) {
  Device device = Device::open();
  int value = 0;
  messageOf(Error::Kind::Usage, [&] { device.borrow(&value, DType::Int32, {2}, {-1}); });
  messageOf(Error::Kind::Usage, [&] { device.borrow(&value, DType::Int32, {1}, {1, 1}); });
  messageOf(Error::Kind::Usage, [&] { device.borrow(nullptr, DType::Int32, {1}); });
  alignas(8) char bytes[16] = {};
  std::string message =
      messageOf(Error::Kind::Usage, [&] { device.borrow(bytes + 2, DType::Float32, {1}); });
  EXPECT_NE(message.find("multiple of 4"), std::string::npos) << message;
  messageOf(Error::Kind::Usage, [&] { device.borrow(bytes + 4, DType::Int64, {1}); });
  EXPECT_EQ(device.borrow(bytes + 2, DType::Float16, {1}).data(), bytes + 2);
  EXPECT_EQ(device.borrow(bytes + 1, DType::Int1, {1}).data(), bytes + 1);
  EXPECT_EQ(device.borrow(nullptr, DType::Int32, {0}).size(), 0);
}

} // namespace
