// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Commands.h"
#include "ConfigurationSource.h"
#include "FormatText.h"
#include "GridScope.h"
#include "KernelReference.h"
#include "LaunchSettings.h"
#include "RunArguments.h"
#include "Terminal.h"
#include "Timing.h"
#include "files/PendingFile.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>

namespace nereid::command {
namespace {

struct TuneSettings : LaunchSettings {
  std::vector<std::string> configurations, blocks, key;
  int64_t sharedBytes = 0;
  std::string records;
  double warmup = TimerOptions().warmupMilliseconds, repeat = TimerOptions().repeatMilliseconds;
  bool isFresh = false, isJson = false, usesGraph = false;
};

/// What cannot be added to later is said before anything is tuned.
TuningRecords knownRecords(const TuneSettings &settings) {
  if (settings.records.empty())
    return {};
  files::requireWritable(settings.records);
  return std::filesystem::exists(settings.records) ? TuningRecords::load(settings.records)
                                                   : TuningRecords();
}

void printTable(const std::vector<Trial> &trials) {
  size_t width = std::string("configuration").size();
  for (const Trial &trial : trials)
    width = std::max(width, trial.record.configuration.size());
  std::printf("%-*s  %12s %12s %12s\n", static_cast<int>(width), "configuration", "median", "20 %",
              "80 %");
  for (const auto &[configuration, record, isFromRecord] : trials) {
    say(stdout, "%-*s  ", static_cast<int>(width), record.configuration.c_str());
    if (record.failure.empty())
      std::printf("%12s %12s %12s", formatDuration(record.timing.median).c_str(),
                  formatDuration(record.timing.low).c_str(),
                  formatDuration(record.timing.high).c_str());
    else
      say(stdout, "failed: %s", record.failure.substr(0, record.failure.find('\n')).c_str());
    std::puts(isFromRecord ? "  from a record" : "");
  }
}

/// Whether the best two differ by less than the machine's own unrest.
bool isUndecided(const std::vector<Trial> &trials) {
  if (trials.size() < 2 || !trials[1].record.failure.empty())
    return false;
  return trials[1].record.timing.low < trials[0].record.timing.high;
}

void printResult(const TuningResult &result) {
  printTable(result.trials());
  const TuningSubject &subject = result.best().record.subject;
  say(stdout, "best: %s  (%s; %s)\n", result.best().record.configuration.c_str(),
      subject.target.c_str(), subject.key.c_str());
  if (isUndecided(result.trials()))
    std::puts("note: the second may be as fast: their times overlap");
}

/// Each with each of the blocks, of a kernel of threads.
std::vector<Configuration> withBlocks(std::vector<Configuration> configurations,
                                      const TuneSettings &settings, const Scope &scope) {
  if (settings.blocks.empty())
    return configurations;
  std::vector<Configuration> all;
  for (const Configuration &configuration : configurations)
    for (const std::string &text : settings.blocks) {
      Grid block = Expression(text, "--block").evaluateGrid(scope);
      all.push_back(configuration);
      all.back().tuning.block = {block.x, block.y, block.z, settings.sharedBytes};
    }
  return all;
}

void tune(const TuneSettings &settings) {
  Kernel kernel = loadKernel(parseKernelReference(settings.kernel), settings.modules.read());
  Expression grid(settings.grid, "--grid");
  ConfigurationSource source(kernel, settings.configurations);
  if (source.isEmpty() && settings.blocks.empty())
    throw Error(Error::Kind::Usage,
                "--configs is required (of kernels of threads --block), as no @triton.autotune "
                "stands above '" +
                    kernel.name() + "' to say what is tried");
  Device device = Device::open(settings.device, {.threads = settings.threads, .cpu = settings.cpu});
  RunArguments arguments(device, settings.seed, settings.arguments);
  TuningOptions options;
  options.trials.known = knownRecords(settings);
  options.trials.keepsRecords = !settings.isFresh;
  options.timer.warmupMilliseconds = settings.warmup;
  options.timer.repeatMilliseconds = settings.repeat;
  options.timer.usesGraph = settings.usesGraph;
  if ((options.key = source.key()))
    std::erase_if(*options.key, [&](const std::string &name) { return !arguments.find(name); });
  if (!settings.key.empty())
    options.key = settings.key;
  options.restored = source.restored();

  TuningResult result = [&] {
    Progress progress("tuning " + kernel.name());
    options.trials.progress = [&](const TuningProgress &now) {
      progress.say(now.name.empty() ? formatText("compiling %s, %zu of %zu", kernel.name().c_str(),
                                                 now.compiled, now.all)
                                    : formatText("timing %s, %zu of %zu: %s", kernel.name().c_str(),
                                                 now.timed + 1, now.all, now.name.c_str()));
    };
    auto gridOf = [&](const Constants &constants) {
      return grid.evaluateGrid(GridScope(arguments, kernel, constants));
    };
    return nereid::tune(device, kernel, gridOf, arguments.evaluate(),
                        withBlocks(source.evaluate(arguments), settings, arguments), options);
  }();

  TuningRecords records;
  for (const Trial &trial : result.trials())
    records.add(trial.record);
  settings.isJson ? sayText(stdout, records.text()) : printResult(result);
  if (!settings.records.empty()) // last: what was found is shown even where it cannot be written
    records.addTo(settings.records);
}
constexpr const char *tuneHelp = R"help(
--configs says what is tried: every combination of the values, and each --configs adds more.
num_warps and num_stages are how a GPU runs a kernel, all else are parameters of the kernel, which the
arguments leave out. Without --configs it is what @triton.autotune above the kernel says.

What is found is kept (docs/tuning.md): the next time only new configurations are tried.

Examples
    nereid tune tuned.py --grid "cdiv(n,BLOCK)" x=rand:f32[n] out=empty:f32[n] n=2**20
    nereid tune add.py --grid "cdiv(n,BLOCK)" x=rand:f32[n] y=rand:f32[n] out=empty:f32[n] n=2**20 \
        --configs "BLOCK=256,512,1024,2048"
    ... --device cuda --configs "BLOCK=64,128 num_warps=4,8" --configs "BLOCK=256 num_warps=8"
    nereid tune sum.py::total --grid "cdiv(n,block_x)" --block 128 --block 256 --block 512 ...
    ... --records tuned.json       for a program to take along
    nereid records                 what is kept)help";

} // namespace

void defineTuneCommand(CLI::App &command) {
  auto settings = std::make_shared<TuneSettings>();
  settings->addTo(command);
  command
      .add_option("--configs", settings->configurations,
                  "What to try (default: what @triton.autotune says); may be repeated")
      ->type_size(1)
      ->allow_extra_args(false);
  command
      .add_option("-b,--block", settings->blocks,
                  "BLOCK: of a kernel of threads, a block to try, as GRID; may be repeated")
      ->type_size(1)
      ->allow_extra_args(false);
  command.add_option("--shared", settings->sharedBytes,
                     "Of a kernel of threads, the bytes of cuda.shared.array(0, ...)");
  command
      .add_option(
          "--key", settings->key,
          "NAME,NAME: arguments for whose values the best may be another (default: those of "
          "@triton.autotune, or all)")
      ->delimiter(',');
  command.add_option("--records", settings->records,
                     "FILE.json: records to start from; what is found is added to it");
  command.add_option("--warmup", settings->warmup, "Milliseconds before each measurement")
      ->capture_default_str();
  command.add_option("--repeat", settings->repeat, "Milliseconds that a measurement takes")
      ->capture_default_str();
  command.add_flag("--fresh", settings->isFresh,
                   "Try all, whatever is kept, and keep nothing but in --records");
  command.add_flag("--graph", settings->usesGraph,
                   "On a GPU: time many launches as one graph, for kernels that are shorter than a "
                   "launch");
  command.add_flag("--json", settings->isJson, "Print the records");
  command.footer(describeValues() + (tuneHelp + 1));
  command.callback([settings] { tune(*settings); });
}

} // namespace nereid::command
