// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The public interface from source text to result, on both devices.
#include "Failures.h"
#include "nereid/nereid.h"
#include "runtime/Memory.h"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

using namespace nereid;
using namespace nereid::test;

namespace {

constexpr const char *addText = R"(
import triton
import triton.language as tl

@triton.jit
def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)

@triton.jit
def unmasked(x_ptr, out_ptr, BLOCK: tl.constexpr = 64):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets))
)";

class LaunchTest : public testing::TestWithParam<const char *> {
protected:
  Arguments addArguments(const Array &out, int64_t n, int64_t block) {
    return {{"out_ptr", out}, {"x_ptr", x}, {"y_ptr", y}, {"n", n}, {"BLOCK", block}};
  }
  Array iota(int64_t n) {
    std::vector<float> values(static_cast<size_t>(n));
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<float>(i);
    return device.array(values);
  }

  Device device = Device::open(GetParam());
  Module module = Module::fromText(addText, "add.py");
  Array x = iota(1000), y = iota(1000);
};

TEST_P(LaunchTest, AddsOddSizes) {
  Kernel add = module.kernel("add");
  for (int64_t n : {1, 2, 63, 64, 65, 1000}) {
    Array out = device.zeros(DType::Float32, {1000});
    add.launch(device, {cdiv(n, 64)}, addArguments(out, n, 64));
    std::vector<float> result = out.toVector<float>();
    for (int64_t i = 0; i < 1000; ++i)
      ASSERT_EQ(result[static_cast<size_t>(i)], i < n ? 2 * i : 0) << i << " of " << n;
  }
}

TEST_P(LaunchTest, GridMayBeAFunction) {
  Array out = device.zeros(DType::Float32, {1000});
  auto grid = [](const Constants &constants) { return Grid{cdiv(1000, constants["BLOCK"])}; };
  module.kernel("add").launch(device, grid, addArguments(out, 1000, 128));
  EXPECT_EQ(out.toVector<float>()[999], 1998);
}

TEST_P(LaunchTest, EmptyGridFunctionsAreRefused) {
  Array out = device.zeros(DType::Float32, {1000});
  Launch launch = module.kernel("add").prepare(device, addArguments(out, 1000, 128));
  std::string message = messageOf(Error::Kind::Usage, [&] { launch.run(GridFunction()); });
  EXPECT_NE(message.find("empty"), std::string::npos) << message;
  Grid (*function)(const Constants &) = nullptr;
  messageOf(Error::Kind::Usage, [&] { launch.run(function); });
}

TEST_P(LaunchTest, GridsWithoutProgramsDoNothing) {
  Array out = device.zeros(DType::Float32, {1000});
  Launch launch = module.kernel("add").prepare(device, addArguments(out, 1000, 128));
  launch.run({0}); // a grid of none, not a null function
  launch.run({4, 0});
  launch.run({4, 1, 0}, {.stream = device.stream()});
  EXPECT_EQ(out.toVector<float>(), std::vector<float>(1000));
  messageOf(Error::Kind::Usage, [&] { launch.run({-1}); });
}

TEST_P(LaunchTest, PreparedLaunchesRunAgain) {
  Array out = device.zeros(DType::Float32, {1000});
  Launch launch = module.kernel("add").prepare(device, addArguments(out, 1000, 256));
  EXPECT_GT(launch.compileMilliseconds(), 0);
  launch.run({4});
  launch.run({4});
  EXPECT_EQ(out.toVector<float>()[5], 10);
  EXPECT_EQ(module.kernel("add").prepare(device, addArguments(out, 999, 256)).compileMilliseconds(),
            0);
}

TEST_P(LaunchTest, LaunchKeepsItsArraysAlive) {
  size_t before = runtime::hostBytesInUse();
  constexpr int64_t count = 300'000; // its memory goes back to the system when nobody has it
  constexpr size_t bytes = count * sizeof(float);
  Array out = device.zeros(DType::Float32, {count});
  {
    Launch launch = [&] {
      Array given = iota(count);
      return module.kernel("add").prepare(
          device,
          {{"out_ptr", out}, {"x_ptr", given}, {"y_ptr", given}, {"n", count}, {"BLOCK", 256}});
    }();
    EXPECT_EQ(runtime::hostBytesInUse(), before + 2 * bytes);
    Array other = device.zeros(DType::Float32, {count}); // would take its place
    launch.run({cdiv(count, 256)});
  }
  EXPECT_EQ(runtime::hostBytesInUse(), before + bytes);
  std::vector<float> sums = out.toVector<float>();
  for (int64_t i = 0; i < count; ++i)
    ASSERT_EQ(sums[static_cast<size_t>(i)], static_cast<float>(2 * i));
}

TEST_P(LaunchTest, ImpossibleGridsAreRefused) {
  Array out = device.zeros(DType::Float32, {1000});
  Launch launch = module.kernel("add").prepare(device, addArguments(out, 1000, 64));
  for (Grid grid : {Grid{-1}, Grid{1, -1}, Grid{0, 1, -1}, Grid{0, 65536}, Grid{int64_t(1) << 31},
                    Grid{1, 65536}, Grid{1, 1, 65536}, Grid{2147483647, 65535, 65535}})
    EXPECT_NE(messageOf(Error::Kind::Usage, [&] { launch.run(grid); }).find("grid"),
              std::string::npos);
}

TEST_P(LaunchTest, MistakesInTheTextHaveTheirPlace) {
  std::string message = messageOf(
      Error::Kind::Source, [] { Module::fromText("x = 1\n@triton.jit\ndef f(:\n", "f.py"); });
  EXPECT_NE(message.find("f.py:3:"), std::string::npos) << message;
  EXPECT_NE(message.back(), '\n');
  messageOf(Error::Kind::Environment, [] { Module::load("/nonexistent/kernel.py"); });
  message = messageOf(Error::Kind::Source, [&] { module.kernel("ad"); });
  EXPECT_NE(message.find("did you mean 'add'"), std::string::npos) << message;
  Array out = device.zeros(DType::Float32, {1000});
  message =
      messageOf(Error::Kind::Source, [&] { module.kernel("add").prepare(device, {{"x_ptr", x}}); });
  EXPECT_NE(message.find("add.py:6:"), std::string::npos) << message;
}

TEST_P(LaunchTest, KernelsDescribeTheirParameters) {
  EXPECT_EQ(module.kernelNames(), (std::vector<std::string>{"add", "unmasked"}));
  const std::vector<Parameter> parameters = module.kernel("unmasked").parameters();
  ASSERT_EQ(parameters.size(), 3u);
  EXPECT_EQ(parameters[2].name, "BLOCK");
  EXPECT_TRUE(parameters[2].isConstexpr && parameters[2].hasDefault);
  EXPECT_FALSE(parameters[0].isConstexpr || parameters[0].hasDefault);
}

TEST_P(LaunchTest, ThreadsCompileOnceAndLaunchTogether) {
  std::atomic<int> compiled = 0, wrong = 0;
  auto work = [&](int64_t block) {
    Kernel add = module.kernel("add");
    for (int round = 0; round < 10; ++round) {
      Array out = device.zeros(DType::Float32, {1000});
      Launch launch = add.prepare(device, addArguments(out, 1000, block));
      compiled += launch.compileMilliseconds() > 0;
      launch.run({cdiv(1000, block)});
      wrong += out.toVector<float>()[777] != 1554;
    }
  };
  std::vector<std::thread> threads;
  for (int64_t block : {64, 64, 128, 64, 128})
    threads.emplace_back(work, block);
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(compiled.load(), 2);
  EXPECT_EQ(wrong.load(), 0);
}

TEST_P(LaunchTest, FailedCompilationsAreReportedEachTime) {
  Module bad =
      Module::fromText("import triton\n@triton.jit\ndef f(x):\n    y = undefined_name\n", "bad.py");
  for (int i = 0; i < 2; ++i) {
    std::string message =
        messageOf(Error::Kind::Source, [&] { bad.kernel("f").prepare(device, {{"x", x}}); });
    EXPECT_NE(message.find("bad.py:4:9"), std::string::npos) << message;
  }
}

TEST(Interface, ArithmeticOnGridsRefusesWhatHasNoResult) {
  EXPECT_EQ(cdiv(7, 2), 4);
  EXPECT_EQ(nextPowerOf2(int64_t(1) << 62), int64_t(1) << 62);
  messageOf(Error::Kind::Usage, [] { return cdiv(7, 0); });
  messageOf(Error::Kind::Usage, [] { return cdiv(7, -2); });
  messageOf(Error::Kind::Usage, [] { return cdiv(-7, 2); });
  messageOf(Error::Kind::Usage, [] { return nextPowerOf2((int64_t(1) << 62) + 1); });
}

TEST(Interface, NullStringsAreRefused) {
  const char *null = nullptr;
  messageOf(Error::Kind::Usage, [&] { return Argument(null); });
  messageOf(Error::Kind::Usage, [&] { Device::open(null); });
  messageOf(Error::Kind::Usage, [&] { Module::load(null); });
  messageOf(Error::Kind::Usage, [&] { Module::fromText(null); });
  messageOf(Error::Kind::Usage, [&] { Module::fromText("x = 1\n").kernel(null); });
  messageOf(Error::Kind::Usage, [&] { return Constants({{"BLOCK", 64}})[null]; });
  messageOf(Error::Kind::Usage, [&] { return Constants({{"BLOCK", 64}})[0]; });
}

INSTANTIATE_TEST_SUITE_P(Devices, LaunchTest, testing::Values("cpu", "check"),
                         [](const auto &info) { return info.param; });

TEST(Check, OutOfBoundsAccessesAreReported) {
  Device device = Device::open("check");
  Array x = device.zeros(DType::Float32, {100}), out = device.zeros(DType::Float32, {128});
  Kernel kernel = Module::fromText(addText, "add.py").kernel("unmasked");
  std::string message = messageOf(
      Error::Kind::Checked, [&] { kernel.launch(device, {2}, {{"x_ptr", x}, {"out_ptr", out}}); });
  EXPECT_NE(message.find("add.py:16:"), std::string::npos) << message;
  EXPECT_NE(message.find("out-of-bounds read of x_ptr[100] (100 elements) in program (1, 0, 0)"),
            std::string::npos)
      << message;
  EXPECT_NE(message.find("also x_ptr[101]"), std::string::npos) << message;
  EXPECT_NE(message.find("and 18 more here"), std::string::npos) << message;
}

std::string reportOf(const char *body, const Arguments &arguments) {
  Module module = Module::fromText(std::string(R"(
import triton
import triton.language as tl

@triton.jit
def f(x_ptr, step, BLOCK: tl.constexpr = 4):
)") + body,
                                   "f.py");
  return messageOf(Error::Kind::Checked,
                   [&] { module.kernel("f").launch(Device::open("check"), {1}, arguments); });
}

TEST(Check, ElementsAreThoseOfTheArrayHoweverItIsReached) {
  Array x = Device::open("check").zeros(DType::Int32, {10});
  auto report = [&](const char *body) { return reportOf(body, {{"x_ptr", x}, {"step", 0}}); };
  std::string message = report("    tl.store((x_ptr + 14).to(tl.pointer_type(tl.int8)), 1)\n");
  EXPECT_NE(message.find("write of x_ptr[14] (10 elements)"), std::string::npos) << message;
  // The first half of these eight bytes is the last element; the second lies behind it.
  message = report("    tl.store((x_ptr + 9).to(tl.pointer_type(tl.int64)), 1)\n");
  EXPECT_NE(message.find("write of x_ptr[10] (10 elements)"), std::string::npos) << message;
  message = report("    tl.store((x_ptr - 1).to(tl.pointer_type(tl.int64)), 1)\n");
  EXPECT_NE(message.find("write of x_ptr[-1] (10 elements)"), std::string::npos) << message;
}

TEST(Check, LoopsWhoseStepLeadsNowhereAreReported) {
  Array x = Device::open("check").zeros(DType::Int32, {10});
  auto report = [&](int step) {
    return reportOf("    for turn in range(0, 4):\n"
                    "        for i in range(0, 8, step):\n"
                    "            tl.store(x_ptr + i, 1)\n",
                    {{"x_ptr", x}, {"step", step}});
  };
  std::string message = report(0);
  EXPECT_NE(message.find("f.py:8:"), std::string::npos) << message;
  EXPECT_NE(message.find("[step_not_positive]"), std::string::npos) << message;
  EXPECT_NE(message.find("must not be zero"), std::string::npos) << message;
  EXPECT_NE(message.find("and 3 more here"), std::string::npos) << message;
}

TEST(Check, ArraysOfOneHostDeviceServeTheOther) {
  std::vector<float> values(64);
  std::iota(values.begin(), values.end(), 1.0f);
  for (auto [owner, runner] : {std::pair("cpu", "check"), {"check", "cpu"}}) {
    Array x = Device::open(owner).array(values),
          out = Device::open(owner).zeros(DType::Float32, {64});
    Module::fromText(addText)
        .kernel("unmasked")
        .launch(Device::open(runner), {1}, {{"x_ptr", x}, {"out_ptr", out}});
    EXPECT_EQ(out.toVector<float>(), values) << runner;
  }
}

} // namespace
