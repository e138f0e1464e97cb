// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a timer counts and what it makes of it. Wanted quantiles are NumPy's.
#include "nereid/tune.h"

#include <gtest/gtest.h>

using namespace nereid;

namespace {

/// Goes on by `step` whenever it is read: what is timed takes a step.
struct SteppingClock {
  double now = 0, step = 1;
  std::function<double()> function() {
    return [this] { return now += step; };
  }
};

TEST(Measurement, QuantilesLieBetweenTimes) {
  Measurement measured({5, 1, 4, 2, 3.5, 100});
  EXPECT_DOUBLE_EQ(measured.median(), 3.75);
  EXPECT_DOUBLE_EQ(measured.quantile(0), 1);
  EXPECT_DOUBLE_EQ(measured.quantile(1), 100);
  EXPECT_DOUBLE_EQ(measured.quantile(0.2), 2);
  EXPECT_DOUBLE_EQ(measured.quantile(0.33), 2.975);
  EXPECT_DOUBLE_EQ(measured.quantile(0.95), 76.25);
  EXPECT_EQ(measured.times(), (std::vector<double>{5, 1, 4, 2, 3.5, 100}));
  EXPECT_DOUBLE_EQ(Measurement({7}).quantile(0.3), 7);
  EXPECT_THROW(Measurement({}), Error);
  EXPECT_THROW(measured.quantile(1.1), Error);
  EXPECT_THROW(measured.quantile(-0.1), Error);
}

TEST(Measurement, SpreadTellsUnrest) {
  EXPECT_DOUBLE_EQ(Measurement({10, 10, 10, 10, 10, 50}).spread(), 0);
  EXPECT_FALSE(Measurement({10, 10, 10, 10, 10, 50}).isNoisy());
  // 20 %: 9, 80 %: 12
  Measurement restless({8, 9, 10, 10, 12, 14});
  EXPECT_DOUBLE_EQ(restless.spread(), 0.3);
  EXPECT_TRUE(restless.isNoisy());
  EXPECT_EQ(Measurement({0, 0, 1}).spread(), 0);
}

TEST(MeasureCalls, WarmsUpThenRepeats) {
  SteppingClock clock{.step = 2};
  int calls = 0;
  Measurement measured = measureCalls([&] { ++calls; }, {.warmupMilliseconds = 9,
                                                         .repeatMilliseconds = 20,
                                                         .fewestCalls = 3,
                                                         .clock = clock.function()});
  EXPECT_EQ(calls, 5 + 10);
  EXPECT_EQ(measured.times(), std::vector<double>(10, 2));
}

TEST(MeasureCalls, CountsCallsWithinItsLimits) {
  SteppingClock clock{.step = 1000};
  int calls = 0;
  auto call = [&] { ++calls; };
  TimerOptions options{.fewestCalls = 3, .clock = clock.function()};
  EXPECT_EQ(measureCalls(call, options).times().size(), 3u);
  EXPECT_EQ(calls, 4); // one of them warms up
  clock.step = 1e-3;
  options.mostCalls = 7;
  EXPECT_EQ(measureCalls(call, options).times().size(), 7u);
  options.warmupMilliseconds = 1;
  clock.step = 0; // stands still
  options.warmupMilliseconds = 1e-4;
  EXPECT_EQ(measureCalls(call, options).times(), std::vector<double>(7, 0));
  options.fewestCalls = 0;
  EXPECT_THROW(measureCalls(call, options), Error);
  options.fewestCalls = 8;
  EXPECT_THROW(measureCalls(call, options), Error);
}

TEST(MeasureCalls, WhatPreparesDoesNotCount) {
  SteppingClock clock;
  int prepared = 0, calls = 0;
  auto prepare = [&] {
    EXPECT_EQ(prepared, calls);
    ++prepared;
    clock.now += 5;
  };
  auto call = [&] {
    ++calls;
    clock.now += 3;
  };
  Measurement measured = measureCalls(
      call, {.warmupMilliseconds = 0, .repeatMilliseconds = 40, .clock = clock.function()},
      prepare);
  // 3 + 1 for the clock of the call and 5 + 1 for that of what prepares, which is of the budget.
  EXPECT_EQ(measured.times(), std::vector<double>(5, 4));
  EXPECT_EQ(prepared, 6);
}

TEST(MeasureCalls, WhatPreparesIsOfTheBudget) {
  SteppingClock clock;
  int calls = 0;
  measureCalls([&] { ++calls; },
               {.warmupMilliseconds = 100, .repeatMilliseconds = 200, .clock = clock.function()},
               [&] { clock.now += 20; });
  EXPECT_LE(calls, 5 + 10);
}

TEST(MeasureCalls, WhatThrowsLeaves) {
  EXPECT_THROW(measureCalls([] { throw std::runtime_error("no"); }), std::runtime_error);
}

TEST(Timer, RealLaunchesTakeTimeAndPrintNothing) {
  Device device = Device::open("cpu");
  Kernel kernel = Module::fromText("import triton\nimport triton.language as tl\n"
                                   "@triton.jit\n"
                                   "def talk(x_ptr):\n"
                                   "    tl.device_print('said')\n"
                                   "    tl.store(x_ptr, tl.load(x_ptr) + 1)\n")
                      .kernel();
  Array x = device.zeros(DType::Float64, {1});
  Launch launch = kernel.prepare(device, {{"x_ptr", x}});
  testing::internal::CaptureStdout();
  Measurement measured =
      Timer(device, {.warmupMilliseconds = 1, .repeatMilliseconds = 2}).measure(launch, {});
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_GT(measured.quantile(0), 0);
  // At least one launch warms up.
  EXPECT_GT(x.toVector<double>()[0], static_cast<double>(measured.times().size()));
}

} // namespace
