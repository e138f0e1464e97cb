// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a program that serves others needs of the library: failures as data, output in its own
// hands, launches that cost nothing but the launch, and a process that goes on.
#include "jit/Boundary.h"
#include "nereid/nereid.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <new>
#include <set>
#include <sstream>

namespace {
std::atomic<size_t> allocations = 0;
}

// Counted for the whole program; what is measured is the difference.
void *operator new(size_t size) {
  ++allocations;
  if (void *memory = std::malloc(size ? size : 1))
    return memory;
  throw std::bad_alloc();
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }

using namespace nereid;

namespace {

constexpr const char *serverText = R"(
import triton
import triton.language as tl

@triton.jit
def helper(x):
    return x + undefined_name

@triton.jit
def broken(x_ptr):
    tl.store(x_ptr, helper(tl.load(x_ptr)))

@triton.jit
def beyond(x_ptr):
    i = tl.arange(0, 4)
    tl.store(x_ptr + i, 1.0)
    tl.store(x_ptr - 1 - i, 2.0)

@triton.jit
def prints(x_ptr):
    print("value", tl.program_id(0))

@triton.jit
def add(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n) + 1, mask=i < n)
)";

class ServerTest : public testing::TestWithParam<const char *> {
protected:
  Device device = Device::open(GetParam());
  Module module = Module::fromText(serverText, "server.py");
  Array x = device.zeros(DType::Float32, {4});
};

INSTANTIATE_TEST_SUITE_P(Devices, ServerTest, testing::Values("cpu", "check"),
                         [](const auto &info) { return std::string(info.param); });

TEST_P(ServerTest, AMistakeInTheTextIsData) {
  try {
    module.kernel("broken").launch(device, Grid{}, {{"x_ptr", x}});
    FAIL() << "no Error was thrown";
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), Error::Kind::Source);
    ASSERT_EQ(error.findings().size(), 1u);
    const Finding &finding = error.findings()[0];
    EXPECT_EQ(finding.id, "unknown_name");
    EXPECT_EQ(finding.place.file, "server.py");
    EXPECT_EQ(finding.place.line, 7u);
    EXPECT_EQ(finding.place.column, 16u);
    ASSERT_EQ(finding.calls.size(), 1u);
    EXPECT_EQ(finding.calls[0].line, 11u);
    EXPECT_NE(std::string(error.what()).find(finding.text), std::string::npos);
  }
}

TEST(Server, WhatTheCheckedDeviceFindsIsData) {
  Device device = Device::open("check");
  Array x = device.zeros(DType::Float32, {3});
  try {
    Module::fromText(serverText, "server.py")
        .kernel("beyond")
        .launch(device, Grid{}, {{"x_ptr", x}});
    FAIL() << "no Error was thrown";
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), Error::Kind::Checked);
    ASSERT_EQ(error.findings().size(), 2u);
    EXPECT_EQ(error.findings()[0].id, "out_of_bounds");
    EXPECT_EQ(error.findings()[0].place.line, 16u);
    EXPECT_EQ(error.findings()[1].place.line, 17u);
    EXPECT_EQ(error.findings()[1].notes.size(), 3u); // three more lanes
  }
}

TEST_P(ServerTest, PrintsGoWhereTheyAreWanted) {
  std::multiset<std::string> lines;
  LaunchOptions options;
  options.print = [&](std::string_view text) { lines.emplace(text); };
  testing::internal::CaptureStdout();
  module.kernel("prints").launch(device, {64}, {{"x_ptr", x}}, options);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(lines.size(), 64u);
  for (int program = 0; program < 64; ++program) {
    std::string end = " " + std::to_string(program) + "\n";
    EXPECT_EQ(std::count_if(lines.begin(), lines.end(),
                            [&](const std::string &line) { return line.ends_with(end); }),
              1)
        << program;
  }
}

TEST_P(ServerTest, WhatASinkThrowsReachesTheLauncher) {
  LaunchOptions options;
  std::atomic<int> calls = 0;
  options.print = [&](std::string_view) {
    ++calls;
    throw std::runtime_error("the pipe is closed");
  };
  Launch launch = module.kernel("prints").prepare(device, {{"x_ptr", x}});
  EXPECT_THROW(launch.run({64}, options), std::runtime_error);
  EXPECT_EQ(calls, 1);
  options.print = [&](std::string_view) { ++calls; };
  launch.run({64}, options);
  EXPECT_EQ(calls, 65);
}

TEST(Server, APreparedLaunchAllocatesNothing) {
  Device device = Device::open("cpu", {2});
  Array x = device.zeros(DType::Float32, {5000}), y = device.zeros(DType::Float32, {5000});
  Launch launch = Module::fromText(serverText)
                      .kernel("add")
                      .prepare(device, {{"x_ptr", x}, {"y_ptr", y}, {"n", 5000}, {"BLOCK", 64}});
  launch.run({79}); // the first one starts the threads
  size_t before = allocations;
  for (int i = 0; i < 100; ++i)
    launch.run({79});
  EXPECT_EQ(allocations - before, 0u);
  EXPECT_EQ(y.toVector<float>()[4999], 1);
}

TEST(Server, APreparedLaunchOnAStreamAllocatesNothing) {
  Device device = Device::open("cpu", {2});
  Array x = device.zeros(DType::Float32, {5000}), y = device.zeros(DType::Float32, {5000});
  std::vector<float> host(5000, 7);
  LaunchOptions options{.stream = device.stream()};
  Launch launch = Module::fromText(serverText)
                      .kernel("add")
                      .prepare(device, {{"x_ptr", x}, {"y_ptr", y}, {"n", 5000}, {"BLOCK", 64}});
  auto work = [&] {
    x.copyFrom(host.data(), *options.stream);
    for (int i = 0; i < 100; ++i)
      launch.run({79}, options);
    options.stream->synchronize();
  };
  work();
  size_t before = allocations;
  work();
  EXPECT_EQ(allocations - before, 0u);
  EXPECT_EQ(y.toVector<float>()[4999], 8);
}

TEST(Server, ABugIsAnExceptionWithAReproducer) {
  auto fail = [] {
    StageScope stage("test stage", "some_kernel", [] { return std::string("what was at hand"); });
    checkFailed("1 == 2", "file.cpp", 3, "the sky fell");
  };
  for (int again = 0; again < 2; ++again)
    try {
      jit::atBoundary(fail);
      FAIL() << "no Error was thrown";
    } catch (const Error &error) {
      EXPECT_EQ(error.kind(), Error::Kind::Internal);
      std::string report = error.what();
      EXPECT_NE(report.find("the sky fell"), std::string::npos);
      EXPECT_NE(report.find("kernel: some_kernel"), std::string::npos);
      size_t path = report.find_last_of(' ') + 1;
      std::ifstream file(report.substr(path));
      std::stringstream reproducer;
      reproducer << file.rdbuf();
      EXPECT_EQ(reproducer.str(), "what was at hand");
      std::filesystem::remove(report.substr(path));
    }
}

} // namespace
