// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The NVIDIA back end's recipe: give tiles to threads, put barriers between accesses that may meet,
// emit what one thread does, clean up, print PTX.
#include "backend/llvm/Codegen.h"
#include "backend/llvm/Optimize.h"
#include "backend/llvm/ReportAsserts.h"
#include "backend/nvptx/CompileKernel.h"
#include "backend/nvptx/DescribeBoxes.h"
#include "backend/nvptx/DeviceMath.h"
#include "backend/nvptx/Disassemble.h"
#include "backend/nvptx/HideNegations.h"
#include "backend/nvptx/KernelEmitter.h"
#include "backend/nvptx/Legality.h"
#include "backend/nvptx/NvptxBackend.h"
#include "backend/nvptx/NvptxLaneTarget.h"
#include "backend/nvptx/OrderPrograms.h"
#include "backend/nvptx/PassPipeline.h"
#include "backend/nvptx/PrintLayouts.h"
#include "backend/nvptx/RemarkAssembled.h"
#include "dialect/tile/DropChecks.h"
#include "dialect/tile/SharedMemory.h"
#include "dialect/tile/SourcePlace.h"
#include "support/Check.h"

#include "llvm/IR/Verifier.h"

namespace nereid::backend {
namespace {

const target::NvidiaTarget &smOf(const CompileOptions &options) {
  return std::get<target::NvidiaTarget>(options.target);
}

/// Every choice that is another, and its number.
std::string policyText(const CompileOptions &options) {
  std::string text;
  for (const auto &[name, value] : options.policy)
    text += " " + name + " " + std::to_string(value);
  return text;
}

std::string key(const CompileOptions &options) {
  auto text = [](std::optional<unsigned> number) {
    return number ? std::to_string(*number) : std::string("-");
  };
  return smOf(options).sm + " warps " + text(options.warps) + " stages " +
         text(options.pipelineStages) + " registers " + text(options.maxRegisters) +
         policyText(options) + (options.usesBoxes ? "" : " without boxes") +
         (options.checksAsserts ? " asserts" : "");
}

/// PTX names are letters, digits, _ and $. A kernel may be called as a function of PTX is.
std::string symbolOf(llvm::StringRef kernel) {
  std::string symbol = "kernel_";
  for (char c : kernel)
    symbol += llvm::isAlnum(c) ? c : '_';
  return symbol;
}

/// Only if it is asked for: it takes programs that few have.
void showSass(const std::string &ptx, const target::NvidiaTarget &target, Dump &dump) {
  if (!dump.wants(Stage::Sass))
    return;
  std::string text = nvptx::disassemble(ptx, target);
  dump.show(Stage::Sass, [&](llvm::raw_ostream &out) { out << text; });
}

/// Gives tiles to threads, and rings and roles to loops.
void runPasses(tile::Kernel &kernel, const CompileOptions &options, Dump &dump) {
  nvptx::ConfigureOptions configuration;
  configuration.sm = smOf(options).sm;
  configuration.warps = options.warps.value_or(0);
  configuration.stages = options.pipelineStages.value_or(0);
  configuration.registers = options.maxRegisters.value_or(0);
  configuration.boxes = options.usesBoxes;
  passes::OnChange show;
  if (dump.wants(Stage::Passes))
    show = [&](llvm::StringRef pass, Dump::Duration time, mlir::Operation *) {
      auto print = [&](llvm::raw_ostream &out) { kernel.module->print(out); };
      dump.show(Stage::Passes, time, print, pass);
    };
  nvptx::giveToThreads(*kernel.module, configuration, options.policy, std::move(show));
}

/// A row for each choice: name, number, unit and reason.
void showPolicy(const CompileOptions &options, llvm::raw_ostream &out) {
  for (PolicyRow row : nvptx::policyRows()) {
    for (const auto &[name, value] : options.policy)
      if (name == row.name)
        row.value = value;
    out << llvm::left_justify(row.name, 30) << ' ' << row.value << ' ' << row.unit << ": "
        << row.why << '\n';
  }
}

runtime::Artifact compile(tile::Kernel kernel, const CompileOptions &options, Dump &dump) {
  return nvptx::compileKernel(std::move(kernel), options, dump, {});
}

constexpr Stage stages[] = {Stage::Policy, Stage::Layouts, Stage::Llvm, Stage::Ptx, Stage::Sass};

} // namespace

runtime::Artifact nvptx::compileKernel(tile::Kernel kernel, const CompileOptions &options,
                                       Dump &dump, const EmittedSink &sink) {
  StageScope stage("compile for nvptx", kernel.name, [&] { return kernel.text(); });
  const target::NvidiaTarget &target = smOf(options);
  llvm::LLVMContext context;
  llvm::Module module(kernel.name, context);
  std::unique_ptr<llvm::TargetMachine> machine = createTargetMachine(target);
  module.setTargetTriple(machine->getTargetTriple());
  module.setDataLayout(machine->createDataLayout());

  mlir::func::FuncOp function = kernel.function();
  std::optional<tile::BlockShape> block = tile::blockOf(function);
  using Reach = nvptx::NvptxLaneTarget::Reach;
  nvptx::NvptxLaneTarget lanes(target.version(), block ? Reach::Any : Reach::Global);
  tile::requireSharedMemory(kernel, target.sharedPerBlock, target.sm);
  if (options.checksAsserts)
    reportAsserts(function);
  tile::dropChecks(function);
  if (mlir::Operation *op = nvptx::findUnsupported(function, lanes, context))
    tile::failAt(op->getLoc(), kernel.source, DiagnosticId::unsupported_operation, "NVIDIA's GPUs",
                 op->getName().getStringRef());

  if (!block)
    runPasses(kernel, options, dump);
  dump.show(Stage::Policy, [&](llvm::raw_ostream &out) { showPolicy(options, out); });
  dump.show(Stage::Layouts, [&](llvm::raw_ostream &out) {
    kernel.module->print(out);
    nvptx::printLayouts(function, target, out);
  });

  std::string symbol = symbolOf(kernel.name);
  nvptx::KernelEmitter emitter(module, function, lanes, target);
  emitter.emit(symbol);
  if (emitter.sharedBytes() > target.sharedPerBlock)
    tile::failAt(emitter.largestShare()->getLoc(), kernel.source, DiagnosticId::block_too_large,
                 emitter.sharedBytes(), target.sm, target.sharedPerBlock);
  if (options.maxRegisters)
    module.getFunction(symbol)->addFnAttr("nvvm.maxnreg", std::to_string(*options.maxRegisters));
  nvptx::linkDeviceMath(module);
  NEREID_CHECK(!llvm::verifyModule(module, &llvm::errs()), "the emitted LLVM IR is not valid");
  block ? optimizeScalarCode(module, *machine) : optimizeModule(module, *machine);
  nvptx::hideNegations(module);
  dump.show(Stage::Llvm, [&](llvm::raw_ostream &out) { module.print(out, nullptr); });

  runtime::CudaCode code;
  code.ptx = assemblyOf(module, *machine);
  nvptx::remarkAssembled(function, code.ptx, target);
  if (sink)
    sink({function, target, emitter.costs(), emitter.threadsOfBlock(), emitter.sharedBytes(),
          emitter.loopsOverPrograms(), code.ptx});
  code.loopsOverPrograms = emitter.loopsOverPrograms();
  code.programsAreAlike = code.loopsOverPrograms && !nvptx::growsAlongXAlone(function);
  nvptx::describeBoxes(emitter.boxes(), code);
  dump.show(Stage::Ptx, [&](llvm::raw_ostream &out) {
    out << "// " << emitter.threadsOfBlock() / target::warpSize << " warps, "
        << emitter.sharedBytes() << " bytes of shared memory\n";
    nvptx::printBoxes(code, out);
    out << code.ptx;
  });
  showSass(code.ptx, target, dump);
  code.ptxSm = static_cast<int>(target.version());
  code.isForOneSm = target.sm.back() == 'a';
  code.entry = symbol;
  code.threads = emitter.threadsOfBlock();
  code.meetsWholeGrid = block && tile::meetsWholeGrid(function);
  if (block)
    code.rows = {static_cast<uint32_t>(block->y), static_cast<uint32_t>(block->z)};
  code.prints = emitter.takePrints();
  code.sharedBytes = static_cast<uint32_t>(emitter.sharedBytes());
  runtime::Artifact artifact;
  artifact.code = std::move(code);
  return artifact;
}

const Backend nvptxBackend = {"nvptx",
                              stages,
                              /*readsDivisibility=*/true,
                              /*readsTuning=*/true,
                              nvptx::policyRows,
                              key,
                              compile};

} // namespace nereid::backend
