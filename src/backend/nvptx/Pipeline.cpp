// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The NVIDIA back end's recipe: give tiles to threads, put barriers between accesses that may meet,
// emit what one thread does, clean up, print PTX.
#include "backend/gpu/layouts/PrintLayouts.h"
#include "backend/gpu/tiles/OrderPrograms.h"
#include "backend/llvm/Codegen.h"
#include "backend/llvm/Optimize.h"
#include "backend/llvm/OrderByDemand.h"
#include "backend/nvptx/CompileKernel.h"
#include "backend/nvptx/NvptxBackend.h"
#include "backend/nvptx/PassPipeline.h"
#include "backend/nvptx/emit/Emit.h"
#include "backend/nvptx/emit/Legality.h"
#include "backend/nvptx/ptx/BitsOfPredicates.h"
#include "backend/nvptx/ptx/ChooseText.h"
#include "backend/nvptx/ptx/DeviceMath.h"
#include "backend/nvptx/ptx/Disassemble.h"
#include "backend/nvptx/ptx/GlobalAccess.h"
#include "backend/nvptx/ptx/HideNegations.h"
#include "backend/nvptx/ptx/MatrixInstructions.h"
#include "backend/nvptx/ptx/NvptxLaneTarget.h"
#include "backend/nvptx/ptx/PairConversions.h"
#include "backend/nvptx/ptx/PrintClocks.h"
#include "backend/nvptx/ptx/RemarkAssembled.h"
#include "backend/nvptx/ptx/RemarkCalls.h"
#include "backend/nvptx/ptx/ShareDifferences.h"
#include "backend/nvptx/ptx/Shuffle.h"
#include "backend/nvptx/ptx/WidenExtremes.h"
#include "backend/nvptx/rings/DescribeBoxes.h"
#include "backend/nvptx/rings/SpreadRows.h"
#include "dialect/tile/DropChecks.h"
#include "dialect/tile/Remark.h"
#include "dialect/tile/SharedMemory.h"
#include "dialect/tile/SourcePlace.h"
#include "passes/Passes.h"
#include "support/Check.h"

#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
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
  return smOf(options).sm + policyText(options) + (options.usesBoxes ? "" : " without boxes") +
         (options.checksAsserts ? " asserts" : "") +
         (options.clocks == Clocks::None ? std::string()
                                         : " clocks of " + std::string(toString(options.clocks)));
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
  configuration.warps = options.tuning.warps;
  configuration.stages = options.tuning.pipelineStages;
  configuration.registers = options.tuning.maxRegisters;
  configuration.boxes = options.usesBoxes;
  nvptx::giveToThreads(*kernel.module, configuration, options.policy, options.clocks, dump);
}

/// A row for each choice: name, number, unit, what is accepted, and reason.
void showPolicy(const CompileOptions &options, llvm::raw_ostream &out) {
  for (PolicyRow row : nvptx::policyRows()) {
    for (const auto &[name, value] : options.policy)
      if (name == row.name)
        row.value = value;
    out << llvm::left_justify(row.name, 30) << ' ' << row.value << ' ' << row.unit << ", "
        << row.least << " to " << row.most << ": " << row.why << '\n';
  }
}

constexpr Stage stages[] = {Stage::Policy, Stage::Layouts, Stage::Llvm, Stage::Ptx, Stage::Sass};

/// What no pass and no emitter meets any more, or what they cannot do, is found here.
void prepare(tile::Kernel &kernel, const CompileOptions &options,
             const nvptx::NvptxLaneTarget &lanes) {
  const target::NvidiaTarget &target = smOf(options);
  mlir::func::FuncOp function = kernel.function();
  tile::requireSharedMemory(kernel, target.sharedPerBlock, target.sm);
  tile::dropChecks(function,
                   options.checksAsserts ? tile::Assertions::Keep : tile::Assertions::Drop);
  llvm::LLVMContext context;
  if (mlir::Operation *op = nvptx::findUnsupported(function, lanes, context))
    tile::failAt(op->getLoc(), kernel.source, DiagnosticId::unsupported_operation, "NVIDIA's GPUs",
                 op->getName().getStringRef());
}

/// Notes what LLVM finds wrong with a kernel, for whoever called it: no exception may pass through
/// its code, which is compiled without any. That a loop could not go several rounds at a time, as
/// was asked for, is nothing for a user.
void hear(const llvm::DiagnosticInfo *info, void *mistakes) {
  if (info->getSeverity() != llvm::DS_Error)
    return;
  llvm::raw_string_ostream out(*static_cast<std::string *>(mistakes));
  llvm::DiagnosticPrinterRawOStream printer(out);
  info->print(printer);
  out << '\n';
}

/// A kernel as LLVM IR, by passes and emission.
struct Translation {
  Translation(tile::Kernel &kernel, const CompileOptions &options,
              const nvptx::NvptxLaneTarget &lanes, const llvm::TargetMachine &machine, Dump &dump,
              bool notesSites)
      : module(kernel.name, context), symbol(symbolOf(kernel.name)) {
    if (options.clocks != Clocks::None)
      symbol += "_clocks"; // who watches launches can tell them from the kernel's own
    context.setDiagnosticHandlerCallBack(hear, &mistakes);
    const target::NvidiaTarget &target = smOf(options);
    module.setTargetTriple(machine.getTargetTriple());
    module.setDataLayout(machine.createDataLayout());
    mlir::func::FuncOp function = kernel.function();
    if (tile::blockOf(function)) {
      passes::simplifyComparisons(function);
      if (options.clocks != Clocks::None)
        nvptx::insertClocks(function, target, options.clocks);
    } else {
      runPasses(kernel, options, dump);
    }
    dump.show(Stage::Policy, [&](llvm::raw_ostream &out) { showPolicy(options, out); });
    nvptx::Policy policy;
    for (const auto &[name, value] : options.policy)
      policy.set(name, value);
    dump.show(Stage::Layouts, [&](llvm::raw_ostream &out) {
      kernel.module->print(out);
      gpu::printLayouts(function, nvptx::matricesOf(target), policy.spared_stores, out);
    });
    emitted.emplace(module, function, lanes, target, policy);
    nvptx::emitKernel(*emitted, symbol, notesSites ? &sites : nullptr);
  }

  Translation(const Translation &) = delete; // the context knows where its mistakes are
  Translation &operator=(const Translation &) = delete;

  std::string mistakes; // of what LLVM could not make code
  llvm::LLVMContext context;
  llvm::Module module;
  std::string symbol;
  nvptx::CodeSites sites;
  std::optional<nvptx::KernelContext> emitted;
};

/// Translates the kernel. Rings are made before layouts say what threads exchange: where that was
/// found to take more than they left, the kernel is translated again with so much more, so that
/// what is believed of a block (its stages, how many share an SM) holds of its code.
std::unique_ptr<Translation> translate(tile::Kernel &kernel, CompileOptions options,
                                       const nvptx::NvptxLaneTarget &lanes,
                                       const llvm::TargetMachine &machine, Dump &dump,
                                       bool notesSites) {
  constexpr unsigned mostTries = 3;
  mlir::OwningOpRef<mlir::ModuleOp> original = kernel.module->clone();
  uint64_t found = 0;
  for (unsigned tries = 1;; ++tries) {
    auto done = std::make_unique<Translation>(kernel, options, lanes, machine, dump, notesSites);
    const auto &excess = done->emitted->shared.excess();
    if (!excess || (tries == mostTries && !passes::isVerifying())) {
      tile::silenceRemarks(*kernel.module, false);
      return done;
    }
    NEREID_CHECK(tries < mostTries, "a block takes " + std::to_string(excess->taken) +
                                        " bytes of shared memory where " +
                                        std::to_string(excess->reserved) + " are reserved, for " +
                                        excess->user->getName().getStringRef().str());
    found += excess->taken - excess->reserved;
    llvm::erase_if(options.policy,
                   [](const auto &choice) { return choice.first == "found_bytes"; });
    options.policy.emplace_back("found_bytes", found);
    done.reset();
    kernel.module = original->clone();
    tile::silenceRemarks(*kernel.module, true);
  }
}

nvptx::ProgramOrder orderOf(const nvptx::KernelContext &emitted) {
  return {nvptx::beginsWithLastProgram(emitted.kernel), emitted.loopsOverPrograms(),
          emitted.policy.programs_of_group};
}

runtime::CudaCode codeOf(Translation &translation, std::string ptx,
                         const target::NvidiaTarget &target, mlir::func::FuncOp function) {
  nvptx::KernelContext &emitted = *translation.emitted;
  runtime::CudaCode code;
  code.ptx = std::move(ptx);
  code.loopsOverPrograms = emitted.loopsOverPrograms();
  code.programsAreAlike = code.loopsOverPrograms && !nvptx::growsAlongXAlone(function);
  nvptx::describeBoxes(emitted.boxOps, code);
  nvptx::describeMultiples(function, code);
  code.ptxSm = static_cast<int>(target.version());
  code.isForOneSm = target.sm.back() == 'a';
  code.entry = translation.symbol;
  code.cluster[0] = nvptx::blocksOfProgram(function);
  code.overlapsPrevious = nvptx::overlapsPrevious(emitted);
  code.threads = emitted.threadsOfBlock();
  if (std::optional<tile::BlockShape> block = tile::blockOf(function)) {
    code.rows = {static_cast<uint32_t>(block->y), static_cast<uint32_t>(block->z)};
    code.meetsWholeGrid = tile::meetsWholeGrid(function);
  }
  code.prints = std::move(emitted.prints);
  code.clocks = std::move(emitted.clocks);
  code.sharedBytes = static_cast<uint32_t>(emitted.shared.bytes());
  return code;
}

runtime::Artifact compile(tile::Kernel kernel, const CompileOptions &options, Dump &dump) {
  return nvptx::compileKernel(std::move(kernel), options, dump, {});
}

} // namespace

runtime::Artifact nvptx::compileKernel(tile::Kernel kernel, const CompileOptions &options,
                                       Dump &dump, const EmittedSink &sink) {
  StageScope stage("compile for nvptx", kernel.name, [&] { return kernel.text(); });
  const target::NvidiaTarget &target = smOf(options);
  std::unique_ptr<llvm::TargetMachine> machine = createTargetMachine(target);
  const bool isOfThreads = tile::blockOf(kernel.function()).has_value();
  using Reach = nvptx::NvptxLaneTarget::Reach;
  nvptx::NvptxLaneTarget lanes(target.version(), isOfThreads ? Reach::Any : Reach::Global);
  prepare(kernel, options, lanes);
  std::unique_ptr<Translation> translation =
      translate(kernel, options, lanes, *machine, dump, /*notesSites=*/bool(sink));
  const nvptx::KernelContext &emitted = *translation->emitted;
  if (emitted.shared.bytes() > target.sharedPerBlock)
    tile::failAt(emitted.shared.largestUser()->getLoc(), kernel.source,
                 DiagnosticId::block_too_large, emitted.shared.bytes(), target.sm,
                 target.sharedPerBlock);
  const nvptx::TextChoice text = nvptx::chooseText(kernel.function(), emitted, target);
  llvm::Module &module = translation->module;
  llvm::Function &entry = *module.getFunction(translation->symbol);
  if (options.tuning.maxRegisters)
    entry.addFnAttr("nvvm.maxnreg", std::to_string(options.tuning.maxRegisters));
  else if (text.blocks)
    entry.addFnAttr("nvvm.minctasm", std::to_string(text.blocks));
  nvptx::linkDeviceMath(module, emitted.policy.function_instructions);
  NEREID_CHECK(!llvm::verifyModule(module, &llvm::errs()), "the emitted LLVM IR is not valid");
  nvptx::pairConversions(entry);
  nvptx::shareDifferences(entry);
  isOfThreads ? optimizeScalarCode(module, *machine) : optimizeModule(module, *machine);
  for (llvm::Function &function : module) {
    nvptx::dropLoadsNeverMade(function);
    nvptx::foldShufflesOfConstants(function);
    nvptx::widenExtremes(function);
    nvptx::convertBitsOfPredicates(function);
    if (!text.isByDemand)
      continue;
    orderByDemand(function, emitted.instructions->sharedSpace());
    NEREID_CHECK(!llvm::verifyFunction(function, &llvm::errs()),
                 "the ordered LLVM IR is not valid");
  }
  nvptx::hideNegations(module);
  dump.show(Stage::Llvm, [&](llvm::raw_ostream &out) { module.print(out, nullptr); });

  mlir::func::FuncOp function = kernel.function();
  std::string ptx = assemblyOf(module, *machine);
  NEREID_CHECK(translation->mistakes.empty(), "LLVM: " + translation->mistakes);
  const nvptx::BlockNeeds needs{emitted.threadsOfBlock(), emitted.shared.bytes()};
  const std::optional<nvptx::AssemblyReport> assembly =
      nvptx::assemble(function, ptx, target, sink ? &needs : nullptr);
  if (sink)
    sink({function, target, emitted.shared.costs(), emitted.threadsOfBlock(),
          emitted.shared.bytes(), emitted.loopsOverPrograms(), orderOf(emitted), ptx,
          translation->sites.list(), assembly});
  runtime::CudaCode code = codeOf(*translation, std::move(ptx), target, function);
  dump.show(Stage::Ptx, [&](llvm::raw_ostream &out) {
    out << "// " << code.threads / target::warpSize << " warps, " << code.sharedBytes
        << " bytes of shared memory\n";
    if (code.cluster[0] > 1)
      out << "// " << code.cluster[0] << " blocks run a program\n";
    if (code.overlapsPrevious)
      out << "// begins before the launch before it has ended, and waits for it\n";
    nvptx::printClocks(code.clocks, out);
    nvptx::printBoxes(code, out);
    out << code.ptx;
  });
  if (!assembly)
    nvptx::remarkCalls(function, module);
  showSass(code.ptx, target, dump);
  runtime::Artifact artifact;
  artifact.code = std::move(code);
  return artifact;
}

const Backend nvptxBackend = {"nvptx",
                              stages,
                              /*readsDivisibility=*/true,
                              /*readsTuning=*/true,
                              /*readsBrevity=*/false,
                              nvptx::policyRows,
                              nvptx::passNames,
                              key,
                              compile};

} // namespace nereid::backend
