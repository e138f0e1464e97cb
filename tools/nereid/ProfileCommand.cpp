// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Commands.h"
#include "CountedLaunches.h"
#include "FaultReport.h"
#include "FormatText.h"
#include "GpuCounters.h"
#include "GridScope.h"
#include "KernelReference.h"
#include "LaunchSettings.h"
#include "RunArguments.h"
#include "Terminal.h"
#include "Timing.h"
#include "bench/MachineCeiling.h"
#include "files/PendingFile.h"
#include "nereid/analyze.h"
#include "nereid/devices.h"
#include "nereid/profile.h"

#include <CLI/CLI.hpp>
#include <cctype>
#include <cstdio>
#include <memory>
#include <optional>

namespace nereid::command {
namespace {

struct ProfileSettings {
  LaunchSettings launch;
  std::string trace, page, block;
  ProfileOptions options;
  bool isJson = false, countsHardware = false;
};

/// Who has no GPU hears of what needs none.
Device openDevice(const LaunchSettings &given) {
  try {
    return Device::open(given.device, {.threads = given.threads, .cpu = given.cpu});
  } catch (const Error &error) {
    if (error.kind() != Error::Kind::Environment || !given.device.starts_with("cuda"))
      throw;
    throw Error(error.kind(),
                std::string(error.what()) +
                    "\nnote: --device cpu profiles on this machine's processors, and "
                    "`nereid analyze` says without a GPU what the launch would ask of "
                    "one");
  }
}

/// Few grids name constexpr integers that have their defaults, which are known of a compiled
/// kernel.
Grid gridOfProfile(const Expression &text, const RunArguments &arguments, const Kernel &kernel,
                   const Device &device, const Tuning &tuning) {
  try {
    return text.evaluateGrid(GridScope(arguments, kernel, Constants({})));
  } catch (const Error &) {
    Launch launch = kernel.prepare(device, arguments.evaluate(), tuning);
    return text.evaluateGrid(GridScope(arguments, kernel, launch.constants()));
  }
}

/// Of a kernel of threads how many a block has, if that is said.
Tuning tuningOf(const ProfileSettings &settings, const RunArguments &arguments,
                const Kernel &kernel) {
  Tuning tuning = settings.options.tuning;
  if (settings.block.empty())
    return tuning;
  Expression text(settings.block, "--block");
  Grid block = text.evaluateGrid(GridScope(arguments, kernel, Constants({})));
  tuning.block = {block.x, block.y, block.z, tuning.block.sharedBytes};
  return tuning;
}

/// As the kernel's operations say, which are the same on each device; 0 where analyses refuse it.
double flopsOf(const Kernel &kernel, Grid grid, const Arguments &arguments, const Tuning &tuning) {
  try {
    constexpr uint64_t fewPrograms = 32;
    AnalyzeOptions options;
    options.tuning = tuning;
    options.programs = fewPrograms;
    return nereid::analyze(kernel, grid, arguments, options).flops;
  } catch (const Error &) {
    return 0;
  }
}

/// Instead of lines: what the CPU counts.
void countOnCpu(const ProfileSettings &settings) {
  const LaunchSettings &given = settings.launch;
  Counters counters; // before there are threads that are to be counted
  Kernel kernel = loadKernel(parseKernelReference(given.kernel), given.modules.read());
  Device device = openDevice(given);
  Expression text(given.grid, "--grid");
  RunArguments arguments(device, given.seed, given.arguments);
  Arguments evaluated = arguments.evaluate();
  const Tuning tuning = tuningOf(settings, arguments, kernel);
  Grid grid = gridOfProfile(text, arguments, kernel, device, tuning);
  if (!grid.x || !grid.y || !grid.z)
    throw Error(Error::Kind::Usage, "a grid without programs has nothing to profile");
  Launch launch = kernel.prepare(device, evaluated, tuning);
  constexpr double milliseconds = 500;
  CountedLaunches counted = [&] {
    FaultReport fault(kernel.name(), parseKernelReference(given.kernel).file, grid);
    return countLaunches(counters, launch, grid, milliseconds);
  }();
  counted.flops = flopsOf(kernel, grid, evaluated, tuning);
  counted.copyRate = measureCopy(device).rate * 1e9;
  counted.flopRate = measureFma(device).rate * 1e12;
  counted.kernel = kernel.name();
  counted.device = device.name();
  counted.threads = device.threads();
  counted.arrayBytes = bytesOfArrays(evaluated);
  sayText(stdout, settings.isJson ? toJson(counted) : toText(counted));
}

/// "cuda sm_90, NVIDIA H200" is analyzed for sm_90a on h200, if there is such a card; otherwise for
/// the first card of that SM.
AnalyzeOptions analyzedAs(const std::string &device, const Tuning &tuning) {
  std::string name = device;
  for (char &c : name)
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  AnalyzeOptions options;
  options.tuning = tuning;
  const size_t at = name.find("sm_");
  const std::string sm = name.substr(std::min(at, name.size()), name.find(',') - at);
  for (const std::string &target : targetNames())
    if (target == sm || target == sm + "a")
      options.target = target;
  options.card = analyzeCardIn(device);
  return options;
}

/// "cuda:0" as profiles call it, by what it is: "cuda sm_90, NVIDIA H200".
std::string describedGpu(const std::string &device) {
  const size_t colon = device.find(':');
  const GpuInfo info =
      gpuInfo(colon == std::string::npos ? 0 : unsigned(std::stoul(device.substr(colon + 1))));
  return formatText("cuda sm_%u%u, %s", info.smMajor, info.smMinor, info.name.c_str());
}

/// The same launch by `nereid run`.
std::vector<std::string> wordsOfRun(const ProfileSettings &settings) {
  const LaunchSettings &given = settings.launch;
  std::vector<std::string> words = {given.kernel};
  auto add = [&](const char *option, const std::string &value) {
    words.insert(words.end(), {option, value});
  };
  auto addNumber = [&](const char *option, uint64_t value) {
    if (value)
      add(option, std::to_string(value));
  };
  words.insert(words.end(), given.arguments.begin(), given.arguments.end());
  add("--grid", given.grid);
  add("--device", given.device);
  add("--seed", std::to_string(given.seed));
  for (const std::string &path : given.modules.paths)
    add("--path", path);
  for (const std::string &definition : given.modules.definitions)
    add("--define", definition);
  if (!settings.block.empty())
    add("--block", settings.block);
  const Tuning &tuning = settings.options.tuning;
  addNumber("--shared", tuning.block.sharedBytes);
  addNumber("--num-warps", tuning.warps);
  addNumber("--num-stages", tuning.pipelineStages);
  addNumber("--maxnreg", tuning.maxRegisters);
  return words;
}

/// Instead of lines: what a GPU's counters say, beside what is predicted.
void countOnGpu(const ProfileSettings &settings) {
  const LaunchSettings &given = settings.launch;
  Kernel kernel = loadKernel(parseKernelReference(given.kernel), given.modules.read());
  CountedOnGpu counted;
  counted.kernel = kernel.name();
  counted.device = openDevice(given).name();
  if (!counted.device.starts_with("cuda"))
    throw Error(Error::Kind::Usage, "--counters are those of CPUs and GPUs, and device '" +
                                        given.device + "' is neither");
  counted.device = describedGpu(counted.device);
  Device host = Device::open("cpu");
  RunArguments arguments(host, given.seed, given.arguments);
  const Tuning tuning = tuningOf(settings, arguments, kernel);
  counted.grid = gridOfProfile(Expression(given.grid, "--grid"), arguments, kernel, host, tuning);
  if (!counted.grid.x || !counted.grid.y || !counted.grid.z)
    throw Error(Error::Kind::Usage, "a grid without programs has nothing to profile");
  std::optional<Analysis> analysis;
  try {
    analysis = nereid::analyze(kernel, counted.grid, arguments.evaluate(),
                               analyzedAs(counted.device, settings.options.tuning));
  } catch (const Error &error) {
    counted.notPredicted = error.what();
  }
  const NcuReport report = countByNcu(wordsOfRun(settings));
  counted.notCounted = report.whyNot;
  counted.rows = rowsOf(analysis ? &*analysis : nullptr, report);
  sayText(stdout, settings.isJson ? toJson(counted) : toText(counted));
}

void countHardware(const ProfileSettings &settings) {
  if (!settings.trace.empty())
    throw Error(Error::Kind::Usage, "--trace and --counters: counters say nothing of when");
  if (!settings.page.empty())
    throw Error(Error::Kind::Usage, "--html and --counters: counters have no lines to be drawn");
  settings.launch.device == "cpu" ? countOnCpu(settings) : countOnGpu(settings);
}

/// Of a GPU with what is predicted, if that can be said.
std::string pageOf(const ProfileSettings &settings, const Kernel &kernel, Grid grid,
                   Profile &profile) {
  if (profile.threads)
    return toHtml(profile);
  try {
    Device host = Device::open("cpu");
    RunArguments arguments(host, settings.launch.seed, settings.launch.arguments);
    return toHtml(nereid::analyze(kernel, grid, arguments.evaluate(),
                                  analyzedAs(profile.device, settings.options.tuning)),
                  profile);
  } catch (const Error &error) {
    profile.notes.push_back(std::string("nothing is predicted beside it: ") + error.what());
    return toHtml(profile);
  }
}

void profile(const ProfileSettings &settings) {
  if (settings.countsHardware)
    return countHardware(settings);
  if (!settings.trace.empty() && settings.launch.device.starts_with("cpu"))
    throw Error(
        Error::Kind::Usage,
        "--trace is of GPUs, whose warps note when they did what; of a CPU it is known where "
        "threads stood, and not when");
  for (const std::string &path : {settings.trace, settings.page})
    if (!path.empty())
      files::requireWritable(path);
  Kernel kernel =
      loadKernel(parseKernelReference(settings.launch.kernel), settings.launch.modules.read());
  Device device = openDevice(settings.launch);
  Expression text(settings.launch.grid, "--grid");
  RunArguments arguments(device, settings.launch.seed, settings.launch.arguments);
  Arguments given = arguments.evaluate();
  ProfileOptions options = settings.options;
  options.tuning = tuningOf(settings, arguments, kernel);
  Grid grid = gridOfProfile(text, arguments, kernel, device, options.tuning);
  Profile profile = [&] {
    FaultReport fault(kernel.name(), parseKernelReference(settings.launch.kernel).file, grid);
    Progress progress("profiling");
    return nereid::profile(device, kernel, grid, given, options);
  }();
  if (!settings.trace.empty())
    files::writeWhole(settings.trace, toTrace(profile));
  if (!settings.page.empty())
    files::writeWhole(settings.page, pageOf(settings, kernel, grid, profile));
  if (settings.isJson)
    sayText(stdout, toJson(profile));
  else
    sayColored(stdout, toText(profile, isColored(stdout)));
}

constexpr const char *profileExamples = R"help(Examples
    nereid profile softmax.py::softmax --grid 8192 x=randn:f32[8192,4096] ...
    the same with --trace out.json   what Perfetto (ui.perfetto.dev) and chrome://tracing open
    the same with --html page.html   a page
    the same with --json             a document
    the same with --device cpu       where threads of a CPU stand, by line
    the same with --counters         what the GPU's counters say, beside what is predicted)help";

} // namespace

void defineProfileCommand(CLI::App &command) {
  auto settings = std::make_shared<ProfileSettings>();
  settings->launch.device = "cuda";
  settings->launch.addTo(command);
  command.add_option("--trace", settings->trace, "FILE: write what each warp did when, too")
      ->check(requireFileName);
  command
      .add_option("--html", settings->page,
                  "FILE: write a page, too: time beside the source, and of a GPU what is "
                  "predicted")
      ->check(requireFileName);
  command.add_flag(
      "--counters", settings->countsHardware,
      "Instead: what hardware counters say of a launch, as far as they may be read: on a "
      "CPU cycles, instructions, misses; on a GPU what ncu counts (in PATH), beside "
      "what is predicted");
  command.add_flag("--json", settings->isJson, "A document on standard output");
  command
      .add_option("--detail", settings->options.detail,
                  "What is noted: all, waits, rounds, programs, or auto: the first of these that "
                  "costs no more "
                  "than 5 % of the time")
      ->capture_default_str();
  command
      .add_option("--turns", settings->options.turns,
                  "Launches with and without clocks, by turns, to tell what clocks cost (0: none)")
      ->capture_default_str();
  command.add_option("-b,--block", settings->block,
                     "BLOCK: of a kernel of threads, how many along each axis, as GRID");
  command.add_option("--shared", settings->options.tuning.block.sharedBytes,
                     "Of a kernel of threads, the bytes of cuda.shared.array(0, ...)");
  command.add_option("--num-warps", settings->options.tuning.warps,
                     "How many warps run a program (default: as its tiles ask for)");
  command.add_option("--num-stages", settings->options.tuning.pipelineStages,
                     "How many rounds of a loop that multiplies are in shared memory at once "
                     "(default: as many as help)");
  command.add_option("--maxnreg", settings->options.tuning.maxRegisters,
                     "The most registers a thread may take, 16 or more (over 255: 255)");
  command.footer(describeValues() + profileExamples);
  command.callback([settings] { profile(*settings); });
}

} // namespace nereid::command
