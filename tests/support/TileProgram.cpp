// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/TileProgram.h"

#include "backend/Backend.h"
#include "interpret/Interpreter.h"
#include "jit/devices/CpuChoice.h"
#include "passes/Pipeline.h"
#include "runtime/cpu/CpuKernel.h"
#include "support/Check.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <cstdlib>

namespace nereid::test {
namespace {

class Recorder final : public interpret::Observer {
public:
  void outOfBounds(const interpret::OutOfBounds &access) override {
    text += "out of bounds " + access.array + "[" + std::to_string(access.index) + "]\n";
  }
  void assertionFailed(mlir::Location, interpret::ProgramId, llvm::StringRef message,
                       int64_t) override {
    text += "assertion " + message.str() + "\n";
  }
  void print(llvm::StringRef line) override { text += line.str() + "\n"; }
  std::string text;
};

runtime::cpu::ThreadPool &pool() {
  static runtime::cpu::ThreadPool threads(2);
  return threads;
}

/// What NEREID_CPU says, as for every device.
const backend::CompileOptions &options() {
  static const backend::CompileOptions chosen{jit::chooseCpu("")};
  return chosen;
}

Dump dumpFromEnvironment() {
  // For a look at what a failing test compiles to: NEREID_TEST_DUMP=llvm
  if (const char *stage = std::getenv("NEREID_TEST_DUMP"))
    if (auto parsed = parseStage(stage))
      return Dump({*parsed}, [](const StageOutput &output) { llvm::errs() << output.text; });
  return Dump();
}

std::vector<ArgumentSlot> slotsOf(std::vector<TestArgument> &arguments) {
  std::vector<ArgumentSlot> slots;
  for (TestArgument &argument : arguments)
    slots.push_back(
        argument.isArray
            ? ArgumentSlot{reinterpret_cast<uint64_t>(argument.bytes.data()), argument.bytes.size()}
            : ArgumentSlot{argument.bits, 0});
  return slots;
}

void runCompiled(tile::Kernel kernel, const std::vector<ArgumentSlot> &slots, GridExtent grid,
                 const backend::CompileOptions &options) {
  Dump nothing;
  passes::runTilePipeline(*kernel.module, nothing);
  NEREID_CHECK(mlir::succeeded(mlir::verify(*kernel.module)), "the passes broke the kernel");
  Dump dump = dumpFromEnvironment();
  runtime::Artifact artifact =
      backend::backendFor(options.target).compile(std::move(kernel), options, dump);
  runtime::cpu::CpuKernel(std::get<runtime::CpuCode>(artifact.code), "kernel", pool())
      .launch(grid, slots, nullptr);
}

tile::Kernel parse(const std::string &text) {
  tile::Kernel kernel;
  kernel.context = tile::createContext();
  kernel.context->allowUnregisteredDialects(); // for tests of what is not known
  kernel.module = mlir::parseSourceString<mlir::ModuleOp>(text, kernel.context.get());
  NEREID_CHECK(kernel.module, "the test's kernel does not parse");
  kernel.name = kernel.function().getName().str();
  return kernel;
}

} // namespace

std::vector<TestArgument> runTile(tile::Kernel kernel, std::vector<TestArgument> arguments,
                                  GridExtent grid, Executor executor, std::string *report) {
  std::vector<ArgumentSlot> slots = slotsOf(arguments);
  if (executor == Executor::Interpreter) {
    Recorder recorder;
    interpret::run(kernel.function(), slots, grid, recorder);
    if (report)
      *report = recorder.text;
  } else {
    runCompiled(std::move(kernel), slots, grid, options());
  }
  return arguments;
}

std::vector<TestArgument> runTileOn(const target::CpuTarget &cpu, const std::string &text,
                                    std::vector<TestArgument> arguments, GridExtent grid) {
  runCompiled(parse(text), slotsOf(arguments), grid, backend::CompileOptions{cpu});
  return arguments;
}

std::vector<TestArgument> runTile(const std::string &text, std::vector<TestArgument> arguments,
                                  GridExtent grid, Executor executor, std::string *report) {
  return runTile(parse(text), std::move(arguments), grid, executor, report);
}

} // namespace nereid::test
