// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams and events on every device. Where a test needs work that is not done yet, a print sink
// holds it up until the test says so: no test depends on how long something takes.
#include "Failures.h"
#include "nereid/nereid.h"
#include "nereid/tune.h"
#include "runtime/Memory.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <latch>
#include <numeric>
#include <optional>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace nereid;
using nereid::test::errorOf;

namespace {

constexpr const char *streamText = R"(
import triton
import triton.language as tl

@triton.jit
def step(x_ptr, k):
    tl.store(x_ptr, tl.load(x_ptr) * 3 + k)

@triton.jit
def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n) + tl.load(y_ptr + i, mask=i < n), mask=i < n)

@triton.jit
def prints(x_ptr):
    print("here", tl.program_id(0))

@triton.jit
def beyond(x_ptr):
    tl.store(x_ptr + 1000000 + tl.program_id(0), 1)
)";

/// Holds up a launch that prints.
class Gate {
public:
  LaunchOptions options(const Stream &stream) {
    return {.print = [this](std::string_view) { opened.wait(); }, .stream = stream};
  }
  void open() { opened.count_down(); }

private:
  std::latch opened{1};
};

class StreamTest : public testing::TestWithParam<const char *> {
protected:
  Array counter(uint64_t value = 1) { return device.array(std::vector<uint64_t>{value}); }
  static uint64_t valueOf(const Array &array) { return array.toVector<uint64_t>()[0]; }
  /// Queues what no other order of launches gives the same for.
  void step(const Stream &stream, const Array &x, int k) {
    module.kernel("step").launch(device, Grid{}, {{"x_ptr", x}, {"k", k}}, {.stream = stream});
  }
  void hold(const Stream &stream, Gate &gate) {
    module.kernel("prints").launch(device, Grid{}, {{"x_ptr", spare}}, gate.options(stream));
  }
  static uint64_t stepped(uint64_t value, int first, int last) {
    for (int k = first; k < last; ++k)
      value = value * 3 + static_cast<uint64_t>(k);
    return value;
  }

  Device device = Device::open(GetParam(), {2});
  Module module = Module::fromText(streamText, "stream.py");
  Array spare = counter();
};

INSTANTIATE_TEST_SUITE_P(Devices, StreamTest, testing::Values("cpu", "check"),
                         [](const auto &info) { return std::string(info.param); });

TEST_P(StreamTest, WorkIsDoneInOrderWhileTheHostGoesOn) {
  Stream stream = device.stream();
  EXPECT_TRUE(stream.isIdle());
  Gate gate;
  Array x = counter();
  hold(stream, gate);
  for (int k = 0; k < 100; ++k)
    step(stream, x, k);
  Event end = stream.record();
  EXPECT_FALSE(stream.isIdle());
  EXPECT_FALSE(end.isDone());
  EXPECT_EQ(valueOf(x), 1u);
  gate.open();
  stream.synchronize();
  EXPECT_TRUE(stream.isIdle());
  EXPECT_TRUE(end.isDone());
  EXPECT_EQ(valueOf(x), stepped(1, 0, 100));
}

TEST_P(StreamTest, CopiesAreInOrder) {
  constexpr int n = 1000;
  Stream stream = device.stream();
  Array x = device.empty(DType::Float32, {n}), y = device.zeros(DType::Float32, {n}),
        out = device.empty(DType::Float32, {n});
  std::vector<float> in(n), first(n), second(n);
  std::iota(in.begin(), in.end(), 0.5f);
  Launch launch = module.kernel("add").prepare(
      device, {{"x_ptr", x}, {"y_ptr", y}, {"out_ptr", out}, {"n", n}, {"BLOCK", 64}});
  Gate gate;
  hold(stream, gate);
  x.copyFrom(in.data(), stream);
  launch.run({cdiv(n, 64)}, {.stream = stream});
  out.copyTo(first.data(), stream);
  y.copyFrom(in.data(), stream);
  launch.run([](const Constants &c) { return Grid{cdiv(n, c["BLOCK"])}; }, {.stream = stream});
  out.copyTo(second.data(), stream);
  EXPECT_EQ(first, std::vector<float>(n));
  gate.open();
  stream.synchronize();
  EXPECT_EQ(first, in);
  for (float &value : in)
    value *= 2;
  EXPECT_EQ(second, in);
}

TEST_P(StreamTest, AStreamWaitsForAnother) {
  Stream first = device.stream(), second = device.stream();
  Array x = counter();
  Gate gate;
  hold(first, gate);
  step(first, x, 5);
  Event middle = first.record();
  second.wait(middle);
  step(second, x, 7);
  Event end = second.record();
  EXPECT_FALSE(middle.isDone());
  EXPECT_FALSE(end.isDone());
  gate.open();
  end.wait();
  EXPECT_TRUE(middle.isDone());
  EXPECT_EQ(valueOf(x), (1 * 3 + 5) * 3 + 7u);
}

TEST_P(StreamTest, StreamsHandWorkRound) {
  std::vector<Stream> streams;
  for (int i = 0; i < 4; ++i)
    streams.push_back(device.stream());
  Array x = counter();
  Event last = streams[0].record();
  for (int k = 0; k < 400; ++k) {
    const Stream &stream = streams[static_cast<size_t>(k * 7 % 4)];
    stream.wait(last);
    step(stream, x, k);
    last = stream.record();
  }
  last.wait();
  EXPECT_EQ(valueOf(x), stepped(1, 0, 400));
}

TEST_P(StreamTest, EventsTellTheTimeBetweenThem) {
  using namespace std::chrono;
  Stream stream = device.stream(), other = Device::open("check").stream();
  auto before = steady_clock::now();
  Event begin = stream.record();
  module.kernel("prints").launch(
      device, Grid{}, {{"x_ptr", spare}},
      {.print = [](std::string_view) { std::this_thread::sleep_for(milliseconds(5)); },
       .stream = stream});
  Event end = stream.record();
  double time = end.millisecondsSince(begin);
  double most = duration<double, std::milli>(steady_clock::now() - before).count();
  EXPECT_GE(time, 5);
  EXPECT_LE(time, most);
  EXPECT_EQ(begin.millisecondsSince(end), -time);
  EXPECT_GE(other.record().millisecondsSince(begin), time);
}

TEST_P(StreamTest, WhatASinkThrowsSurfacesOnceAndNamesTheLaunch) {
  Stream stream = device.stream(), follower = device.stream();
  Array x = counter();
  std::vector<uint64_t> host = {9};
  Gate gate;
  hold(stream, gate);
  LaunchOptions options;
  options.stream = stream;
  options.print = [](std::string_view) { throw std::range_error("the pipe is closed"); };
  module.kernel("prints").launch(device, {4}, {{"x_ptr", spare}}, options);
  step(stream, x, 1);
  x.copyTo(host.data(), stream);
  Event after = stream.record();
  follower.wait(after);
  step(follower, x, 2);
  gate.open();
  try {
    stream.synchronize();
    FAIL() << "no Error was thrown";
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), Error::Kind::Usage);
    EXPECT_STREQ(error.what(),
                 "the print sink threw: the pipe is closed\n"
                 "note: launch 2 of the stream, kernel 'prints' over a grid of (4, 1, 1)");
    EXPECT_THROW(std::rethrow_if_nested(error), std::range_error);
  }
  EXPECT_THROW(follower.synchronize(), Error);
  EXPECT_EQ(valueOf(x), 1u) << "work after a failure was not skipped";
  EXPECT_EQ(host[0], 9u);
  EXPECT_TRUE(after.isDone());
  EXPECT_THROW(after.wait(), Error);
  EXPECT_THROW(after.wait(), Error);
  stream.synchronize();
  follower.synchronize();
  step(stream, x, 1);
  stream.synchronize();
  EXPECT_EQ(valueOf(x), 4u);
}

TEST(Stream, WhatTheCheckedDeviceFindsSurfacesAtSynchronize) {
  Device device = Device::open("check");
  Stream stream = device.stream();
  Array x = device.zeros(DType::Float32, {1});
  Module module = Module::fromText(streamText, "stream.py");
  std::vector<std::string> reports;
  for (int again = 0; again < 2; ++again) {
    module.kernel("beyond").launch(device, {3}, {{"x_ptr", x}}, {.stream = stream});
    module.kernel("beyond").launch(device, {5}, {{"x_ptr", x}}, {.stream = stream});
    Error error = errorOf([&] { stream.synchronize(); });
    EXPECT_EQ(error.kind(), Error::Kind::Checked);
    ASSERT_EQ(error.findings().size(), 1u);
    EXPECT_EQ(error.findings()[0].id, "out_of_bounds");
    reports.emplace_back(error.what());
    stream.synchronize();
  }
  auto endsWith = [](const std::string &report, const char *end) { return report.ends_with(end); };
  EXPECT_PRED2(endsWith, reports[0],
               "\nnote: launch 1 of the stream, kernel 'beyond' over a grid of (3, 1, 1)");
  EXPECT_PRED2(endsWith, reports[1],
               "\nnote: launch 3 of the stream, kernel 'beyond' over a grid of (3, 1, 1)");
}

TEST_P(StreamTest, MistakesOfACallAreItsOwn) {
  Stream stream = device.stream();
  Array x = counter();
  Launch launch = module.kernel("step").prepare(device, {{"x_ptr", x}, {"k", 2}});
  for (Grid grid : {Grid{-1}, Grid{1, 1, -1}, Grid{1, 65536}})
    EXPECT_EQ(errorOf([&] { launch.run(grid, {.stream = stream}); }).kind(), Error::Kind::Usage);
  Array gaps = device.borrow(x.data(), DType::UInt16, {2}, {2});
  uint64_t host = 0;
  EXPECT_EQ(errorOf([&] { gaps.copyTo(&host, stream); }).kind(), Error::Kind::Usage);
  EXPECT_EQ(errorOf([&] { x.copyFrom(nullptr, stream); }).kind(), Error::Kind::Usage);
  std::string otherName = device.name() == "cpu" ? "check" : "cpu";
  for (const Device &other : {Device::open(otherName), Device::open(device.name(), {3})}) {
    Error error = errorOf([&] { launch.run(Grid{}, {.stream = other.stream()}); });
    EXPECT_EQ(error.kind(), Error::Kind::Usage);
    EXPECT_NE(
        std::string(error.what()).find("kernel 'step' was prepared for device '" + device.name()),
        std::string::npos);
  }
  launch.run(Grid{}, {.stream = stream});
  stream.synchronize();
  EXPECT_EQ(valueOf(x), 5u);
}

TEST_P(StreamTest, QueuedWorkKeepsWhatItUses) {
  size_t before = runtime::hostBytesInUse();
  std::vector<uint64_t> host(1);
  std::vector<float> values(1000);
  Stream stream = device.stream();
  Gate gate;
  hold(stream, gate);
  {
    Array x = counter(4), big = device.zeros(DType::Float32, {1000});
    Module own = Module::fromText(streamText);
    own.kernel("step").launch(device, Grid{}, {{"x_ptr", x}, {"k", 3}}, {.stream = stream});
    x.copyTo(host.data(), stream);
    big.copyFrom(values.data(), stream);
  }
  EXPECT_GT(runtime::hostBytesInUse(), before);
  gate.open();
  stream.synchronize();
  EXPECT_EQ(host[0], 15u);
  EXPECT_EQ(runtime::hostBytesInUse(), before);
}

TEST_P(StreamTest, TheLastHandleWaits) {
  Array x = counter();
  {
    Stream stream = device.stream(), copy = stream;
    for (int k = 0; k < 50; ++k)
      step(k % 2 ? stream : copy, x, k);
  }
  EXPECT_EQ(valueOf(x), stepped(1, 0, 50));
}

TEST_P(StreamTest, HandlesGoInAnyOrder) {
  std::vector<uint64_t> host(1);
  std::optional<Event> event;
  std::optional<Stream> stream;
  {
    Device own = Device::open(GetParam(), {3});
    Module mine = Module::fromText(streamText);
    Array x = own.array(std::vector<uint64_t>{2});
    stream = own.stream();
    mine.kernel("step").launch(own, Grid{}, {{"x_ptr", x}, {"k", 1}}, {.stream = *stream});
    x.copyTo(host.data(), *stream);
    event = stream->record();
  }
  stream.reset();
  event->wait();
  EXPECT_EQ(host[0], 7u);
}

TEST_P(StreamTest, ASinkMayHoldTheLastHandleOfItsStream) {
  std::atomic<int> lines = 0;
  std::optional<Event> end;
  {
    Stream stream = device.stream();
    Gate gate;
    hold(stream, gate);
    for (int i = 0; i < 3; ++i)
      module.kernel("prints").launch(
          device, {4}, {{"x_ptr", spare}},
          {.print = [&lines, stream](std::string_view) { ++lines; }, .stream = stream});
    end = stream.record();
    gate.open();
    end->wait();
  }
  EXPECT_EQ(lines, 12);
}

TEST_P(StreamTest, ASinkThatWaitsForItsOwnStreamIsToldSo) {
  Stream stream = device.stream();
  module.kernel("prints").launch(
      device, {4}, {{"x_ptr", spare}},
      {.print = [&](std::string_view) { stream.synchronize(); }, .stream = stream});
  Error error = errorOf([&] { stream.synchronize(); });
  EXPECT_EQ(error.kind(), Error::Kind::Usage);
  EXPECT_TRUE(std::string(error.what())
                  .starts_with("what prints for a stream cannot wait for the same stream\n"));
}

TEST_P(StreamTest, MoreWorkThanFitsWaitsForRoom) {
  Stream stream = device.stream();
  Array x = counter();
  Launch launch = module.kernel("step").prepare(device, {{"x_ptr", x}, {"k", 2}});
  Gate gate;
  hold(stream, gate);
  std::atomic<int> given = 0;
  std::thread giver([&] {
    for (; given < 3000; ++given)
      launch.run(Grid{}, {.stream = stream});
  });
  while (given < 1000)
    std::this_thread::yield();
  EXPECT_LT(given, 1100);
  gate.open();
  giver.join();
  stream.synchronize();
  uint64_t expected = 1;
  for (int i = 0; i < 3000; ++i)
    expected = expected * 3 + 2;
  EXPECT_EQ(valueOf(x), expected);
}

TEST_P(StreamTest, ManyThreadsUseManyStreams) {
  constexpr int threads = 6, rounds = 60;
  std::vector<Stream> streams;
  for (int i = 0; i < 3; ++i)
    streams.push_back(device.stream());
  std::vector<std::thread> hosts;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < threads; ++t)
    hosts.emplace_back([&, t] {
      Array x = counter(static_cast<uint64_t>(t));
      Event last = streams[0].record();
      for (int k = 0; k < rounds; ++k) {
        const Stream &stream = streams[static_cast<size_t>(k + t) % streams.size()];
        stream.wait(last);
        step(stream, x, k % 5);
        last = stream.record();
        if (k % 16 == t)
          stream.synchronize();
      }
      std::vector<uint64_t> host(1);
      streams[0].wait(last);
      x.copyTo(host.data(), streams[0]);
      streams[0].record().wait();
      uint64_t expected = static_cast<uint64_t>(t);
      for (int k = 0; k < rounds; ++k)
        expected = expected * 3 + static_cast<uint64_t>(k % 5);
      wrong += host[0] != expected;
    });
  for (std::thread &host : hosts)
    host.join();
  EXPECT_EQ(wrong, 0);
}

/// What a forked child makes of `act`: true, false, or nothing if it does not end.
template <typename F> std::optional<bool> inChild(F act) {
  pid_t child = fork();
  if (child == 0) {
    alarm(20); // whoever waits for what is in the parent waits for ever
    _exit(act() ? 0 : 1);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
    return std::nullopt;
  return WEXITSTATUS(status) == 0;
}

TEST(ForkedStreams, AreErrorsThatSaySo) {
  for (const char *name : {"cpu", "check"}) {
    Device device = Device::open(name);
    Module module = Module::fromText(streamText);
    Array x = device.array(std::vector<uint64_t>{1});
    auto stream = std::make_unique<Stream>(device.stream());
    Launch launch = module.kernel("step").prepare(device, {{"x_ptr", x}, {"k", 1}});
    launch.run({}, {.stream = *stream});
    stream->synchronize();
    Event reached = stream->record();
    reached.wait();
    auto saysSo = [](auto act) {
      try {
        act();
        return false;
      } catch (const Error &error) {
        return std::string(error.what()).find("forked") != std::string::npos;
      }
    };
    EXPECT_EQ(inChild([&] {
                bool isTold = saysSo([&] { launch.run({}, {.stream = *stream}); }) &&
                              saysSo([&] { stream->synchronize(); }) &&
                              saysSo([&] { (void)stream->isIdle(); });
                reached.wait(); // was so before
                stream.reset(); // waits for nobody
                Stream own = device.stream();
                launch.run({}, {.stream = own});
                own.synchronize();
                return isTold && x.toVector<uint64_t>()[0] == 13;
              }),
              true)
        << name;
    EXPECT_EQ(x.toVector<uint64_t>()[0], 4u);
  }
}

TEST(Timers, MeasureLaunchesOfTheirOwnDevice) {
  Device cpu = Device::open("cpu"), check = Device::open("check");
  Array x = cpu.array(std::vector<uint64_t>{1});
  Launch launch =
      Module::fromText(streamText).kernel("step").prepare(cpu, {{"x_ptr", x}, {"k", 1}});
  EXPECT_NE(std::string(errorOf([&] { Timer(check).measure(launch, {}); }).what())
                .find("prepared for device 'cpu'"),
            std::string::npos);
}

} // namespace
