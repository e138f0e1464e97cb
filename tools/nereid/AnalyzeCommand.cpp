// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Commands.h"
#include "Completion.h"
#include "FormatText.h"
#include "GridScope.h"
#include "KernelReference.h"
#include "LaunchSettings.h"
#include "RunArguments.h"
#include "Terminal.h"
#include "files/PendingFile.h"
#include "nereid/analyze.h"
#include "nereid/devices.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <utility>

namespace nereid::command {
namespace {

/// What is launched, and how it is compiled.
struct AnalyzedLaunch {
  std::string kernel, grid;
  std::vector<std::string> arguments;
  /// Arguments that are the other launch's, of which a kernel takes those that it has.
  std::vector<std::string> inherited;
  AnalyzeOptions options;
};

struct AnalyzeSettings {
  AnalyzedLaunch launch;
  std::string against, page;
  uint64_t seed = 0;
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
    throw Error(Error::Kind::Usage,
                "cannot analyze for target '" + target + "'; GPUs are analyzed: " + list(known));
}

/// A grid may name constexpr integers that have their defaults, which are known once a kernel is
/// compiled: for the CPU will do, and few grids need it.
Grid gridOf(const std::string &grid, const Kernel &kernel, const RunArguments &arguments,
            const Arguments &given, const Device &device) {
  Expression text(grid, "--grid");
  try {
    return text.evaluateGrid(GridScope(arguments, kernel, Constants({})));
  } catch (const Error &) {
    Launch launch = kernel.prepare(device, given);
    return text.evaluateGrid(GridScope(arguments, kernel, launch.constants()));
  }
}

void writePage(const std::string &path, const std::string &text) {
  files::PendingFile file(path);
  file.write(text.data(), text.size());
  file.finish();
  file.commit();
}

/// An argument's name, of NAME=VALUE.
std::string nameOf(const std::string &argument) { return argument.substr(0, argument.find('=')); }

bool isNamed(const std::vector<std::string> &arguments, const std::string &name) {
  return std::ranges::any_of(arguments,
                             [&](const std::string &text) { return nameOf(text) == name; });
}

/// What the kernel is given: of what it inherits, the parameters that it has.
Arguments givenTo(const Kernel &kernel, const RunArguments &arguments,
                  const AnalyzedLaunch &launch) {
  Arguments given = arguments.evaluate();
  std::erase_if(given, [&](const NamedArgument &argument) {
    return !isNamed(launch.arguments, argument.name) &&
           std::ranges::none_of(kernel.parameters(), [&](const Parameter &parameter) {
             return parameter.name == argument.name;
           });
  });
  return given;
}

Analysis analysisOf(const AnalyzedLaunch &launch, const AnalyzeSettings &settings) {
  requireTarget(launch.options.target);
  Kernel kernel = loadKernel(parseKernelReference(launch.kernel), settings.modules.read());
  Device device = Device::open("cpu");
  std::vector<std::string> all = launch.arguments;
  all.insert(all.end(), launch.inherited.begin(), launch.inherited.end());
  RunArguments arguments(device, settings.seed, all);
  Arguments given = givenTo(kernel, arguments, launch);
  Grid grid = gridOf(launch.grid, kernel, arguments, given, device);
  Progress progress("analyzing " + kernel.name());
  return nereid::analyze(kernel, grid, given, launch.options);
}

void addLaunchOptions(CLI::App &command, AnalyzedLaunch &launch) {
  command.add_option("-g,--grid", launch.grid, "GRID: how many programs along each axis");
  offer(command.add_option("--target", launch.options.target, "A GPU: sm_80, sm_90a, ..."),
        gpuNames)
      ->capture_default_str();
  command.add_option("--card", launch.options.card,
                     "What the GPU is on: " + list(analyzeCards()) +
                         ", or a FILE of `nereid calibrate` (default: the first with that target)");
  command.add_option("--num-warps", launch.options.tuning.warps,
                     "How many warps run a program (default: as its tiles ask for)");
  command.add_option("--num-stages", launch.options.tuning.pipelineStages,
                     "How many rounds of a loop that multiplies are in shared memory at once "
                     "(default: as many as help)");
  command.add_option("--maxnreg", launch.options.tuning.maxRegisters,
                     "The most registers a thread may take, 16 or more (over 255: 255)");
}

[[noreturn]] void failAgainst(const std::string &text, const std::string &reason) {
  throw Error(Error::Kind::Usage,
              "--against '" + text + "': " + reason +
                  "; what differs stands there, as in --against '::OTHER_KERNEL BLOCK=64 "
                  "--num-warps 8'");
}

/// The kernel in the first's file that `::NAME` names, or another.
std::string kernelNamed(const std::string &word, const std::string &first) {
  return word.starts_with("::") ? parseKernelReference(first).file + word : word;
}

bool hasOpenQuotation(const std::string &text) {
  char quote = 0;
  for (char c : text)
    if (quote ? c == quote : c == '\'' || c == '"' || c == '`')
      quote = quote ? 0 : c;
  return quote;
}

/// The second launch: the first, but for what `--against` says.
AnalyzedLaunch secondLaunch(const AnalyzeSettings &settings) {
  AnalyzedLaunch second = settings.launch;
  second.arguments.clear();
  if (hasOpenQuotation(settings.against))
    failAgainst(settings.against, "a quotation does not end");
  std::vector<std::string> words;
  CLI::App parser;
  parser.set_help_flag();
  parser.add_option("words", words);
  addLaunchOptions(parser, second);
  try {
    parser.parse(settings.against);
  } catch (const CLI::ParseError &error) {
    failAgainst(settings.against, error.what());
  }
  bool hasKernel = false;
  for (const std::string &word : words) {
    if (word.find('=') != std::string::npos) {
      second.arguments.push_back(word);
    } else if (std::exchange(hasKernel, true)) {
      failAgainst(settings.against, "'" + word + "' is a second kernel");
    } else {
      second.kernel = kernelNamed(word, settings.launch.kernel);
    }
  }
  if (words.empty() && parser.parse_order().empty())
    failAgainst(settings.against, "nothing differs");
  if (parser.count("--target") && !parser.count("--card"))
    second.options.card.clear();
  for (const std::string &argument : settings.launch.arguments)
    if (!isNamed(second.arguments, nameOf(argument)))
      second.inherited.push_back(argument);
  return second;
}

/// One of analyses or of comparisons, in the forms that are asked for.
template <typename T> void show(const AnalyzeSettings &settings, const T &report) {
  if (!settings.page.empty())
    writePage(settings.page, toHtml(report));
  if (settings.isJson)
    sayText(stdout, toJson(report));
  else
    sayColored(stdout, toText(report, isColored(stdout)));
}

void analyze(const AnalyzeSettings &settings, bool isAgainst) {
  std::optional<AnalyzedLaunch> second;
  if (isAgainst)
    second = secondLaunch(settings);
  if (!settings.page.empty())
    files::requireWritable(settings.page);
  Analysis analysis = analysisOf(settings.launch, settings);
  if (!second)
    return show(settings, analysis);
  show(settings, compare(std::move(analysis), analysisOf(*second, settings)));
}

constexpr const char *examples = R"help(Examples
    nereid analyze add.py::add --grid "cdiv(n,BLOCK)" x=rand:f32[1000000] y=rand:f32[1000000] \
        out=empty:f32[1000000] n=1000000 BLOCK=1024
    the same with --json             a document
    the same with --html page.html   a page with pictures
    the same with --against "BLOCK=2048 --num-warps 8"    both side by side)help";

} // namespace

void defineAnalyzeCommand(CLI::App &command) {
  auto settings = std::make_shared<AnalyzeSettings>();
  AnalyzedLaunch &launch = settings->launch;
  command
      .add_option("kernel", launch.kernel,
                  "FILE[::KERNEL]; the name may be left out if there is one")
      ->required();
  command.add_option("arguments", launch.arguments,
                     "NAME=VALUE for each of the kernel's parameters");
  addLaunchOptions(command, launch);
  command.get_option("--grid")->required();
  CLI::Option *against =
      command.add_option("--against", settings->against,
                         "WORDS: compare with another launch; what differs: another kernel, "
                         "arguments and the options above");
  command
      .add_option("--most-accesses", launch.options.mostAccesses,
                  "How many accesses of elements a program is followed for, before its loop is "
                  "taken to have no end (default: 268435456)")
      ->check(CLI::PositiveNumber);
  command.add_flag("--l2-dirty", launch.options.isL2Dirty,
                   "L2 holds what was written before, as where caches are flushed by writes "
                   "(nereid bench, compare)");
  command
      .add_option("--programs", launch.options.programs,
                  "How many programs to run to count (default: as many as take a second)")
      ->check(CLI::Range(0, 1'000'000'000));
  command.add_option("--seed", settings->seed, "Changes what rand: and randn: give");
  command.add_flag("--json", settings->isJson, "A document on standard output");
  command.add_option("--html", settings->page, "FILE: write a page, too, with pictures")
      ->check(requireFileName);
  settings->modules.addTo(command);
  command.footer(describeValues() + examples);
  command.callback([settings, against] { analyze(*settings, against->count() > 0); });
}

} // namespace nereid::command
