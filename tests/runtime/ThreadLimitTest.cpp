// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the system gives no more threads, a call fails and the process goes on.
#include "nereid/nereid.h"
#include "nereid/tune.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

using namespace nereid;

namespace {

/// Leaves room for so many bytes more than the process has now.
void limitMemory(size_t more) {
  unsigned long pages = 0;
  std::FILE *file = std::fopen("/proc/self/statm", "r");
  if (!file || std::fscanf(file, "%lu", &pages) != 1)
    std::_Exit(10);
  std::fclose(file);
  rlim_t most = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + more;
  rlimit limit{most, most};
  if (setrlimit(RLIMIT_AS, &limit) != 0)
    std::_Exit(11);
}

/// 0 if `act` throws an Error(Environment) that mentions `wanted`.
template <typename F> [[noreturn]] void exitByFailure(const char *wanted, F act) {
  try {
    act();
  } catch (const Error &error) {
    std::fputs(error.what(), stderr);
    bool isWanted = error.kind() == Error::Kind::Environment &&
                    std::string(error.what()).find(wanted) != std::string::npos;
    std::_Exit(isWanted ? 0 : 1);
  }
  std::_Exit(2);
}

Kernel kernel() {
  return Module::fromText("import triton\nimport triton.language as tl\n"
                          "@triton.jit\ndef k(x):\n    tl.store(x, 1)\n")
      .kernel();
}

[[noreturn]] void compileUnderLimit(const char *name) {
  Device device = Device::open(name, {.threads = 1, .usesDiskCache = false});
  Array x = device.zeros(DType::Int32, {1});
  Kernel loaded = kernel();
  limitMemory(size_t(60) << 20);
  exitByFailure("not enough memory for a stack to compile on",
                [&] { loaded.launch(device, {1}, {{"x", x}}); });
}

[[noreturn]] void openStreamsUnderLimit() {
  Device device = Device::open("cpu", {.threads = 1});
  limitMemory(size_t(60) << 20);
  exitByFailure("cannot make a thread for a stream", [&] {
    std::vector<Stream> streams;
    for (int i = 0; i < 100; ++i)
      streams.push_back(device.stream());
  });
}

[[noreturn]] void tuneUnderLimit() {
  limitMemory(size_t(60) << 20);
  std::vector<Candidate> candidates;
  for (int i = 0; i < 100; ++i)
    candidates.push_back(
        {std::to_string(i), [] { usleep(1000); }, [] { return Timing{1, 1, 1, 1}; }});
  TrialOptions options{.keepsRecords = false, .compileThreads = 100};
  auto trials = tryCandidates({"k", "d", "t", "n=1"}, candidates, options);
  std::_Exit(trials.size() == 100 ? 0 : 1);
}

// Each in a process of its own, whose limit goes with it.
class ThreadLimitDeathTest : public testing::Test {
protected:
  void SetUp() override { testing::GTEST_FLAG(death_test_style) = "threadsafe"; }
};

TEST_F(ThreadLimitDeathTest, CompilingIsRefused) {
  EXPECT_EXIT(compileUnderLimit("cpu"), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(compileUnderLimit("check"), testing::ExitedWithCode(0), "");
}

TEST_F(ThreadLimitDeathTest, AStreamIsRefused) {
  EXPECT_EXIT(openStreamsUnderLimit(), testing::ExitedWithCode(0), "");
}

TEST_F(ThreadLimitDeathTest, TuningGoesOnWithFewerThreads) {
  EXPECT_EXIT(tuneUnderLimit(), testing::ExitedWithCode(0), "");
}

} // namespace
