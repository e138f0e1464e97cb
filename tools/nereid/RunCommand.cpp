// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CheckSettings.h"
#include "Commands.h"
#include "FaultReport.h"
#include "FormatText.h"
#include "GridScope.h"
#include "KernelReference.h"
#include "LaunchSettings.h"
#include "Npy.h"
#include "PrintsAside.h"
#include "RemarkSettings.h"
#include "RunArguments.h"
#include "Summary.h"
#include "Terminal.h"
#include "Timing.h"
#include "nereid/devices.h"
#include "nereid/environment.h"
#include "nereid/remarks.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

namespace nereid::command {
namespace {

struct RunOptions : LaunchSettings {
  bool isTimed = false, isVerbose = false, isDebugging = false;
  Tuning tuning;
  std::string block, flops;
  std::vector<std::string> saves;
  CheckSettings checks;
  RemarkSettings remarks;
};

/// Where each array of the run is to be saved.
struct Save {
  std::string name, path;
  Array array;
};

const Array &findArray(const std::string &name, const Arguments &arguments) {
  std::string list;
  for (const NamedArgument &argument : arguments)
    if (const Array *array = argument.value.array()) {
      if (argument.name == name)
        return *array;
      list += (list.empty() ? "the arrays are " : ", ") + argument.name;
    }
  throw Error(Error::Kind::Usage, "cannot save '" + name + "': no array of that name; " +
                                      (list.empty() ? "there are no arrays" : list));
}

std::vector<Save> findSaves(const std::vector<std::string> &texts, const Arguments &arguments) {
  std::vector<Save> saves;
  for (const std::string &text : texts) {
    Assignment assignment = parseAssignment(text, "--save NAME=FILE.npy");
    const Array &array = findArray(assignment.name, arguments);
    if (assignment.text.empty())
      throw Error(Error::Kind::Usage, "--save " + text + ": the name of a file is missing");
    for (const Save &other : saves)
      if (files::followLinks(other.path) == files::followLinks(assignment.text))
        throw Error(Error::Kind::Usage, "two arrays cannot be saved as " + assignment.text);
    files::requireWritable(assignment.text);
    saves.push_back({assignment.name, assignment.text, array});
  }
  return saves;
}

/// All files are complete before the first one gets its name.
void saveAll(const std::vector<Save> &saves) {
  std::vector<files::PendingFile> files;
  for (const Save &save : saves)
    files.push_back(writeNpy(save.array, save.path));
  for (files::PendingFile &file : files)
    file.commit();
  for (const Save &save : saves)
    say(stdout, "%s: %s %s\n", save.path.c_str(), save.name.c_str(),
        describeType(save.array).c_str());
}

uint64_t fingerprint(const Array &array) {
  std::vector<uint8_t> bytes(array.bytes());
  array.copyTo(bytes.data());
  return XXH3_64bits(bytes.data(), bytes.size());
}

/// Tells which arrays a launch changed.
class ChangedArrays {
public:
  explicit ChangedArrays(const Arguments &arguments) {
    for (const NamedArgument &argument : arguments)
      if (const Array *array = argument.value.array())
        add(argument.name, *array);
  }

  void print() const {
    bool isAny = false;
    for (const auto &[names, array, hash] : before) {
      if (fingerprint(array) == hash)
        continue;
      say(stdout, "%s\n", summarize(names, array).c_str());
      isAny = true;
    }
    if (!isAny)
      std::puts("no array changed");
  }

private:
  struct Entry {
    std::string names;
    Array array;
    uint64_t hash;
  };

  /// An array that is given for several parameters is listed once, under all its names.
  void add(const std::string &name, const Array &array) {
    for (Entry &entry : before)
      if (entry.array.sharesMemoryWith(array)) {
        entry.names += ", " + name;
        return;
      }
    before.push_back({name, array, fingerprint(array)});
  }

  std::vector<Entry> before;
};

/// Options of the check device mean nothing to others.
void requireCheckDevice(const RunOptions &options) {
  if (options.checks.isAsked() && options.device != "check")
    throw Error(Error::Kind::Usage,
                "--find, --ignore, --break and --most-findings go with --device check only");
}

void warnOfUnreached(const CheckSettings &checks, const Prompt &prompt) {
  if (!checks.breaks.empty() && !prompt.hasStopped())
    std::fputs("note: no program stopped: nothing that is done at run time stands in that line of "
               "that file, or no such program comes there\n",
               stderr);
}

Block evaluateBlock(const RunOptions &options, const RunArguments &arguments,
                    const Kernel &kernel) {
  Expression text(options.block, "--block");
  Grid block = text.evaluateGrid(GridScope(arguments, kernel, Constants({})));
  return {block.x, block.y, block.z, options.tuning.block.sharedBytes};
}

/// What the code for this launch is compiled for.
CompileOptions optionsOf(const RunOptions &options, const Device &device, const Tuning &tuning) {
  std::string_view cuda = "cuda:";
  bool isGpu = device.name().starts_with(cuda);
  std::string target = "cpu";
  if (isGpu)
    target = gpuInfo(std::stoul(device.name().substr(cuda.size()))).target;
  return {.target = target,
          .cpu = isGpu ? "" : options.cpu,
          .tuning = tuning,
          .checksAsserts = options.isDebugging};
}

/// Where it can be told before the kernel is compiled.
std::optional<Grid> evaluateEarly(const Expression &grid, const Scope &scope) {
  try {
    return grid.evaluateGrid(scope);
  } catch (const Error &) {
    return std::nullopt;
  }
}

/// Whether the launch is the only one of its code, and of few programs.
bool isBrief(const RunOptions &options, const std::optional<Grid> &grid) {
  constexpr double mostPrograms = 64;
  return grid && double(grid->x) * double(grid->y) * double(grid->z) <= mostPrograms &&
         !options.isTimed && environmentVariable("NEREID_BRIEF") != "off";
}

double evaluateFlops(const RunOptions &options, const GridScope &scope) {
  std::vector<int64_t> values = Expression(options.flops, "--flops").evaluateIntegers(scope);
  if (values.size() != 1 || values[0] < 0)
    throw Error(Error::Kind::Usage, "--flops '" + options.flops +
                                        "' is not one number of operations, an integer from 0 on");
  return static_cast<double>(values[0]);
}

void run(const RunOptions &options, std::vector<Finding> &warnings, std::vector<Remark> &found) {
  requireCheckDevice(options);
  if (options.remarks.isAsked() && options.device == "check")
    throw Error(Error::Kind::Usage, "--remarks goes with devices that compile: cpu and cuda");
  KernelReference reference = parseKernelReference(options.kernel);
  Kernel kernel = loadKernel(reference, options.modules.read());
  Expression gridText(options.grid, "--grid");
  Prompt prompt(options.checks.breakRequests());
  std::function<void(const Finding &)> warn;
  if (options.checks.isJson())
    warn = [&](const Finding &finding) { warnings.push_back(finding); };
  Device device =
      Device::open(options.device, {.threads = options.threads,
                                    .cpu = options.cpu,
                                    .check = options.checks.read(options.seed, warn, prompt),
                                    .checksAsserts = options.isDebugging});
  RunArguments runArguments(device, options.seed, options.arguments);
  Arguments arguments = runArguments.evaluate();
  std::vector<Save> saves = findSaves(options.saves, arguments);
  Tuning tuning = options.tuning;
  if (!options.block.empty())
    tuning.block = evaluateBlock(options, runArguments, kernel);
  std::optional<Grid> early = evaluateEarly(gridText, runArguments);
  tuning.isBrief = isBrief(options, early);
  // First: they may tell why a driver refuses the code.
  if (options.remarks.isAsked())
    found = remarksFor(kernel, arguments, optionsOf(options, device, tuning));
  if (!options.remarks.isJson())
    options.remarks.print(found);
  Launch launch = kernel.prepare(device, arguments, tuning);
  Grid grid =
      early ? *early : gridText.evaluateGrid(GridScope(runArguments, kernel, launch.constants()));
  prompt.setGrid(grid);
  for (const std::string &name :
       options.isVerbose ? launch.parametersByValue() : std::vector<std::string>())
    say(stderr, "note: %s needs the value of '%s' while it is compiled, and is compiled for each\n",
        kernel.name().c_str(), name.c_str());

  std::optional<ChangedArrays> changed;
  if (saves.empty())
    changed.emplace(arguments);
  std::optional<FaultReport> faultReport;
  if (device.name() != "check")
    faultReport.emplace(kernel.name(), reference.file, grid);
  {
    Progress progress("running " + kernel.name() + " on " + device.name());
    launch.run(grid);
  }
  warnOfUnreached(options.checks, prompt);
  saveAll(saves);
  if (changed && !options.checks.isJson())
    changed->print();
  // Last, because launching again may change the arrays again.
  if (!options.isTimed)
    return;
  std::optional<double> flops;
  if (!options.flops.empty())
    flops = evaluateFlops(options, GridScope(runArguments, kernel, launch.constants()));
  std::puts(describeTiming(launch, grid, arguments, device, flops).c_str());
}

/// The same, with one document on standard output, and nothing else: the findings, and the error
/// where it is none of them.
void runForTools(const RunOptions &options) {
  std::vector<Finding> findings;
  std::vector<Remark> none;
  try {
    PrintsAside aside;
    run(options, findings, none);
  } catch (const Error &error) {
    bool isFinding = !error.findings().empty();
    std::fputs(
        toJson(isFinding ? error.findings() : findings, isFinding ? "" : error.what()).c_str(),
        stdout);
    throw;
  }
  std::fputs(toJson(findings).c_str(), stdout);
}

/// With the remarks as the one document on standard output.
void runForRemarks(const RunOptions &options) {
  std::vector<Finding> warnings;
  std::vector<Remark> found;
  {
    PrintsAside aside;
    run(options, warnings, found);
  }
  options.remarks.print(found);
}

constexpr const char *moreExamples =
    R"help(Examples
    nereid run add.py --grid "cdiv(n,BLOCK)" x=rand:f32[1000] y=ones:f32[1000] \
        out=empty:f32[1000] n=1000 BLOCK=1024
    nereid run softmax.py::softmax_kernel --grid x.shape[0] x=@x.npy y=empty:f32[64,781] \
        --save y=y.npy
    the same with --device check     reports what the kernel does wrong, with its place
    ... --device check --break softmax.py:12,pid=3     stops there and shows variables
    the same with --time             measures)help";

} // namespace

void defineRunCommand(CLI::App &command) {
  auto options = std::make_shared<RunOptions>();
  options->addTo(command);
  command.add_option("-b,--block", options->block,
                     "BLOCK: of a kernel of threads, how many along each axis, as GRID");
  command.add_option("--shared", options->tuning.block.sharedBytes,
                     "Of a kernel of threads, the bytes of cuda.shared.array(0, ...)");
  command.add_option("--num-warps", options->tuning.warps,
                     "A GPU: how many warps run a program (default: as its tiles ask for)");
  command.add_option(
      "--num-stages", options->tuning.pipelineStages,
      "A GPU: how many rounds of a loop that multiplies are in shared memory at once "
      "(default: as many as help)");
  command.add_option("--maxnreg", options->tuning.maxRegisters,
                     "A GPU: the most registers a thread may take, 16 or more (over 255: 255; "
                     "default: as the driver's compiler decides)");
  command.add_option("--save", options->saves, "NAME=FILE.npy: write an array after the run")
      ->type_size(1)
      ->allow_extra_args(false);
  options->checks.addTo(command);
  options->remarks.addTo(command);
  command.add_flag("-v,--verbose", options->isVerbose,
                   "Say which ordinary arguments the kernel is compiled for by value");
  command.add_flag("--debug", options->isDebugging,
                   "An assertion that does not hold (tl.device_assert) fails the run of a compiled "
                   "kernel, too; as TRITON_DEBUG=1");
  CLI::Option *time = command.add_flag(
      "--time", options->isTimed,
      "Print compile time, launch time and rate, and what part of what the machine gives it is");
  command
      .add_option("--flops", options->flops,
                  "EXPRESSION: with --time, operations that a launch computes")
      ->needs(time);
  command.footer(describeValues() + moreExamples);
  command.callback([options] {
    if (options->checks.isJson() && options->remarks.isAsked())
      throw Error(Error::Kind::Usage, "--report=json has no place for remarks");
    std::vector<Finding> warnings;
    std::vector<Remark> found;
    if (options->checks.isJson())
      runForTools(*options);
    else if (options->remarks.isJson())
      runForRemarks(*options);
    else
      run(*options, warnings, found);
  });
}

} // namespace nereid::command
