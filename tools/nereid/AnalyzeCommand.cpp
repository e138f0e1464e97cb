// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Commands.h"
#include "FormatText.h"
#include "GridScope.h"
#include "KernelReference.h"
#include "LaunchSettings.h"
#include "RunArguments.h"
#include "files/PendingFile.h"
#include "nereid/analyze.h"
#include "nereid/devices.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>

namespace nereid::command {
namespace {

struct AnalyzeSettings {
  std::string kernel, grid, page;
  std::vector<std::string> arguments;
  uint64_t seed = 0;
  AnalyzeOptions options;
  ModuleSettings modules;
  bool isJson = false;
};

std::string list(const std::vector<std::string> &names) {
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "" : ", ") + name;
  return text;
}

void requireTarget(const std::string &target) {
  std::vector<std::string> known;
  for (const std::string &name : targetNames())
    if (name.starts_with("sm_"))
      known.push_back(name);
  if (std::ranges::find(known, target) == known.end())
    throw Error(Error::Kind::Usage, "cannot analyze for target '" + target +
                                        "'; GPUs are analyzed: " + list(known));
}

/// A grid may name constexpr integers that have their defaults, which are known once a kernel is
/// compiled: for the CPU will do, and few grids need it.
Grid gridOf(const AnalyzeSettings &settings, const Kernel &kernel, const RunArguments &arguments,
            const Device &device) {
  Expression text(settings.grid, "--grid");
  try {
    return text.evaluateGrid(GridScope(arguments, kernel, Constants({})));
  } catch (const Error &) {
    Launch launch = kernel.prepare(device, arguments.evaluate());
    return text.evaluateGrid(GridScope(arguments, kernel, launch.constants()));
  }
}

void writePage(const std::string &path, const std::string &text) {
  files::PendingFile file(path);
  file.write(text.data(), text.size());
  file.finish();
  file.commit();
}

void analyze(const AnalyzeSettings &settings) {
  requireTarget(settings.options.target);
  if (!settings.page.empty())
    files::requireWritable(settings.page);
  Kernel kernel = loadKernel(parseKernelReference(settings.kernel), settings.modules.read());
  Device device = Device::open("cpu");
  RunArguments arguments(device, settings.seed, settings.arguments);
  Arguments given = arguments.evaluate();
  Grid grid = gridOf(settings, kernel, arguments, device);
  Analysis analysis = nereid::analyze(kernel, grid, given, settings.options);
  if (!settings.page.empty())
    writePage(settings.page, toHtml(analysis));
  sayText(stdout, settings.isJson ? toJson(analysis) : toText(analysis));
}

constexpr const char *examples = R"help(Examples
    nereid analyze add.py::add --grid "cdiv(n,BLOCK)" x=rand:f32[1000000] y=rand:f32[1000000] \
        out=empty:f32[1000000] n=1000000 BLOCK=1024
    the same with --json             a document
    the same with --html page.html   a page with pictures)help";

} // namespace

void defineAnalyzeCommand(CLI::App &command) {
  auto settings = std::make_shared<AnalyzeSettings>();
  command
      .add_option("kernel", settings->kernel,
                  "FILE[::KERNEL]; the name may be left out if there is one")
      ->required();
  command.add_option("arguments", settings->arguments,
                     "NAME=VALUE for each of the kernel's parameters");
  command.add_option("-g,--grid", settings->grid, "GRID: how many programs along each axis")
      ->required();
  command.add_option("--target", settings->options.target, "A GPU: sm_80, sm_90a, ...")
      ->capture_default_str();
  command.add_option("--card", settings->options.card,
                     "What the GPU is on: " + list(analyzeCards()) +
                         ", or a FILE of `nereid calibrate` (default: the first with that target)");
  command.add_option("--num-warps", settings->options.tuning.warps,
                     "How many warps run a program (default: as its tiles ask for)");
  command.add_option("--num-stages", settings->options.tuning.pipelineStages,
                     "How many rounds of a loop that multiplies are in shared memory at once "
                     "(default: as many as help)");
  command.add_option("--maxnreg", settings->options.tuning.maxRegisters,
                     "The most registers a thread may take, 16 to 255");
  command.add_option("--programs", settings->options.programs,
                     "How many programs to run to count (default: as many as take a second)");
  command.add_option("--seed", settings->seed, "Changes what rand: and randn: give");
  command.add_flag("--json", settings->isJson, "A document on standard output");
  command.add_option("--html", settings->page, "FILE: write a page, too, with pictures");
  settings->modules.addTo(command);
  command.footer(describeValues() + examples);
  command.callback([settings] { analyze(*settings); });
}

} // namespace nereid::command
