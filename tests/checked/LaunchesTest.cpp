// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the checked device knows of an array from one launch to the next.
#include "nereid/nereid.h"

#include <gtest/gtest.h>

namespace nereid {
namespace {

const char *text = R"(
import triton
import triton.language as tl

@triton.jit
def write(x, n):
    i = tl.arange(0, 16)
    tl.store(x + i, i, mask=i < n)

@triton.jit
def read(x, out):
    i = tl.arange(0, 16)
    tl.store(out + i, tl.load(x + i))
)";

/// The element whose read is reported; -1 if all is well.
int64_t firstUnwritten(const Device &device, const Array &x) {
  try {
    Module::fromText(text).kernel("read").launch(
        device, Grid{1}, {{"x", x}, {"out", device.zeros(DType::Int32, {16})}});
  } catch (const Error &error) {
    EXPECT_EQ(error.findings().at(0).id, "unwritten_read") << error.what();
    return error.findings().at(0).index;
  }
  return -1;
}

TEST(Launches, WhatAKernelWroteAnotherMayRead) {
  Device device = Device::open("check");
  Array x = device.empty(DType::Int32, {16});
  EXPECT_EQ(firstUnwritten(device, x), 0);
  auto write = [&](int n) {
    Module::fromText(text).kernel("write").launch(device, Grid{1}, {{"x", x}, {"n", n}});
  };
  write(5);
  EXPECT_EQ(firstUnwritten(device, x), 5);
  write(16);
  EXPECT_EQ(firstUnwritten(device, x), -1);
  x.countAsUnwritten();
  EXPECT_EQ(firstUnwritten(device, x), 0);
  EXPECT_TRUE(x.data());
  EXPECT_EQ(firstUnwritten(device, x), -1); // whoever has the address may have written
}

TEST(Launches, WhatTheHostWroteMayBeRead) {
  Device device = Device::open("check");
  std::vector<int32_t> values(16);
  EXPECT_EQ(firstUnwritten(device, device.zeros(DType::Int32, {16})), -1);
  EXPECT_EQ(firstUnwritten(device, device.array(values)), -1);
  EXPECT_EQ(firstUnwritten(device, device.borrow(values.data(), DType::Int32, {16})), -1);
  Array x = device.empty(DType::Int32, {16});
  x.copyFrom(values.data());
  EXPECT_EQ(firstUnwritten(device, x), -1);
  EXPECT_EQ(firstUnwritten(device, Device::open("cpu").empty(DType::Int32, {16})), -1);
}

TEST(Launches, AProgramThatStopsSaysWhatItsVariablesHold) {
  std::vector<std::string> seen;
  CheckOptions options{.breakpoints = {{"<text>", 8}}, .stopped = [&](const Stop &stop) {
                         for (const Stop::Variable &variable : stop.variables)
                           if (variable.name == "i")
                             seen.push_back(std::to_string(stop.program.x) + ": " + variable.name +
                                            " " + std::to_string(variable.shape.at(0)));
                         EXPECT_EQ(stop.place.line, 8u);
                         return stop.program.x < 1 ? Resume::Continue : Resume::Finish;
                       }};
  Device device = Device::open("check", {.check = options});
  Module::fromText(text).kernel("write").launch(
      device, Grid{3}, {{"x", device.zeros(DType::Int32, {16})}, {"n", 16}});
  EXPECT_EQ(seen, (std::vector<std::string>{"0: i 16", "1: i 16"}));
}

} // namespace
} // namespace nereid
