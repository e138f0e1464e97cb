// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "nereid-c/tune.h"

#include "capi/Arguments.h"
#include "capi/Error.h"
#include "capi/Handles.h"
#include "capi/Options.h"
#include "nereid/tune.h"

#include <algorithm>

using namespace nereid;

struct nereid_constants {
  const Constants &constants;
};

struct nereid_tuning {
  std::vector<Trial> trials; ///< of the configurations, in the order in which they were given
  size_t best = 0;
};

namespace {

TimerOptions toTimerOptions(const nereid_timer_options *given) {
  auto options = capi::readOptions(given);
  TimerOptions result;
  if (options.warmup_microseconds)
    result.warmupMilliseconds = static_cast<double>(options.warmup_microseconds) / 1e3;
  if (options.repeat_microseconds)
    result.repeatMilliseconds = static_cast<double>(options.repeat_microseconds) / 1e3;
  result.flushesCache = !options.leaves_cache;
  result.usesGraph = options.uses_graph;
  return result;
}

std::vector<std::string> toNames(const char *const *names, size_t count) {
  std::vector<std::string> result;
  for (size_t i = 0; i < count; ++i)
    result.emplace_back(capi::require(capi::require(names, "list of names")[i], "name"));
  return result;
}

TuningOptions toTuningOptions(const nereid_tuning_options *given) {
  auto options = capi::readOptions(given);
  TuningOptions result;
  result.timer = toTimerOptions(options.timer);
  if (options.key)
    result.key = toNames(options.key, options.key_count);
  result.restored = toNames(options.restored, options.restored_count);
  result.trials.keepsRecords = !options.keeps_nothing;
  result.trials.compileThreads = options.compile_threads;
  return result;
}

std::vector<Configuration> toConfigurations(const nereid_configuration *given, size_t count,
                                            const nereid_tuning_options *options) {
  const nereid_block *blocks = capi::readOptions(options).blocks;
  std::vector<Configuration> result;
  for (size_t i = 0; i < count; ++i) {
    const nereid_configuration &one = capi::require(given, "list of configurations")[i];
    if (one.reserved)
      throw Error(Error::Kind::Usage,
                  "a configuration asks for more than this version of Nereid knows");
    result.push_back(
        {capi::toArguments(one.values, one.count),
         {one.warps, one.pipeline_stages, one.max_registers,
          blocks ? capi::toBlock(blocks[i].threads, blocks[i].shared_bytes) : ThreadBlock{}}});
  }
  return result;
}

nereid_timing toTiming(const Timing &timing) {
  return {timing.median, timing.low, timing.high, timing.calls};
}

/// Equal configurations share a trial.
nereid_tuning inGivenOrder(const TuningResult &result,
                           const std::vector<Configuration> &configurations) {
  nereid_tuning tuning;
  for (const Configuration &configuration : configurations)
    tuning.trials.push_back(
        *std::ranges::find(result.trials(), configuration.text(),
                           [](const Trial &trial) { return trial.configuration.text(); }));
  std::string best = result.best().configuration.text();
  while (configurations[tuning.best].text() != best)
    ++tuning.best;
  return tuning;
}

const Trial *trialOf(const nereid_tuning *tuning, size_t index) {
  return tuning && index < tuning->trials.size() ? &tuning->trials[index] : nullptr;
}

} // namespace

nereid_status nereid_launch_measure(const nereid_launch *launch, const nereid_device *device,
                                    int64_t x, int64_t y, int64_t z,
                                    const nereid_timer_options *options, nereid_timing *timing,
                                    nereid_error **error) {
  return capi::guard(error, [&] {
    capi::require(timing, "place for times");
    Timer timer(capi::require(device, "device")->device, toTimerOptions(options));
    *timing =
        toTiming(summarize(timer.measure(capi::require(launch, "launch")->launch, Grid{x, y, z})));
  });
}

bool nereid_constants_get(const nereid_constants *constants, const char *name, int64_t *value) {
  if (!constants || !name || !value)
    return false;
  try {
    *value = constants->constants[name];
    return true;
  } catch (...) {
    return false;
  }
}

nereid_status nereid_tune(const nereid_kernel *kernel, const nereid_device *device,
                          nereid_grid_callback grid, void *grid_user,
                          const nereid_argument *arguments, size_t count,
                          const nereid_configuration *configurations, size_t configuration_count,
                          const nereid_tuning_options *options, nereid_tuning **tuning,
                          nereid_error **error) {
  return capi::guardMaking(tuning, error, [&] {
    capi::require(grid, "function of a grid");
    auto gridOf = [&](const Constants &constants) {
      nereid_constants given{constants};
      int64_t extents[3] = {1, 1, 1};
      grid(grid_user, &given, extents);
      return Grid{extents[0], extents[1], extents[2]};
    };
    std::vector<Configuration> tried =
        toConfigurations(configurations, configuration_count, options);
    return inGivenOrder(tune(capi::require(device, "device")->device,
                             capi::require(kernel, "kernel")->kernel, gridOf,
                             capi::toArguments(arguments, count), tried, toTuningOptions(options)),
                        tried);
  });
}

size_t nereid_tuning_best(const nereid_tuning *tuning) { return tuning ? tuning->best : 0; }

bool nereid_tuning_timing(const nereid_tuning *tuning, size_t index, nereid_timing *timing) {
  const Trial *trial = trialOf(tuning, index);
  bool runs = trial && trial->record.failure.empty();
  if (timing)
    *timing = runs ? toTiming(trial->record.timing) : nereid_timing{};
  return runs;
}

const char *nereid_tuning_failure(const nereid_tuning *tuning, size_t index) {
  const Trial *trial = trialOf(tuning, index);
  return trial ? trial->record.failure.c_str() : "";
}

bool nereid_tuning_is_from_record(const nereid_tuning *tuning, size_t index) {
  const Trial *trial = trialOf(tuning, index);
  return trial && trial->isFromRecord;
}

void nereid_tuning_release(nereid_tuning *tuning) { delete tuning; }
