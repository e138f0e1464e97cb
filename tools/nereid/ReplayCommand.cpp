// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Commands.h"
#include "Completion.h"
#include "FaultReport.h"
#include "FormatText.h"
#include "Npy.h"
#include "PredictionTable.h"
#include "PrintsAside.h"
#include "ReplayTable.h"
#include "Terminal.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

namespace nereid::command {
namespace {

struct ReplaySettings {
  std::string file, device = "cpu", cpu, filter, outputs;
  unsigned threads = 0;
  std::vector<size_t> numbers;
  double milliseconds = 100;
  bool isJson = false, hasNoRemarks = false;
  bool predicts = false;
  AnalyzeOptions analyze = {.target = ""};
};

std::vector<size_t> chosen(const Recording &recording, const ReplaySettings &settings) {
  const std::vector<RecordedLaunch> &launches = recording.launches();
  std::vector<size_t> numbers = settings.numbers;
  if (numbers.empty())
    for (size_t i = 0; i < launches.size(); ++i)
      numbers.push_back(i);
  for (size_t number : numbers)
    if (number >= launches.size())
      throw Error(Error::Kind::Usage, settings.file + " has no launch " + std::to_string(number) +
                                          "; it holds " + std::to_string(launches.size()));
  std::erase_if(numbers, [&](size_t number) {
    return launches[number].kernel.find(settings.filter) == std::string::npos;
  });
  if (numbers.empty())
    throw Error(Error::Kind::Usage, settings.filter.empty()
                                        ? settings.file + " holds no launch"
                                        : "no kernel in " + settings.file + " has '" +
                                              settings.filter + "' in its name");
  return numbers;
}

/// Each array as the launch left it, as LAUNCH.NAME.npy.
void writeOutputs(const Replay &replay, size_t number, const std::string &folder) {
  std::vector<files::PendingFile> files;
  for (const Replay::Memory &memory : replay.memories()) {
    std::string name = std::to_string(number) + "." + memory.name + ".npy";
    files.push_back(writeNpy(memory.elements, (std::filesystem::path(folder) / name).string()));
  }
  for (files::PendingFile &file : files)
    file.commit();
}

ReplayedLaunch replayed(const Recording &recording, size_t number, const Device &device,
                        const ReplaySettings &settings) {
  ReplayedLaunch result{number, recording.launches()[number]};
  try {
    Replay replay(recording, number, device);
    result.compileMilliseconds = replay.compileMilliseconds();
    FaultReport fault(result.recorded.kernel, settings.file, result.recorded.grid);
    replay.run();
    if (!settings.outputs.empty())
      writeOutputs(replay, number, settings.outputs);
    if (device.name() == "check")
      return result;
    if (!settings.hasNoRemarks)
      result.remarks = replay.remarks();
    TimerOptions timer;
    timer.repeatMilliseconds = settings.milliseconds;
    timer.warmupMilliseconds = settings.milliseconds / 4;
    result.measured = replay.measure(timer);
  } catch (const Error &error) {
    if (error.kind() == Error::Kind::Internal)
      throw;
    result.failure = error.what();
  }
  return result;
}

/// Of those that could run again, after all have been shown.
template <typename Launch> void requireNoneFailed(const std::vector<Launch> &launches) {
  std::string last;
  size_t failed = 0;
  for (const Launch &launch : launches)
    if (!launch.failure.empty() && launch.recorded.problem.empty()) {
      ++failed;
      last = launch.failure;
    }
  if (failed)
    throw Error(Error::Kind::Usage,
                formatText("%zu of %zu launches failed; the last: ", failed, launches.size()) +
                    last);
}

PredictedLaunch predicted(const Recording &recording, size_t number, const Device &host,
                          const ReplaySettings &settings) {
  PredictedLaunch result{number, recording.launches()[number]};
  try {
    result.analysis = Replay(recording, number, host).analyze(settings.analyze);
  } catch (const Error &error) {
    if (error.kind() == Error::Kind::Internal)
      throw;
    result.failure = error.what();
  }
  return result;
}

void predict(const Recording &recording, const std::vector<size_t> &numbers,
             ReplaySettings settings) {
  AnalyzeOptions &options = settings.analyze;
  options.isL2Dirty = true; // as it was when the launches were timed, if they were
  if (options.target.empty()) {
    options.target = AnalyzeOptions().target;
    if (options.card.empty())
      options.card = analyzeCardIn(recording.machine());
  }
  Device host = Device::open("check"); // for which nothing is compiled
  std::vector<PredictedLaunch> launches;
  {
    Progress progress("predicting");
    for (size_t number : numbers) {
      progress.say(formatText("launch %zu of %zu, %s", launches.size() + 1, numbers.size(),
                              recording.launches()[number].kernel.c_str()));
      launches.push_back(predicted(recording, number, host, settings));
    }
  }
  if (settings.isJson) {
    sayText(stdout, toDocument(launches, recording.machine()));
  } else {
    if (launches.size() == 1 && launches.front().analysis)
      sayColored(stdout, toText(*launches.front().analysis, isColored(stdout)) + '\n');
    sayText(stdout, "recorded on " + recording.machine() + "; predicted for " +
                        (options.card.empty() ? options.target : options.card) + '\n' +
                        toTable(launches));
  }
  requireNoneFailed(launches);
}

void replay(const ReplaySettings &settings) {
  Recording recording = Recording::load(settings.file);
  if (settings.predicts)
    return predict(recording, chosen(recording, settings), settings);
  if (!settings.outputs.empty() && !std::filesystem::is_directory(settings.outputs))
    throw Error(Error::Kind::Usage, "--outputs: there is no folder " + settings.outputs);
  std::vector<size_t> numbers = chosen(recording, settings);
  Device device = Device::open(settings.device, {.threads = settings.threads, .cpu = settings.cpu});
  std::vector<ReplayedLaunch> launches;
  {
    PrintsAside aside; // what kernels print is not what was asked for
    Progress progress("replaying");
    for (size_t number : numbers) {
      progress.say(formatText("launch %zu of %zu, %s", launches.size() + 1, numbers.size(),
                              recording.launches()[number].kernel.c_str()));
      launches.push_back(replayed(recording, number, device, settings));
    }
  }
  if (settings.isJson)
    sayText(stdout, toDocument(launches, recording.machine(), device.name()));
  else
    sayText(stdout, "recorded on " + recording.machine() + "; replayed on " + device.name() + '\n' +
                        toTable(launches, !settings.hasNoRemarks));
  requireNoneFailed(launches);
}

constexpr const char *replayExamples = R"help(Examples
    python -m nereid compare --save run.launches train.py    on a machine with Triton and a GPU
    python -m nereid profile --save run.launches train.py    without either
    nereid replay run.launches --device cuda                 every launch again, without Python
    nereid replay run.launches --device check --launches 3   what its kernel does wrong
    nereid replay run.launches --predict                     what each takes on a GPU, without one)help";

} // namespace

void defineReplayCommand(CLI::App &command) {
  auto settings = std::make_shared<ReplaySettings>();
  command.add_option("file", settings->file, "FILE that --save wrote")->required();
  offer(command.add_option("-d,--device", settings->device,
                           "cpu, a GPU (cuda, cuda:1), or check, where each launch runs once"),
        deviceNames)
      ->capture_default_str();
  command.add_option("--threads", settings->threads, "Threads that run programs (0: one per core)");
  command.add_option("--cpu", settings->cpu,
                     "The CPU to compile for: host, x86-64, haswell, ... (default: NEREID_CPU)");
  command.add_option("--filter", settings->filter, "Only kernels whose name has this text");
  command.add_option("--launches", settings->numbers, "Only these, by their numbers in the table")
      ->delimiter(',');
  command
      .add_option("--time", settings->milliseconds,
                  "Milliseconds for which a launch is timed, five times at least")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
  command.add_option("--outputs", settings->outputs,
                     "FOLDER: write each array as one launch leaves it, as LAUNCH.NAME.npy");
  command.add_flag("--json", settings->isJson, "A document on standard output");
  command.add_flag("--no-remarks", settings->hasNoRemarks,
                   "Do not say where the compiler declined a better form");
  auto *predicts = command.add_flag("--predict", settings->predicts,
                                    "Run nothing: say what each launch would take on a GPU");
  for (const char *ofRuns : {"--device", "--threads", "--cpu", "--time", "--outputs"})
    predicts->excludes(ofRuns);
  offer(command.add_option("--target", settings->analyze.target,
                           "A GPU to predict for: sm_80, sm_90a, ..."),
        gpuNames)
      ->needs(predicts);
  command
      .add_option("--card", settings->analyze.card,
                  "The card to predict for, or a FILE of `nereid calibrate` (default: the one of "
                  "the recording)")
      ->needs(predicts);
  command.footer(replayExamples);
  command.callback([settings] { replay(*settings); });
}

} // namespace nereid::command
