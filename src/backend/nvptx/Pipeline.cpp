// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The NVIDIA back end's recipe: give tiles to threads, put barriers between accesses that may meet,
// emit what one thread does, clean up, print PTX.
#include "backend/llvm/Codegen.h"
#include "backend/llvm/Optimize.h"
#include "backend/llvm/ReportAsserts.h"
#include "backend/nvptx/AssignLayouts.h"
#include "backend/nvptx/DelayProducts.h"
#include "backend/nvptx/DescribeBoxes.h"
#include "backend/nvptx/DeviceMath.h"
#include "backend/nvptx/Disassemble.h"
#include "backend/nvptx/FetchLoads.h"
#include "backend/nvptx/FetchRows.h"
#include "backend/nvptx/GiveRoles.h"
#include "backend/nvptx/GroupLoads.h"
#include "backend/nvptx/HideNegations.h"
#include "backend/nvptx/KernelEmitter.h"
#include "backend/nvptx/Legality.h"
#include "backend/nvptx/LoopOverDepth.h"
#include "backend/nvptx/LoopOverPieces.h"
#include "backend/nvptx/LoopOverRows.h"
#include "backend/nvptx/NvptxBackend.h"
#include "backend/nvptx/NvptxLaneTarget.h"
#include "backend/nvptx/OrderAccesses.h"
#include "backend/nvptx/OrderPrograms.h"
#include "backend/nvptx/OverlapProducts.h"
#include "backend/nvptx/PrefetchRows.h"
#include "backend/nvptx/PrintLayouts.h"
#include "backend/nvptx/RemarkAssembled.h"
#include "backend/nvptx/RemarkLoads.h"
#include "backend/nvptx/RingLoads.h"
#include "backend/nvptx/SplitAtMask.h"
#include "backend/nvptx/SplitProducts.h"
#include "backend/nvptx/StageOperands.h"
#include "backend/nvptx/WidenProducts.h"
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

std::string key(const CompileOptions &options) {
  auto text = [](std::optional<unsigned> number) {
    return number ? std::to_string(*number) : std::string("-");
  };
  return smOf(options).sm + " warps " + text(options.warps) + " stages " +
         text(options.pipelineStages) + " registers " + text(options.maxRegisters) +
         (options.usesBoxes ? "" : " without boxes") + (options.checksAsserts ? " asserts" : "");
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

bool holdsAssembly(mlir::func::FuncOp function) {
  return function.walk([](tile::AssemblyOp) { return mlir::WalkResult::interrupt(); })
      .wasInterrupted();
}

/// Gives tiles to threads, and rings and roles to loops; how many warps of a block only fetch.
unsigned giveToThreads(mlir::func::FuncOp function, const CompileOptions &options, unsigned warps) {
  const target::NvidiaTarget &target = smOf(options);
  nvptx::loopOverPieces(function, warps);
  nvptx::loopOverRows(function, warps);
  nvptx::widenProducts(function, target, warps);
  nvptx::orderPrograms(function);
  nvptx::splitAtMask(function);
  nvptx::splitProducts(function, target, warps);
  // A limit on registers leaves none to be moved between roles; instructions of the author's may
  // count the block's threads, and know of none that fetch.
  bool mayHaveRoles = options.usesBoxes && !options.maxRegisters && !holdsAssembly(function);
  bool hasRoles =
      mayHaveRoles && (nvptx::fetchLoads(function, target, warps, options.pipelineStages) ||
                       nvptx::fetchRows(function, target, warps));
  if (!mayHaveRoles && options.usesBoxes)
    nvptx::remarkNoRoles(function, target, warps,
                         options.maxRegisters
                             ? "a limit on registers leaves none to be moved to who multiplies"
                             : "the kernel has assembly, which may count its threads");
  if (!hasRoles) {
    nvptx::ringLoads(function, target, warps, options.pipelineStages);
    nvptx::prefetchRows(function, target);
  }
  nvptx::groupLoads(function, warps);
  nvptx::stageOperands(function, target, warps);
  nvptx::loopOverDepth(function, target, warps);
  nvptx::overlapProducts(function);
  nvptx::delayProducts(function, target, warps);
  unsigned producerWarps = nvptx::giveRoles(function, target, warps);
  nvptx::assignLayouts(function, target, warps);
  // Its barriers need to know who holds what.
  nvptx::orderAccesses(function);
  return producerWarps;
}

runtime::Artifact compile(tile::Kernel kernel, const CompileOptions &options, Dump &dump) {
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

  unsigned warps = block           ? llvm::divideCeil(block->threads(), target::warpSize)
                   : options.warps ? *options.warps
                                   : nvptx::chooseWarps(function);
  kernel.context->getOrLoadDialect<nv::NvDialect>();
  unsigned producerWarps = block ? 0 : giveToThreads(function, options, warps);
  dump.show(Stage::Layouts, [&](llvm::raw_ostream &out) {
    kernel.module->print(out);
    nvptx::printLayouts(function, target, out);
  });

  std::string symbol = symbolOf(kernel.name);
  nvptx::KernelEmitter emitter(module, function, lanes, target, warps, producerWarps);
  emitter.emit(symbol);
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
  if (block)
    code.rows = {static_cast<uint32_t>(block->y), static_cast<uint32_t>(block->z)};
  code.prints = emitter.takePrints();
  code.sharedBytes = static_cast<uint32_t>(emitter.sharedBytes());
  runtime::Artifact artifact;
  artifact.code = std::move(code);
  return artifact;
}

constexpr Stage stages[] = {Stage::Layouts, Stage::Llvm, Stage::Ptx, Stage::Sass};

} // namespace

const Backend nvptxBackend = {"nvptx",
                              stages,
                              /*readsDivisibility=*/true,
                              /*readsTuning=*/true,
                              key,
                              compile};

} // namespace nereid::backend
