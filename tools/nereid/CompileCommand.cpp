// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Commands.h"
#include "KernelReference.h"
#include "ModuleSettings.h"
#include "PendingFile.h"
#include "Signature.h"
#include "StageList.h"
#include "driver/Compiler.h"
#include "jit/Boundary.h"
#include "jit/CpuChoice.h"
#include "jit/State.h"

#include "llvm/Support/FormatVariadic.h"

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>

namespace nereid::command {
namespace {

struct CompileSettings {
  std::string kernel, signature, stages, target = "cpu", cpu, emit, output;
  ModuleSettings modules;
};

target::Target parseTarget(const CompileSettings &settings) {
  if (settings.target == "cpu")
    return jit::chooseCpu(settings.cpu);
  if (settings.target == "none")
    return target::NoTarget();
  std::string names;
  for (const backend::Backend *backend : backend::backends())
    names += (names.empty() ? "" : ", ") + std::string(backend->name);
  throw Error(Error::Kind::Usage, "no target '" + settings.target + "'; there are: " + names);
}

/// What --emit asks for, and --output alone: the kernel, ready to be launched.
constexpr const char *artifact = "artifact";

std::optional<Stage> emittedStage(const CompileSettings &settings) {
  if (settings.emit.empty() || settings.emit == artifact)
    return std::nullopt;
  std::optional<Stage> stage = parseStage(settings.emit);
  if (!stage || *stage < Stage::Llvm)
    throw Error(Error::Kind::Usage,
                "cannot emit '" + settings.emit + "'; --emit takes artifact, asm, llvm or object");
  return stage;
}

void write(const std::string &path, const void *data, size_t bytes) {
  PendingFile file(path);
  file.write(data, bytes);
  file.commit();
}

/// The kernel that is to be compiled, for nothing yet.
driver::KernelRequest findKernel(const CompileSettings &settings) {
  KernelReference reference = parseKernelReference(settings.kernel);
  Module module = Module::load(reference.file, settings.modules.read());
  Kernel kernel = module.kernel(resolveKernel(module, reference));
  std::shared_ptr<const driver::SourceModule> source = detail::ModuleState::of(module)->source;
  if (!source)
    throw Error(Error::Kind::Usage, reference.file + " is compiled already");
  return {source, detail::KernelState::of(kernel).function, {}};
}

/// --dump may ask for no more than what is known without a signature.
bool needsSignature(const CompileSettings &settings, const Dump &dump) {
  return dump.isEmpty() || dump.wantsLaterThan(Stage::Ast) || !settings.output.empty();
}

void compile(const CompileSettings &settings, llvm::raw_ostream &out) {
  backend::CompileOptions options{parseTarget(settings)};
  std::optional<Stage> emitted = emittedStage(settings);
  std::vector<Stage> stages = parseStages(settings.stages);
  const backend::Backend &backend = backend::backendFor(options.target);
  requireStages(stages, backend);
  if (emitted)
    requireStages({*emitted}, backend);
  bool writesArtifact = !emitted && (!settings.output.empty() || !settings.emit.empty());
  bool needsFile = writesArtifact || emitted == Stage::Object;
  if (needsFile && settings.output.empty())
    throw Error(Error::Kind::Usage,
                "--emit=" + settings.emit + " writes no text: name a file, -o FILE");
  if (writesArtifact && settings.target == "none")
    throw Error(Error::Kind::Usage, "target none has no code that could be written");
  if (!settings.output.empty())
    requireWritable(settings.output);

  std::string text;
  llvm::raw_string_ostream emittedText(text);
  Dump dump(stages, out);
  if (emitted)
    dump.write(*emitted, emittedText);
  driver::KernelRequest request = findKernel(settings);
  jit::atBoundary([&] {
    driver::showSource(*request.source, *request.function, dump);
    if (!needsSignature(settings, dump))
      return;
    request.specialization = parseSignature(*request.source, *request.function, settings.signature);
    auto start = std::chrono::steady_clock::now();
    runtime::Artifact kernel = driver::compile(request, options, dump);
    std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
    if (writesArtifact) {
      std::vector<uint8_t> bytes = runtime::serialize(kernel);
      write(settings.output, bytes.data(), bytes.size());
    } else if (!settings.output.empty()) {
      write(settings.output, text.data(), text.size());
    } else if (emitted) {
      out << text;
    }
    if (dump.isEmpty())
      out << llvm::formatv("compiled {0} for {1} in {2:f1} ms\n", kernel.kernel, settings.target,
                           elapsed.count());
  });
}

} // namespace

void addCompileCommand(CLI::App &app) {
  auto *command = app.add_subcommand("compile", "Compile a kernel, show or keep what it becomes");
  auto settings = std::make_shared<CompileSettings>();
  command->add_option("kernel", settings->kernel, "FILE[::KERNEL]")->required();
  command->add_option("-s,--signature", settings->signature,
                      "Type or constant of each parameter; --dump=tokens,ast needs none");
  command->add_option("--dump", settings->stages, "STAGES to print, with commas between");
  command->add_option("-o,--output", settings->output,
                      "The file to write: a compiled kernel that `nereid run` launches");
  command->add_option("--emit", settings->emit,
                      "What to write: artifact (default), or asm, llvm, object");
  command->add_option("--target", settings->target, "cpu, or none to stop after the tile dialect")
      ->capture_default_str();
  command->add_option("--cpu", settings->cpu,
                      "The CPU to compile for: host, x86-64, haswell, ... (default: NEREID_CPU)");
  settings->modules.addTo(*command);
  command->footer(describeStages() + R"help(
A signature is a list of NAME=WHAT with commas between, where WHAT is one of
    *f32  *f32:16     a pointer; :16 says that it is a multiple of 16 bytes
    i32   i32:16      a number; :16 says that it is a multiple of 16
    1024  True  "x"   a constant, for a constexpr or an argument that is always the same

Examples
    nereid compile add.py::add --dump=tile,asm \
        --signature "x_ptr=*f32:16,y_ptr=*f32:16,out_ptr=*f32:16,n=i32,BLOCK=1024"
    nereid compile add.py::add -o add.nrd --cpu x86-64 --signature ...
    nereid run add.nrd --grid 4 x_ptr=ones:f32[4096] y_ptr=ones:f32[4096] ...)help");
  command->callback([settings] { compile(*settings, llvm::outs()); });
}

} // namespace nereid::command
