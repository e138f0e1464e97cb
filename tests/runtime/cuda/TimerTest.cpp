// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches on a GPU are timed between events, behind a kernel that overwrites its L2 cache.
#include "FakeDevice.h"
#include "nereid/tune.h"

#include <algorithm>
#include <atomic>
#include <set>

namespace nereid::test {
namespace {

class GpuTimer : public FakeDevice {
protected:
  GpuTimer() {
    fake_cuda::Config config = machine();
    config.devices[0].memory = size_t(1) << 30;
    fake_cuda::reset(config);
    fake_cuda::setKernel("kernel_touch", {{8}, 32, 0, 0, [this](const fake_cuda::KernelRun &run) {
                                            ++touched;
                                            sizes.insert(run.threads);
                                            return 0;
                                          }});
    fake_cuda::setKernel("kernel_overwrite",
                         {{8}, 32, 0, 0, [this](const fake_cuda::KernelRun &run) {
                            ++overwritten;
                            blocks = run.grid[0];
                            return 0;
                          }});
  }
  static Kernel touch() {
    return Module::fromText("import triton\nimport triton.language as tl\n"
                            "@triton.jit\n"
                            "def touch(x_ptr):\n"
                            "    tl.store(x_ptr, 1.0)\n")
        .kernel();
  }
  Measurement measure(TimerOptions options) {
    Device device = Device::open("cuda");
    Launch launch = touch().prepare(device, {{"x_ptr", device.zeros(DType::Float32, {1})}});
    return Timer(device, options).measure(launch, {});
  }

  std::atomic<size_t> touched = 0, overwritten = 0, blocks = 0;
  std::set<unsigned> sizes; // in threads, of the blocks of launches of touch
};

TEST_F(GpuTimer, OverwritesTheCacheBeforeEachLaunchThatCounts) {
  TimerOptions options{.warmupMilliseconds = 0, .repeatMilliseconds = 0, .fewestCalls = 7};
  Measurement measured = measure(options);
  EXPECT_EQ(measured.times().size(), 7u);
  EXPECT_EQ(overwritten, 8u); // the first one warms up, and takes as long as the others
  EXPECT_EQ(touched, 8u);
  EXPECT_EQ(blocks * 4096 * 4, size_t(256) << 20);
  for (double time : measured.times())
    EXPECT_GE(time, 0);
}

TEST_F(GpuTimer, LeavesTheCacheAloneIfAskedTo) {
  TimerOptions options{
      .warmupMilliseconds = 0, .repeatMilliseconds = 0, .fewestCalls = 300, .flushesCache = false};
  EXPECT_GE(measure(options).times().size(), 300u); // more than a batch
  EXPECT_EQ(overwritten, 0u);
}

TEST_F(GpuTimer, RunsGraphsOfManyLaunches) {
  TimerOptions options{.warmupMilliseconds = 0, .repeatMilliseconds = 20, .usesGraph = true};
  fake_cuda::takeCalls();
  EXPECT_GE(measure(options).times().size(), 5u);
  std::vector<std::string> calls = fake_cuda::takeCalls();
  auto runs = static_cast<size_t>(std::ranges::count(calls, "cuGraphLaunch"));
  auto recorded = static_cast<size_t>(std::ranges::count_if(
      calls, [](const std::string &call) { return call.starts_with("cuLaunchKernel"); }));
  EXPECT_EQ(std::ranges::count(calls, "cuGraphInstantiateWithFlags"), 1);
  EXPECT_GE(runs, 5u);
  EXPECT_EQ(touched, 1 + runs * (recorded - 1)); // the first one warms up, by itself
  EXPECT_EQ(overwritten, 0u);
}

TEST_F(GpuTimer, TuningTriesAsManyWarpsAsItIsToldTo) {
  Device device = Device::open("cuda");
  TuningOptions options{.timer = {.warmupMilliseconds = 0, .repeatMilliseconds = 0}};
  options.trials.keepsRecords = false;
  TuningResult result = tune(
      device, touch(), [](const Constants &) { return Grid{}; },
      {{"x_ptr", device.zeros(DType::Float32, {1})}},
      {{.tuning = {.warps = 2}}, {.tuning = {.warps = 8}}}, options);
  EXPECT_EQ(sizes, (std::set<unsigned>{64, 256}));
  EXPECT_EQ(result.trials().size(), 2u);
  EXPECT_EQ(result.best().record.subject.target, "cuda sm_90, Fake H200");
}

} // namespace
} // namespace nereid::test
