// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Commands.h"
#include "KernelReference.h"
#include "Signature.h"
#include "backend/cpu/CpuBackend.h"
#include "backend/none/NoneBackend.h"
#include "jit/Annotation.h"
#include "jit/Boundary.h"
#include "jit/CpuChoice.h"
#include "jit/State.h"
#include "runtime/cpu/ThreadPool.h"
#include "support/DeepStack.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>

namespace nereid::command {
namespace {

struct CompileOptions {
  std::string kernel, signature, stages, target = "cpu", cpu;
};

std::string describeStages() {
  std::string text = "Stages\n";
#define STAGE(enumerator, name, meaning)                                                           \
  text += llvm::formatv("    {0,-8}{1}\n", name, meaning).str();
#include "driver/stages.def"
  return text;
}

std::vector<driver::Stage> parseStages(const std::string &text) {
  std::vector<driver::Stage> stages;
  for (llvm::StringRef name : llvm::split(text, ',')) {
    if (name.trim().empty())
      continue;
    std::optional<driver::Stage> stage = driver::parseStage(name.trim());
    if (!stage)
      throw Error(Error::Kind::Usage,
                  "no stage '" + name.trim().str() + "'; " +
                      jit::suggest(name.trim(),
                                   {driver::stageNames().begin(), driver::stageNames().end()},
                                   "stages", "stage"));
    stages.push_back(*stage);
  }
  if (stages.empty() && !text.empty())
    throw Error(Error::Kind::Usage, "--dump " + text + " names no stage");
  return stages;
}

std::unique_ptr<backend::Backend> createBackend(const CompileOptions &options,
                                                runtime::cpu::ThreadPool &pool) {
  if (options.target == "cpu")
    return backend::createCpuBackend(pool, jit::chooseCpu(options.cpu));
  if (options.target == "none")
    return backend::createNoneBackend();
  throw Error(Error::Kind::Usage, "no target '" + options.target + "'; there are: cpu, none");
}

/// The stages before the back end are every target's; the others are its own.
void requireStages(const std::vector<driver::Stage> &wanted, const backend::Backend &backend) {
  std::string list;
  for (auto [index, name] : llvm::enumerate(driver::stageNames())) {
    auto stage = static_cast<driver::Stage>(index);
    if (stage <= driver::Stage::Passes || llvm::is_contained(backend.stages(), stage))
      list += (list.empty() ? "" : ", ") + name.str();
    else if (llvm::is_contained(wanted, stage))
      throw Error(Error::Kind::Usage, "target " + std::string(backend.name()) + " has no stage '" +
                                          name.str() + "'; its stages are " + list);
  }
}

void compile(const CompileOptions &options, llvm::raw_ostream &out) {
  std::vector<driver::Stage> stages = parseStages(options.stages);
  driver::Dump dump(stages, out);
  runtime::cpu::ThreadPool pool(1);
  std::unique_ptr<backend::Backend> backend = createBackend(options, pool);
  requireStages(stages, *backend);
  KernelReference reference = parseKernelReference(options.kernel);
  Module module = Module::load(reference.file);
  std::string name = module.kernel(resolveKernel(module, reference)).name();
  std::shared_ptr<const driver::SourceModule> source = detail::ModuleState::of(module)->source;
  const ast::Function &function = *source->tree.function(name);

  jit::atBoundary([&] {
    driver::showSource(*source, function, dump);
    if (!dump.isEmpty() && !dump.wantsLaterThan(driver::Stage::Ast))
      return;
    sema::Specialization specialization = parseSignature(*source, function, options.signature);
    auto start = std::chrono::steady_clock::now();
    runOnDeepStack([&] {
      driver::TileKernel kernel = driver::emitTile(*source, function, specialization, dump);
      driver::optimizeTile(kernel, dump);
      backend->compile(std::move(kernel), dump);
    });
    std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
    if (dump.isEmpty())
      out << llvm::formatv("compiled {0} for {1} in {2:f1} ms\n", name, options.target,
                           elapsed.count());
  });
}

} // namespace

void addCompileCommand(CLI::App &app) {
  auto *command = app.add_subcommand("compile", "Compile a kernel and show what becomes of it");
  auto options = std::make_shared<CompileOptions>();
  command->add_option("kernel", options->kernel, "FILE[::KERNEL]")->required();
  command->add_option("-s,--signature", options->signature,
                      "Type or constant of each parameter; --dump=tokens,ast needs none");
  command->add_option("--dump", options->stages, "STAGES to print, with commas between");
  command->add_option("--target", options->target, "cpu, or none to stop after the tile dialect")
      ->capture_default_str();
  command->add_option("--cpu", options->cpu,
                      "The CPU to compile for: host, x86-64, haswell, ... (default: NEREID_CPU)");
  command->footer(describeStages() + R"help(
A signature is a list of NAME=WHAT with commas between, where WHAT is one of
    *f32  *f32:16     a pointer; :16 says that it is a multiple of 16 bytes
    i32   i32:16      a number; :16 says that it is a multiple of 16
    1024  True  "x"   a constant, for a constexpr or an argument that is always the same

Example
    nereid compile add.py::add --dump=tile,asm \
        --signature "x_ptr=*f32:16,y_ptr=*f32:16,out_ptr=*f32:16,n=i32,BLOCK=1024")help");
  command->callback([options] { compile(*options, llvm::outs()); });
}

} // namespace nereid::command
