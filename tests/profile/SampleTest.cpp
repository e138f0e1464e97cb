// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Time by line on a CPU: where threads stand, and how that is added up.
#include "nereid/profile.h"
#include "profile/ReadSamples.h"
#include "runtime/cpu/CodeSampler.h"
#include "runtime/cpu/ThreadPool.h"
#include "runtime/cpu/WholeGrid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <csignal>
#include <numeric>
#include <sys/resource.h>
#include <thread>

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
  sampler.note(begin + 5, stack.data(), stack.data() + stack.size());
  sampler.note(begin + 20, stack.data(), stack.data() + stack.size());
  sampler.note(1, stack.data(), stack.data() + stack.size());
  stack[7] = begin + 16; // returns to what follows the first place
  sampler.note(1, stack.data(), stack.data() + stack.size());
  const std::vector<runtime::CodePlace> places = {{"k.py", 1, 1, 1}, {"k.py", 2, 1, 2}};
  const std::vector<runtime::CodeLine> lines = {{0, 1}, {16, 2}, {32, 0}};
  runtime::LineSamples samples = sampler.read(places, lines);
  EXPECT_EQ(samples.unknown, 1u);
  EXPECT_EQ(samples.counts[1].own, 1u);
  EXPECT_EQ(samples.counts[1].called, 1u);
  EXPECT_EQ(samples.counts[2].own, 1u);
  EXPECT_EQ(samples.counts[2].called, 0u);
}

/// What lies beyond the end of the stack is not read.
TEST(CodeSampler, NothingIsReadPastTheStack) {
  const std::vector<uint8_t> code(64);
  runtime::cpu::CodeSampler sampler(code.data(), code.size());
  std::vector<uint64_t> stack(8, reinterpret_cast<uint64_t>(code.data()) + 16);
  sampler.note(1, stack.data(), stack.data());
  sampler.note(1, stack.data() + 1, stack.data()); // on another stack than is known of
  stack[0] = 0;
  sampler.note(1, stack.data(), stack.data() + 1);
  EXPECT_EQ(sampler.read({}, {}).unknown, 3u);
  sampler.note(1, stack.data(), stack.data() + 2);
  runtime::LineSamples samples = sampler.read({}, {});
  EXPECT_EQ(samples.unknown, 3u);
  EXPECT_EQ(samples.all(), 4u);
}

/// A sampler of code that nobody is in: whoever is watched is seen at no known place.
class Sampling : public testing::Test {
protected:
  using CodeSampler = runtime::cpu::CodeSampler;
  Sampling() { sigaction(SIGPROF, nullptr, &action); }
  ~Sampling() override { sigaction(SIGPROF, &action, nullptr); }

  static constexpr auto aWhile = std::chrono::milliseconds(30);
  static void spin(std::chrono::nanoseconds time = aWhile) {
    auto end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end)
      ;
  }
  static uint64_t seenBy(const CodeSampler &sampler) { return sampler.read({}, {}).all(); }
  /// Whether a signal has interrupted this thread meanwhile.
  static bool isInterrupted() {
    const timespec time = {0, std::chrono::nanoseconds(aWhile).count()};
    return nanosleep(&time, nullptr) != 0;
  }
  static void setAction(void (*handler)(int)) {
    struct sigaction own = {};
    own.sa_handler = handler;
    sigaction(SIGPROF, &own, nullptr);
  }
  static void (*handlerNow())(int) {
    struct sigaction now = {};
    sigaction(SIGPROF, nullptr, &now);
    return now.sa_handler;
  }
  static inline std::atomic<int> othersSignals = 0;
  static void countOthers(int) { ++othersSignals; }

  const std::vector<uint8_t> code = std::vector<uint8_t>(64);
  struct sigaction action = {};
};

TEST_F(Sampling, WhoIsNotWatchedIsNotSeen) {
  CodeSampler sampler(code.data(), code.size());
  CodeSampler::Launch timersRun(sampler);
  {
    CodeSampler::Watch watch(&sampler);
    spin();
  }
  uint64_t seen = seenBy(sampler);
  EXPECT_GT(seen, 0u);
  spin(); // the timer goes on
  EXPECT_EQ(seenBy(sampler), seen);
}

/// So launches without it cost what they cost.
TEST_F(Sampling, TimersRunInWatchedLaunchesOnly) {
  CodeSampler sampler(code.data(), code.size());
  {
    CodeSampler::Watch watch(&sampler);
    EXPECT_FALSE(isInterrupted());
  }
  {
    CodeSampler::Launch timersRun(sampler);
    CodeSampler::Watch watch(&sampler);
    EXPECT_TRUE(isInterrupted());
  }
  uint64_t seen = seenBy(sampler);
  EXPECT_GT(seen, 0u);
  CodeSampler::Watch watch(&sampler);
  EXPECT_FALSE(isInterrupted());
  EXPECT_EQ(seenBy(sampler), seen);
}

/// A launch of a tenth of the interval, again and again: its timer goes on where it was stopped.
TEST_F(Sampling, ShortLaunchesAreSeen) {
  CodeSampler sampler(code.data(), code.size());
  for (int launch = 0; launch < 600; ++launch) {
    CodeSampler::Launch timersRun(sampler);
    CodeSampler::Watch watch(&sampler);
    spin(std::chrono::nanoseconds(CodeSampler::intervalNanoseconds / 10));
  }
  EXPECT_GT(seenBy(sampler), 10u) << "of some 60";
}

/// They start with all signals blocked, and have them blocked afterwards.
TEST_F(Sampling, ThreadsOfThePoolAreSeen) {
  CodeSampler sampler(code.data(), code.size());
  runtime::cpu::ThreadPool pool(2);
  const std::thread::id launching = std::this_thread::get_id();
  std::barrier<> both(2);
  std::atomic<bool> isBlocked = false;
  CodeSampler::Launch timersRun(sampler);
  pool.run(2, 0, [&](uint64_t, uint64_t, void *) {
    both.arrive_and_wait();
    if (std::this_thread::get_id() == launching)
      return;
    {
      CodeSampler::Watch watch(&sampler);
      spin();
    }
    sigset_t mask;
    pthread_sigmask(SIG_BLOCK, nullptr, &mask);
    isBlocked = sigismember(&mask, SIGPROF);
  });
  EXPECT_GT(seenBy(sampler), 0u);
  EXPECT_TRUE(isBlocked);
}

/// Programs that wait for one another leave their stacks while they are watched.
TEST_F(Sampling, WhoHasLeftItsStackIsNotSeen) {
  CodeSampler sampler(code.data(), code.size());
  CodeSampler::Launch timersRun(sampler);
  constexpr uint64_t programs = 64;
  runtime::cpu::runWholeGrid(programs, 0, 2, [&](uint64_t, void *) {
    CodeSampler::Watch watch(&sampler);
    for (int round = 0; round < 400; ++round)
      runtime::cpu::nereidSyncGrid();
    spin(std::chrono::milliseconds(1));
  });
  uint64_t seen = seenBy(sampler);
  EXPECT_GT(seen, 0u);
  spin();
  EXPECT_EQ(seenBy(sampler), seen) << "this thread is still watched";
}

TEST_F(Sampling, OthersSignalsAreHandedOn) {
  setAction(countOthers);
  othersSignals = 0;
  {
    CodeSampler sampler(code.data(), code.size());
    raise(SIGPROF);
    EXPECT_EQ(othersSignals, 1);
    std::thread([] { raise(SIGPROF); }).join();
    EXPECT_EQ(othersSignals, 2);
    CodeSampler::Launch timersRun(sampler);
    CodeSampler::Watch watch(&sampler);
    spin();
    EXPECT_EQ(othersSignals, 2) << "those of timers are not theirs";
  }
  EXPECT_EQ(handlerNow(), &countOthers);
  raise(SIGPROF);
  EXPECT_EQ(othersSignals, 3);
}

TEST_F(Sampling, TheDefaultComesBackAndEndsNoProfile) {
  for (int profile = 0; profile < 2; ++profile) {
    setAction(SIG_DFL);
    {
      CodeSampler sampler(code.data(), code.size());
      struct sigaction now = {};
      sigaction(SIGPROF, nullptr, &now);
      EXPECT_TRUE(now.sa_flags & SA_ONSTACK);
      raise(SIGPROF); // would end the process
      CodeSampler::Launch timersRun(sampler);
      CodeSampler::Watch watch(&sampler);
      spin();
      EXPECT_GT(seenBy(sampler), 0u);
    }
    EXPECT_EQ(handlerNow(), SIG_DFL);
  }
}

/// A timer's signal that still waits for a thread when the profile ends does not end the process.
TEST_F(Sampling, LateSignalsAreDropped) {
  setAction(SIG_DFL);
  sigset_t prof, previous;
  sigemptyset(&prof);
  sigaddset(&prof, SIGPROF);
  {
    CodeSampler sampler(code.data(), code.size());
    CodeSampler::Launch timersRun(sampler);
    {
      CodeSampler::Watch watch(&sampler);
    }
    pthread_sigmask(SIG_BLOCK, &prof, &previous);
    spin();
  }
  pthread_sigmask(SIG_SETMASK, &previous, nullptr);
}

TEST_F(Sampling, WithoutTimersReadSaysSo) {
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_SIGPENDING, &before), 0);
  CodeSampler sampler(code.data(), code.size());
  {
    const rlimit none = {0, before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_SIGPENDING, &none), 0);
    CodeSampler::Launch timersRun(sampler);
    std::thread([&] { CodeSampler::Watch watch(&sampler); }).join();
    CodeSampler::Watch watch(&sampler);
    ASSERT_EQ(setrlimit(RLIMIT_SIGPENDING, &before), 0);
    EXPECT_FALSE(isInterrupted());
  }
  try {
    sampler.read({}, {});
    FAIL() << "nothing failed";
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), Error::Kind::Environment);
    EXPECT_NE(std::string(error.what()).find("timer_create"), std::string::npos) << error.what();
  }
}

} // namespace
} // namespace nereid::test
