// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "nereid/tune.h"

#include "jit/State.h"
#include "nereid/graph.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace nereid {
namespace {

double systemMilliseconds() {
  using Milliseconds = std::chrono::duration<double, std::milli>;
  return Milliseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void requireOptions(const TimerOptions &options) {
  if (!options.fewestCalls || options.mostCalls < options.fewestCalls)
    throw Error(Error::Kind::Usage, "a timer needs one call at least, and mostCalls is " +
                                        std::to_string(options.mostCalls) + ", fewestCalls " +
                                        std::to_string(options.fewestCalls));
}

/// Times until there are enough.
class Samples {
public:
  explicit Samples(const TimerOptions &options) : options(options) {}

  /// The mean of several calls.
  void add(double milliseconds, size_t calls = 1) {
    times.push_back(milliseconds);
    spend(milliseconds * static_cast<double>(calls));
  }
  /// What came between the calls is of the budget, too: caches are flushed for longer than small
  /// kernels run.
  void spend(double milliseconds) { total += milliseconds; }
  bool isEnough() const {
    return times.size() >= options.mostCalls ||
           (times.size() >= options.fewestCalls && total >= options.repeatMilliseconds);
  }
  Measurement take() { return Measurement(std::move(times)); }

private:
  const TimerOptions &options;
  std::vector<double> times;
  double total = 0;
};

constexpr const char *overwriteText = R"(
import triton
import triton.language as tl

@triton.jit
def overwrite(x_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + offsets, offsets)
)";

/// Puts other data into a GPU's L2 cache: several times what any has.
class CacheFlush {
public:
  explicit CacheFlush(const Device &device)
      : launch(Module::fromText(overwriteText, "overwrite.py")
                   .kernel()
                   .prepare(device, {{"x_ptr", device.empty(DType::Int32, {elements})},
                                     {"BLOCK", block}})) {}
  void run(const Stream &stream) const { launch.run({elements / block}, {.stream = stream}); }

private:
  static constexpr int64_t elements = 64 << 20, block = 4096;
  Launch launch;
};

bool isGpu(const Device &device) { return device.name().starts_with("cuda"); }

void throwAway(std::string_view) {}

} // namespace

Measurement measureCalls(const std::function<void()> &call, const TimerOptions &options,
                         const std::function<void()> &prepare) {
  requireOptions(options);
  auto clock = options.clock ? options.clock : systemMilliseconds;
  double prepared = 0; // how long it took
  auto timed = [&] {
    if (prepare) {
      double start = clock();
      prepare();
      prepared = clock() - start;
    }
    double start = clock();
    call();
    return clock() - start;
  };
  for (double total = 0; total == 0 || total < options.warmupMilliseconds;)
    // A clock that stands still between two calls must not keep us here.
    total += std::max(timed() + prepared, 1e-6);
  Samples samples(options);
  do {
    samples.add(timed());
    samples.spend(prepared);
  } while (!samples.isEnough());
  return samples.take();
}

struct Timer::State {
  Device device;
  TimerOptions options;
  std::optional<CacheFlush> flush;
  std::optional<Stream> stream;

  /// Launches are queued in batches, so that the GPU need not wait for the host between them.
  Measurement measureOnStream(const Work &queue, const Work &prepare) const;
  Measurement measureInGraph(const Work &queue, size_t wanted) const;
};

Timer::Timer(const Device &device, TimerOptions options)
    : state(std::make_shared<State>(State{device, std::move(options), {}, {}})) {
  requireOptions(state->options);
  if (!isGpu(device) || state->options.clock)
    return;
  state->stream = device.stream();
  if (state->options.flushesCache && !state->options.usesGraph)
    state->flush.emplace(device);
}

Measurement Timer::measure(const Launch &launch, Grid grid) const {
  detail::LaunchState::of(launch).requireDevice(detail::DeviceState::of(state->device),
                                                "be measured on");
  return measureWork([&](const Stream *stream) {
    LaunchOptions quiet{.print = throwAway};
    if (stream)
      quiet.stream = *stream;
    launch.run(grid, quiet);
  });
}

Measurement Timer::measureWork(const Work &queue, const Work &prepare) const {
  if (state->stream)
    return state->measureOnStream(queue, prepare);
  std::function<void()> before;
  if (prepare)
    before = [&] { prepare(nullptr); };
  return measureCalls([&] { queue(nullptr); }, state->options, before);
}

Measurement Timer::State::measureOnStream(const Work &queue, const Work &prepare) const {
  double start = systemMilliseconds(), elapsed = 0;
  size_t warm = 0;
  auto ready = [&] {
    if (prepare)
      prepare(&*stream);
    if (flush)
      flush->run(*stream);
  };
  do {
    ready();
    queue(&*stream);
    stream->synchronize();
    ++warm;
    elapsed = systemMilliseconds() - start;
  } while (elapsed < options.warmupMilliseconds);

  double each = std::max(elapsed / static_cast<double>(warm), 1e-3);
  auto wanted = static_cast<size_t>(std::ceil(options.repeatMilliseconds / each));
  if (options.usesGraph)
    return measureInGraph(queue, wanted);
  constexpr size_t mostQueued = 200; // a stream takes 1024 pieces of work, of which a call is four
                                     // and what prepares it
  size_t batch = std::clamp(wanted, options.fewestCalls, mostQueued);
  Samples samples(options);
  while (!samples.isEnough()) {
    double begin = systemMilliseconds(), counted = 0;
    std::vector<std::pair<Event, Event>> events;
    for (size_t i = 0; i < batch; ++i) {
      ready();
      Event before = stream->record();
      queue(&*stream);
      events.emplace_back(before, stream->record());
    }
    stream->synchronize();
    for (const auto &[before, after] : events) {
      double milliseconds = after.millisecondsSince(before);
      samples.add(milliseconds);
      counted += milliseconds;
    }
    samples.spend(std::max(0.0, systemMilliseconds() - begin - counted));
  }
  return samples.take();
}

/// `wanted` launches in all, about.
Measurement Timer::State::measureInGraph(const Work &queue, size_t wanted) const {
  constexpr size_t fewestRuns = 10, mostLaunches = 1000;
  size_t launches = std::clamp<size_t>(wanted / fewestRuns, 1, mostLaunches);
  Graph graph = Graph::record(*stream, [&] {
    for (size_t i = 0; i < launches; ++i)
      queue(&*stream);
  });
  Samples samples(options);
  while (!samples.isEnough()) {
    Event before = stream->record();
    graph.launch(*stream);
    Event after = stream->record();
    stream->synchronize();
    samples.add(after.millisecondsSince(before) / static_cast<double>(launches), launches);
  }
  return samples.take();
}

} // namespace nereid
