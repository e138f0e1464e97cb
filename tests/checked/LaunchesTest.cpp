// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the checked device knows of an array from one launch to the next.
#include "nereid/nereid.h"

#include <cstring>
#include <gtest/gtest.h>
#include <map>

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

/// What branches and loops hand on, constants among it.
TEST(Launches, VariablesAreThoseThatBranchesAndLoopsLeave) {
  std::string merges = "import triton\nimport triton.language as tl\n@triton.jit\n"
                       "def merges(x, n):\n"
                       "    a = tl.load(x)\n"
                       "    if n > 3:\n"
                       "        a = 7\n"
                       "        b = a + n\n"
                       "    else:\n"
                       "        b = n\n"
                       "    c = 0\n"
                       "    for i in range(n):\n"
                       "        c += i * b\n"
                       "    while c > 40:\n"
                       "        c -= a\n"
                       "    tl.store(x, a + b + c)\n";
  std::map<std::string, int32_t> last;
  std::vector<int32_t> sums;
  CheckOptions options{.breakpoints = {{"<text>", 13}, {"<text>", 16}},
                       .stopped = [&](const Stop &stop) {
                         last.clear();
                         for (const Stop::Variable &variable : stop.variables)
                           if (variable.type == DType::Int32)
                             std::memcpy(&last[variable.name], variable.elements.data(), 4);
                         if (stop.place.line == 13)
                           sums.push_back(last.at("c"));
                         return Resume::Continue;
                       }};
  Device device = Device::open("check", {.check = options});
  Array x = device.zeros(DType::Int32, {1});
  Kernel kernel = Module::fromText(merges).kernel("merges");
  kernel.launch(device, Grid{1}, {{"x", x}, {"n", 4}});
  EXPECT_EQ(last.at("a"), 7);
  EXPECT_EQ(last.at("b"), 11);
  EXPECT_EQ(sums, (std::vector<int32_t>{0, 0, 11, 33}));
  EXPECT_EQ(last.at("c"), 66 - 4 * 7);
  kernel.launch(device, Grid{1}, {{"x", x}, {"n", 2}});
  EXPECT_EQ(last.at("a"), 7 + 11 + 38);
  EXPECT_EQ(last.at("b"), 2);
  EXPECT_EQ(last.at("c"), 2);
}

/// Of the function that has stopped, with what was known before the run.
TEST(Launches, VariablesAreThoseOfTheFunctionThatStops) {
  std::string text = "import triton\nimport triton.language as tl\n@triton.jit\n"
                     "def scaled(x, FACTOR: tl.constexpr):\n"
                     "    half = FACTOR // 2\n"
                     "    y = x\n"
                     "    x = y * half\n"
                     "    return x\n"
                     "@triton.jit\n"
                     "def calls(p, n, B: tl.constexpr):\n"
                     "    x = tl.load(p)\n"
                     "    shape = (B, 1.5, 'a\"', tl.float32, None)\n"
                     "    for i in tl.static_range(2):\n"
                     "        z = scaled(x, 6) + scaled(x + 1, 4)\n"
                     "        half = scaled\n"
                     "    tl.store(p, z + n)\n";
  std::vector<std::string> seen;
  CheckOptions options{
      .breakpoints = {{"<text>", 8}, {"<text>", 16}}, .stopped = [&](const Stop &stop) {
        std::string line;
        for (const Stop::Variable &variable : stop.variables) {
          int32_t number = 0;
          if (variable.type == DType::Int32 && variable.constant.empty())
            std::memcpy(&number, variable.elements.data(), 4);
          line += variable.name + "=" +
                  (variable.constant.empty() ? std::to_string(number) : variable.constant) + " ";
        }
        seen.push_back(line);
        return Resume::Continue;
      }};
  Device device = Device::open("check", {.check = options});
  Array p = device.zeros(DType::Int32, {1});
  Module::fromText(text).kernel("calls").launch(device, Grid{1}, {{"p", p}, {"n", 9}, {"B", 16}});
  EXPECT_EQ(p.toVector<int32_t>()[0], 2 + 9);
  std::vector<std::string> calls = {"FACTOR=6 half=3 x=0 y=0 ", "FACTOR=4 half=2 x=2 y=1 "};
  ASSERT_EQ(seen.size(), 5u);
  for (size_t i = 0; i < 4; ++i)
    EXPECT_EQ(seen[i], calls[i % 2]);
  // A pointer is an address, and a function is not shown.
  EXPECT_EQ(seen[4], "B=16 i=1 n=9 p=0 shape=(16, 1.5, \"a\\\"\", tl.float32, None) x=0 z=2 ");
}

} // namespace
} // namespace nereid
