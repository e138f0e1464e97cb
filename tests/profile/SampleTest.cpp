// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Time by line on a CPU: where threads stand, and how that is added up.
#include "nereid/profile.h"
#include "profile/ReadSamples.h"
#include "runtime/cpu/CodeSampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <numeric>

namespace nereid::test {
namespace {

/// Line 8 takes many times as long as the others: seven sines of each element.
constexpr const char *text = "import triton\nimport triton.language as tl\n\n"
                             "@triton.jit\n"
                             "def heavy(x, y, n, BLOCK: tl.constexpr):\n"
                             "    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
                             "    v = tl.load(x + i, i < n)\n"
                             "    v = tl.sin(tl.sin(tl.sin(tl.sin(tl.sin(tl.sin(tl.sin(v)))))))\n"
                             "    tl.store(y + i, v, i < n)\n";

class SampledOnCpu : public testing::Test {
protected:
  Profile run(Grid grid, ProfileOptions options = {}) {
    return profile(device, Module::fromText(text, "heavy.py").kernel(), grid,
                   {{"x", x}, {"y", y}, {"n", 65536}, {"BLOCK", 1024}}, options);
  }
  std::string failure(Grid grid, ProfileOptions options = {}) {
    try {
      run(grid, options);
    } catch (const Error &error) {
      return error.what();
    }
    return "nothing failed";
  }

  Device device = Device::open("cpu", {.threads = 2});
  Array x = device.zeros(DType::Float32, {65536}), y = device.zeros(DType::Float32, {65536});
};

TEST_F(SampledOnCpu, TheHeavyLineIsSeen) {
  Profile p = run({64});
  EXPECT_EQ(p.threads, 2u);
  EXPECT_EQ(p.launchedBlocks, 64u);
  EXPECT_GE(p.turns, 15u);
  EXPECT_GT(p.seconds, 0);
  EXPECT_GT(p.samples, 100u) << "in half a second";
  double all = 0, inKernel = 0, heavy = 0;
  uint64_t seen = 0;
  for (const Profile::Line &line : p.lines) {
    all += line.share;
    seen += line.count;
    if (line.what == "idle")
      continue;
    inKernel += line.share;
    if (line.place.line == 8) {
      EXPECT_EQ(line.place.file, "heavy.py");
      heavy += line.share;
    }
  }
  EXPECT_NEAR(all, 1, 1e-6);
  EXPECT_EQ(seen, p.samples);
  EXPECT_GT(heavy, 0.8 * inKernel);
  std::string table = toText(p);
  EXPECT_NE(table.find("64 programs on 2 threads"), std::string::npos) << table;
  EXPECT_NE(table.find("v = tl.sin("), std::string::npos) << table;
  EXPECT_NE(toHtml(p).find("heavy.py"), std::string::npos);
  EXPECT_NE(toTrace(p).find("traceEvents"), std::string::npos);
  std::string json = toJson(p);
  EXPECT_NE(json.find("\"threads\": 2"), std::string::npos);
  EXPECT_NE(json.find("\"detail\": \"samples\""), std::string::npos);
}

TEST_F(SampledOnCpu, OnceWithoutTurns) {
  Profile p = run({64}, {.turns = 0});
  EXPECT_EQ(p.sampledLaunches, 1u);
  EXPECT_EQ(p.seconds, 0);
  EXPECT_NE(toText(p).find("one launch"), std::string::npos);
}

TEST_F(SampledOnCpu, MistakesAreToldOnce) {
  EXPECT_EQ(failure({0}), "a grid without programs has nothing to profile");
  EXPECT_EQ(failure({1}, {.detail = "waits"}).find("detail 'waits' is one of GPUs"), 0u);
  EXPECT_EQ(failure({1}, {.detail = "some"}).find("no detail 'some'"), 0u);
}

/// Two threads, a second: of 2,000 looks at them 600 found nobody in the kernel.
TEST(ReadSamples, SharesAreOfAllThreads) {
  runtime::LineSamples samples;
  samples.interval = 1e-3;
  samples.places = {{"k.py", 3, 1, 3}, {"k.py", 3, 9, 3}, {"k.py", 4, 1, 6}};
  samples.counts = {{100, 0}, {400, 0}, {200, 100}, {500, 0}};
  samples.unknown = 100;
  Profile p = profiler::readSamples(samples, 2, 10, 1.0);
  ASSERT_EQ(p.samples, 1400u);
  ASSERT_EQ(p.lines.size(), 6u);
  EXPECT_EQ(p.lines[0].place.line, 3u); // of two columns, one
  EXPECT_EQ(p.lines[0].count, 600u);
  EXPECT_NEAR(p.lines[0].share, 0.3, 1e-12);
  EXPECT_NEAR(p.lines[0].seconds, 0.06, 1e-12);
  EXPECT_EQ(p.lines[1].what, "idle");
  EXPECT_NEAR(p.lines[1].share, 0.3, 1e-12);
  EXPECT_NEAR(p.waits, 0.3, 1e-12);
  EXPECT_EQ(p.lines[2].lastLine, 6u);
}

TEST(ReadSamples, FewAreSaid) {
  runtime::LineSamples samples;
  samples.interval = 1e-3;
  samples.counts = {{3, 0}};
  Profile p = profiler::readSamples(samples, 1, 1, 0.003);
  ASSERT_EQ(p.notes.size(), 1u);
  EXPECT_NE(p.notes[0].find("seen in the kernel 3 times"), std::string::npos);
}

/// What is outside of the code belongs to the call whose return address lies on the stack.
TEST(CodeSampler, CallsAreOfTheirLine) {
  const std::vector<uint8_t> code(64);
  runtime::cpu::CodeSampler sampler(code.data(), code.size());
  const auto begin = reinterpret_cast<uint64_t>(code.data());
  std::vector<uint64_t> stack(256, 0);
  sampler.note(begin + 5, stack.data());
  sampler.note(begin + 20, stack.data());
  sampler.note(1, stack.data());
  stack[7] = begin + 16; // returns to what follows the first place
  sampler.note(1, stack.data());
  const std::vector<runtime::CodePlace> places = {{"k.py", 1, 1, 1}, {"k.py", 2, 1, 2}};
  const std::vector<runtime::CodeLine> lines = {{0, 1}, {16, 2}, {32, 0}};
  runtime::LineSamples samples = sampler.read(places, lines);
  EXPECT_EQ(samples.unknown, 1u);
  EXPECT_EQ(samples.counts[1].own, 1u);
  EXPECT_EQ(samples.counts[1].called, 1u);
  EXPECT_EQ(samples.counts[2].own, 1u);
  EXPECT_EQ(samples.counts[2].called, 0u);
}

TEST(CodeSampler, WhoIsNotWatchedIsNotSeen) {
  const std::vector<uint8_t> code(64);
  runtime::cpu::CodeSampler sampler(code.data(), code.size());
  auto spin = [] {
    auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(30);
    while (std::chrono::steady_clock::now() < end)
      ;
  };
  {
    runtime::cpu::CodeSampler::Watch watch(&sampler);
    spin();
  }
  uint64_t seen = sampler.read({}, {}).all();
  EXPECT_GT(seen, 0u);
  spin(); // the timer goes on
  EXPECT_EQ(sampler.read({}, {}).all(), seen);
}

} // namespace
} // namespace nereid::test
