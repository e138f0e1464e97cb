// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Commands.h"
#include "CountedLaunches.h"
#include "FormatText.h"
#include "GridScope.h"
#include "KernelReference.h"
#include "LaunchSettings.h"
#include "RunArguments.h"
#include "Terminal.h"
#include "Timing.h"
#include "files/PendingFile.h"
#include "nereid/profile.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

namespace nereid::command {
namespace {

struct ProfileSettings {
  LaunchSettings launch;
  std::string trace;
  ProfileOptions options;
  bool isJson = false, countsHardware = false;
};

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

/// Instead of lines: what the CPU counts.
void countOnCpu(const ProfileSettings &settings) {
  const LaunchSettings &given = settings.launch;
  if (given.device != "cpu")
    throw Error(Error::Kind::Usage,
                "--counters are those of CPUs (--device cpu): those of GPUs need a permission that "
                "is seldom given, and where it is, ncu shows them; profiles here need none");
  if (!settings.trace.empty())
    throw Error(Error::Kind::Usage, "--trace and --counters: counters say nothing of when");
  Counters counters; // before there are threads that are to be counted
  Kernel kernel = loadKernel(parseKernelReference(given.kernel), given.modules.read());
  Device device = Device::open(given.device, {.threads = given.threads, .cpu = given.cpu});
  Expression text(given.grid, "--grid");
  RunArguments arguments(device, given.seed, given.arguments);
  Arguments evaluated = arguments.evaluate();
  Grid grid = gridOfProfile(text, arguments, kernel, device, settings.options.tuning);
  if (!grid.x || !grid.y || !grid.z)
    throw Error(Error::Kind::Usage, "a grid without programs has nothing to profile");
  Launch launch = kernel.prepare(device, evaluated, settings.options.tuning);
  constexpr double milliseconds = 500;
  CountedLaunches counted = countLaunches(counters, launch, grid, milliseconds);
  counted.kernel = kernel.name();
  counted.device = device.name();
  counted.threads = device.threads();
  counted.arrayBytes = bytesOfArrays(evaluated);
  sayText(stdout, settings.isJson ? toJson(counted) : toText(counted));
}

void profile(const ProfileSettings &settings) {
  if (settings.countsHardware)
    return countOnCpu(settings);
  if (!settings.trace.empty() && settings.launch.device.starts_with("cpu"))
    throw Error(Error::Kind::Usage, "--trace is of GPUs, whose warps note when they did what; of a CPU it "
                                    "is known where threads stood, and not when");
  if (!settings.trace.empty())
    files::requireWritable(settings.trace);
  Kernel kernel =
      loadKernel(parseKernelReference(settings.launch.kernel), settings.launch.modules.read());
  Device device = Device::open(settings.launch.device,
                               {.threads = settings.launch.threads, .cpu = settings.launch.cpu});
  Expression text(settings.launch.grid, "--grid");
  RunArguments arguments(device, settings.launch.seed, settings.launch.arguments);
  Arguments given = arguments.evaluate();
  Grid grid = gridOfProfile(text, arguments, kernel, device, settings.options.tuning);
  Profile profile = [&] {
    Progress progress("profiling");
    return nereid::profile(device, kernel, grid, given, settings.options);
  }();
  if (!settings.trace.empty())
    files::writeWhole(settings.trace, toTrace(profile));
  sayText(stdout,
          settings.isJson ? toJson(profile) : toText(profile, isColored(stdout)));
}

constexpr const char *profileExamples = R"help(Examples
    nereid profile softmax.py::softmax --grid 8192 x=randn:f32[8192,4096] ...
    the same with --trace out.json   what Perfetto (ui.perfetto.dev) and chrome://tracing open
    the same with --json             a document)help";

} // namespace

void defineProfileCommand(CLI::App &command) {
  auto settings = std::make_shared<ProfileSettings>();
  settings->launch.device = "cuda";
  settings->launch.addTo(command);
  command.add_option("--trace", settings->trace, "FILE: write what each warp did when, too");
  command.add_flag("--counters", settings->countsHardware,
                   "On a CPU: what its counters say of a launch (cycles, instructions, misses), as far "
                   "as the operating system lets them be read");
  command.add_flag("--json", settings->isJson, "A document on standard output");
  command
      .add_option("--detail", settings->options.detail,
                  "What is noted: all, waits, rounds, or auto: the first of these that costs no more "
                  "than 5 % of the time")
      ->capture_default_str();
  command
      .add_option("--turns", settings->options.turns,
                  "Launches with and without clocks, by turns, to tell what clocks cost (0: none)")
      ->capture_default_str();
  command.add_option("--num-warps", settings->options.tuning.warps,
                     "How many warps run a program (default: as its tiles ask for)");
  command.add_option("--num-stages", settings->options.tuning.pipelineStages,
                     "How many rounds of a loop that multiplies are in shared memory at once "
                     "(default: as many as help)");
  command.add_option("--maxnreg", settings->options.tuning.maxRegisters,
                     "The most registers a thread may take, 16 to 255");
  command.footer(describeValues() + profileExamples);
  command.callback([settings] { profile(*settings); });
}

} // namespace nereid::command
