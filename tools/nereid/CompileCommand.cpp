// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Commands.h"
#include "Completion.h"
#include "FormatText.h"
#include "KernelReference.h"
#include "ModuleSettings.h"
#include "PrintsAside.h"
#include "RemarkSettings.h"
#include "files/PendingFile.h"
#include "nereid/compile.h"
#include "nereid/devices.h"
#include "nereid/expression.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iterator>
#include <memory>
#include <optional>

namespace nereid::command {
namespace {

struct CompileSettings {
  std::string kernel, signature, stages, target = "cpu", cpu, emit, output;
  Tuning tuning;
  std::string block;
  bool mayOverlap = false, takesClocks = false;
  ModuleSettings modules;
  RemarkSettings remarks;
};

/// What --emit asks for, and --output alone: the kernel, ready to be launched.
constexpr const char *artifact = "artifact";

bool isEmitted(Stage stage) { return stage >= Stage::Llvm; }

std::optional<Stage> emittedStage(const CompileSettings &settings) {
  if (settings.emit.empty() || settings.emit == artifact)
    return std::nullopt;
  std::optional<Stage> stage = parseStage(settings.emit);
  if (!stage || !isEmitted(*stage))
    throw Error(Error::Kind::Usage, "cannot emit '" + settings.emit +
                                        "'; --emit takes artifact, llvm, asm, object or ptx");
  return stage;
}

std::vector<std::string> emittedNames() {
  std::vector<std::string> names{artifact};
  for (Stage stage : stages())
    if (isEmitted(stage))
      names.emplace_back(name(stage));
  return names;
}

std::vector<std::string> dumpedNames() {
  std::vector<std::string> names;
  for (Stage stage : stages())
    if (stage != Stage::Object)
      names.emplace_back(name(stage));
  std::ranges::copy(passNames(), std::back_inserter(names));
  return names;
}

/// For --help: a line for each stage.
std::string describeStages() {
  std::string text = "Stages\n";
  for (Stage stage : stages())
    text += formatText("    %-8s%s\n", std::string(name(stage)).c_str(),
                       std::string(meaning(stage)).c_str());
  return text;
}

/// For --help: in lines of 100 columns at most.
std::string describePasses() {
  std::string text = "Passes";
  size_t column = 100;
  for (const std::string &pass : passNames()) {
    bool isFull = column + 2 + pass.size() > 100;
    text += isFull ? "\n    " + pass : "  " + pass;
    column = isFull ? 4 + pass.size() : column + 2 + pass.size();
  }
  return text + '\n';
}

/// What --dump names, in the options.
void selectDumped(CompileOptions &options, const CompileSettings &settings) {
  selectStages(options, settings.stages);
  if (std::ranges::find(options.stages, Stage::Object) != options.stages.end())
    throw Error(Error::Kind::Usage, "an object file is no text; --emit=object -o FILE writes it");
}

void requireOutput(const CompileSettings &settings, bool writesArtifact,
                   std::optional<Stage> emitted) {
  if ((writesArtifact || emitted == Stage::Object) && settings.output.empty())
    throw Error(Error::Kind::Usage,
                "--emit=" + settings.emit + " writes no text: name a file, -o FILE");
  if (writesArtifact && settings.target == "none")
    throw Error(Error::Kind::Usage, "target none has no code that could be written");
  if (!settings.output.empty())
    files::requireWritable(settings.output);
}

void show(const StageOutput &output) {
  std::string detail = output.detail.empty() ? "" : ": " + output.detail;
  say(stdout, "// ---- %s%s, %.2f ms ----\n", std::string(name(output.stage)).c_str(),
      detail.c_str(), output.milliseconds);
  sayText(stdout, output.text);
  std::fflush(stdout);
}

void writeFile(const std::string &path, const std::string &text) {
  if (path.empty()) {
    sayText(stdout, text);
    return;
  }
  files::writeWhole(path, text);
}

Block parseBlock(const std::string &text, int64_t sharedBytes) {
  Grid block = Expression(text, "--block").evaluateGrid();
  return {block.x, block.y, block.z, sharedBytes};
}

/// A document on standard output is alone there.
void requireOneDocument(const CompileSettings &settings, std::optional<Stage> emitted) {
  bool showsStages = !settings.stages.empty() || (emitted && settings.output.empty());
  if (settings.remarks.isJson() && showsStages)
    throw Error(Error::Kind::Usage, "--remarks=json writes a document to standard output, where "
                                    "stages are shown, too: take --remarks, or -o FILE");
}

void compile(const CompileSettings &settings, std::vector<Remark> &found) {
  std::optional<Stage> emitted = emittedStage(settings);
  bool writesArtifact = !emitted && (!settings.output.empty() || !settings.emit.empty());
  requireOutput(settings, writesArtifact, emitted);
  requireOneDocument(settings, emitted);

  std::string emittedText;
  Tuning tuning = settings.tuning;
  if (!settings.block.empty())
    tuning.block = parseBlock(settings.block, tuning.block.sharedBytes);
  CompileOptions options{.target = settings.target,
                         .cpu = settings.cpu,
                         .tuning = tuning,
                         .mayOverlap = settings.mayOverlap,
                         .takesClocks = settings.takesClocks};
  selectDumped(options, settings);
  std::vector<Stage> dumped = options.stages;
  if (!options.passes.empty())
    dumped.push_back(Stage::Passes);
  if (emitted)
    options.stages.push_back(*emitted);
  options.sink = [&](const StageOutput &output) {
    if (emitted == output.stage)
      emittedText = output.text;
    if (std::ranges::find(dumped, output.stage) != dumped.end())
      show(output);
  };
  if (settings.remarks.isAsked())
    options.remarks = [&](const Remark &remark) { found.push_back(remark); };
  Kernel kernel = loadKernel(parseKernelReference(settings.kernel), settings.modules.read());
  Signature signature = parseSignature(settings.signature);
  bool showsStages = !options.stages.empty() || !options.passes.empty();
  if (showsStages && !writesArtifact) {
    dump(kernel, signature, options);
    if (emitted)
      writeFile(settings.output, emittedText);
    return;
  }
  auto start = std::chrono::steady_clock::now();
  Artifact artifact = nereid::compile(kernel, signature, options);
  std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
  if (writesArtifact)
    artifact.save(settings.output);
  if (!showsStages)
    say(stdout, "compiled %s for %s in %.1f ms\n", kernel.name().c_str(), settings.target.c_str(),
        elapsed.count());
}

void compileWithRemarks(const CompileSettings &settings) {
  std::vector<Remark> found;
  if (settings.remarks.isJson()) {
    PrintsAside aside;
    compile(settings, found);
  } else {
    compile(settings, found);
  }
  if (settings.remarks.isAsked())
    settings.remarks.print(found);
}

} // namespace

void defineCompileCommand(CLI::App &command) {
  auto settings = std::make_shared<CompileSettings>();
  command.add_option("kernel", settings->kernel, "FILE[::KERNEL]")->required();
  command.add_option("-s,--signature", settings->signature,
                     "Type or constant of each parameter; --dump=tokens,ast needs none");
  offer(command.add_option("--dump", settings->stages,
                           "STAGES to print, or PASSES before and after which to, with commas "
                           "between"),
        dumpedNames);
  command.add_option("-o,--output", settings->output,
                     "The file to write: a compiled kernel that `nereid run` launches");
  offer(command.add_option("--emit", settings->emit,
                           "What to write: artifact (default), or llvm, asm, object, ptx"),
        emittedNames);
  offer(
      command.add_option("--target", settings->target,
                         "cpu, a GPU (sm_80, sm_90a, ...), or none to stop after the tile dialect"),
      targetNames)
      ->capture_default_str();
  offer(command.add_option(
            "--cpu", settings->cpu,
            "The CPU to compile for: host, x86-64, haswell, ... (default: NEREID_CPU)"),
        cpuNames);
  command.add_option("-b,--block", settings->block,
                     "BLOCK: of a kernel of threads, how many along x, y and z, as 16,16");
  command.add_option("--shared", settings->tuning.block.sharedBytes,
                     "Of a kernel of threads, the bytes of cuda.shared.array(0, ...)");
  command.add_option("--num-warps", settings->tuning.warps,
                     "A GPU: how many warps run a program (default: as its tiles ask for)");
  command.add_option(
      "--num-stages", settings->tuning.pipelineStages,
      "A GPU: how many rounds of a loop that multiplies are in shared memory at once "
      "(default: as many as help)");
  command.add_option("--maxnreg", settings->tuning.maxRegisters,
                     "A GPU: the most registers a thread may take, 16 or more (over 255: 255; "
                     "default: as the driver's compiler decides)");
  command.add_flag("--may-overlap", settings->mayOverlap,
                   "Arrays of one launch may overlap (code for arrays that do not is faster)");
  command.add_flag("--clocks", settings->takesClocks,
                   "A GPU: show the code that `nereid profile` launches, which reads clocks");
  settings->remarks.addTo(command);
  settings->modules.addTo(command);
  command.footer(describeStages() + describePasses() + R"help(
A signature is a list of NAME=WHAT with commas between, where WHAT is one of
    *f32  *f32:16     a pointer; :16 says that it is a multiple of 16 bytes
    i32   i32:16      a number; :16 says that it is a multiple of 16
    f32[:]  f32[:,:]  an array of a kernel of threads; f32[:,::1] where rows lie next to each other
    tensordesc<f32[64,32]>   a tensor descriptor, for blocks of that shape; :16 as of a pointer, and
                             its strides are multiples of 16 bytes as well
    pair.0=*f32,pair.1=i32   a tuple, element by element
    1024  True  "x"   a constant, for a constexpr or an argument that is always the same

Examples
    nereid compile add.py::add --dump=tile,asm \
        --signature "x_ptr=*f32:16,y_ptr=*f32:16,out_ptr=*f32:16,n=i32,BLOCK=1024"
    nereid compile add.py::add -o add.nrd --cpu x86-64 --signature ...
    nereid run add.nrd --grid 4 x_ptr=ones:f32[4096] y_ptr=ones:f32[4096] ...)help");
  command.callback([settings] { compileWithRemarks(*settings); });
}

} // namespace nereid::command
