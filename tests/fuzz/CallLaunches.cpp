// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The calls that compile, run, time and wait.
#include "CallPools.h"
#include "Mutations.h"

namespace nereid::fuzz {
namespace {

/// Few programs, or a grid that there is not.
void pickGrid(Random &random, int64_t grid[3]) {
  grid[0] = 1 + static_cast<int64_t>(random.below(2));
  grid[1] = grid[2] = 1;
  if (random.oneIn(8)) {
    constexpr int64_t wrong[] = {-1, INT64_MIN, INT64_MAX, int64_t(1) << 40, 0};
    grid[1 + random.below(2)] = random.pick(wrong);
  }
}

void ignorePrint(void *, const char *, size_t) {}

} // namespace

void CallPools::launchKernel() {
  std::vector<nereid_argument> given = arguments();
  int64_t grid[3];
  pickGrid(random, grid);
  Sized<nereid_launch_options> options(random);
  options->print = ignorePrint;
  options->stream = random.oneIn(3) ? streams.pick(random) : nullptr;
  options->warps = random.oneIn(12) ? 3 : 0;
  options->reserved = random.oneIn(20);
  check(nereid_kernel_launch(kernels.pick(random), devices.pick(random), grid[0], grid[1], grid[2],
                             random.oneIn(20) ? nullptr : given.data(), given.size(), options.get(),
                             place()));
}

void CallPools::prepareKernel() {
  std::vector<nereid_argument> given = arguments();
  nereid_launch *launch = nullptr;
  check(nereid_kernel_prepare(kernels.pick(random), devices.pick(random), given.data(),
                              given.size(), &launch, place()),
        launch, true);
  launches.add(launch);
}

void CallPools::runLaunch() {
  int64_t grid[3];
  pickGrid(random, grid);
  Sized<nereid_launch_options> options(random);
  options->print = ignorePrint;
  options->stream = random.oneIn(3) ? streams.pick(random) : nullptr;
  options->max_registers = random.oneIn(12) ? 7 : 0;
  check(
      nereid_launch_run(launches.pick(random), grid[0], grid[1], grid[2], options.get(), place()));
}

void CallPools::readLaunch() {
  nereid_launch *launch = launches.pick(random);
  int64_t value = 0;
  check(nereid_launch_constant(launch, text(), random.oneIn(12) ? nullptr : &value, place()));
  nereid_launch_compile_milliseconds(launch);
  nereid_kernel_resources resources;
  require(!nereid_launch_resources(launch, random.oneIn(4) ? nullptr : &resources),
          "a CPU with a GPU's resources");
}

void CallPools::measureLaunch() {
  Sized<nereid_timer_options> options(random);
  options->warmup_microseconds = options->repeat_microseconds = 1;
  options->leaves_cache = static_cast<uint32_t>(random.below(3));
  options->uses_graph = random.oneIn(8);
  int64_t grid[3];
  pickGrid(random, grid);
  nereid_timing timing{};
  nereid_launch *launch = launches.pick(random);
  // By default it would be timed for a tenth of a second.
  if (launch && options.get() && options->size >= sizeof(nereid_timer_options))
    check(nereid_launch_measure(launch, devices.pick(random), grid[0], grid[1], grid[2],
                                options.get(), random.oneIn(8) ? nullptr : &timing, place()));
  else
    check(nereid_launch_measure(nullptr, devices.pick(random), 1, 1, 1, options.get(), &timing,
                                place()));
}

void CallPools::compileKernel() {
  Sized<nereid_compile_options> options(random);
  constexpr const char *targets[] = {nullptr, nullptr, "cpu", "sm_90a", "none", "nosuch"};
  options->target = random.pick(targets);
  options->cpu = random.oneIn(8) ? text() : nullptr;
  options->flags = static_cast<uint32_t>(random.below(random.oneIn(8) ? 1 << 20 : 2));
  options->warps = random.oneIn(8) ? 33 : 0;
  nereid_artifact *artifact = nullptr;
  if (random.oneIn(2)) {
    check(nereid_kernel_compile(kernels.pick(random), text(), options.get(), &artifact, place()),
          artifact, true);
  } else {
    std::vector<nereid_argument> given = arguments();
    check(nereid_kernel_compile_for(kernels.pick(random), given.data(), given.size(), options.get(),
                                    &artifact, place()),
          artifact, true);
  }
  artifacts.add(artifact);
}

void CallPools::dumpKernel() {
  Sized<nereid_compile_options> options(random);
  options->target = random.oneIn(3) ? "cpu" : "none";
  auto see = [](void *, const char *stage, const char *, double, const char *, size_t) {
    require(stage, "a stage without a name");
  };
  check(nereid_kernel_dump(kernels.pick(random), text(), text(), options.get(),
                           random.oneIn(12) ? nullptr : +see, nullptr, place()));
}

void CallPools::readArtifact() {
  nereid_artifact *artifact = artifacts.pick(random), *again = nullptr;
  auto *data = static_cast<const char *>(nereid_artifact_data(artifact));
  std::vector<char> bytes(data, data + nereid_artifact_bytes(artifact));
  if (!bytes.empty() && random.oneIn(4))
    bytes[random.below(bytes.size())] ^= 4;
  check(nereid_artifact_from_data(bytes.data(), bytes.size(), &again, place()), again, true);
  artifacts.add(again);
  nereid_kernel *kernel = nullptr;
  check(nereid_artifact_kernel(artifact, &kernel, place()), kernel, true);
  kernels.add(kernel);
  check(nereid_artifact_save(artifact, random.oneIn(2) ? nullptr : "/nosuch/k.nrd", place()));
}

void CallPools::useStream() {
  nereid_stream *stream = nullptr;
  if (random.oneIn(2)) {
    check(nereid_stream_open(devices.pick(random), &stream, place()), stream, true);
    streams.add(stream);
  }
  stream = streams.pick(random);
  nereid_stream_is_idle(stream);
  nereid_event *event = nullptr;
  switch (random.below(3)) {
  case 0:
    check(nereid_stream_synchronize(stream, place()));
    break;
  case 1:
    check(nereid_stream_record(stream, &event, place()), event, true);
    events.add(event);
    break;
  default:
    check(nereid_stream_wait(stream, events.pick(random), place()));
  }
}

void CallPools::useEvent() {
  nereid_event *event = events.pick(random);
  nereid_event_is_done(event);
  double milliseconds = 0;
  if (random.oneIn(2))
    check(nereid_event_wait(event, place()));
  else
    check(nereid_event_milliseconds_since(event, events.pick(random),
                                          random.oneIn(8) ? nullptr : &milliseconds, place()));
}

void CallPools::tuneKernel() {
  Sized<nereid_tuning_options> options(random);
  Sized<nereid_timer_options> timer(random);
  timer->warmup_microseconds = timer->repeat_microseconds = 1;
  options->timer = timer.get();
  options->keeps_nothing = 1;
  options->compile_threads = 1;
  const char *key = text();
  options->key = &key;
  options->key_count = random.oneIn(4);
  std::vector<nereid_argument> given = arguments();
  nereid_argument block = nereid_arg_int64("B", 4);
  nereid_configuration configurations[2] = {
      {&block, 1, 0, 0, 0, 0},
      {nullptr, random.below(2), 0, 0, 0, static_cast<uint32_t>(random.oneIn(8))}};
  auto grid = [](void *, const nereid_constants *constants, int64_t *extents) {
    int64_t value = 0;
    extents[0] = nereid_constants_get(constants, "B", &value) ? 2 : 1;
  };
  // By default each configuration would be timed for a tenth of a second.
  bool isShort = options.get() && options->size >= sizeof(nereid_tuning_options) && timer.get() &&
                 timer->size >= sizeof(nereid_timer_options);
  nereid_tuning *tuning = nullptr;
  check(nereid_tune(isShort && random.oneIn(4) ? kernels.pick(random) : nullptr,
                    devices.pick(random), random.oneIn(8) ? nullptr : +grid, nullptr, given.data(),
                    given.size(), configurations, random.below(3), options.get(), &tuning, place()),
        tuning, true);
  tunings.add(tuning);
  nereid_timing timing;
  nereid_tuning_timing(tuning, nereid_tuning_best(tuning), &timing);
  nereid_tuning_failure(tuning, SIZE_MAX);
}

} // namespace nereid::fuzz
