// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CPU back end's recipe: plan what is stored, emit loop nests, clean up, generate code, link.
#include "backend/SelectBranches.h"
#include "backend/cpu/CpuBackend.h"
#include "backend/cpu/emit/KernelEmitter.h"
#include "backend/cpu/emit/Legality.h"
#include "backend/cpu/lanes/AssemblyMistakes.h"
#include "backend/llvm/Codegen.h"
#include "backend/llvm/InlineCalls.h"
#include "backend/llvm/Link.h"
#include "backend/llvm/Optimize.h"
#include "backend/llvm/ReportAsserts.h"
#include "backend/llvm/Require.h"
#include "backend/llvm/SourceLines.h"
#include "backend/llvm/SplitBlocks.h"
#include "dialect/tile/DropChecks.h"
#include "dialect/tile/SourcePlace.h"
#include "passes/Passes.h"
#include "support/Check.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Verifier.h"

#include <limits>

namespace nereid::backend {
namespace {

/// LLVM's schedulers take quadratic time in the size of a basic block. Blocks beyond this come from
/// unrolling by the thousand, and are translated instruction by instruction.
constexpr size_t mostScheduled = 4000;

/// Other parts of its code generator take more than linear time in the size of a function, which
/// shows where loops were unrolled into hundreds of nests: 1.6 s for 36,000 instructions and 4.2 s
/// for 65,000. Without its optimisations that is 0.4 and 1.1 s, for code that takes up to twice as
/// long.
constexpr size_t mostOptimized = 20'000;

/// Without its optimisations too, the selection of instructions takes quadratic time in the size of
/// a basic block: it compares and sorts the loads of one.
constexpr size_t mostSelected = 1000;

/// What a program of brief work computes at most, and the instructions of its code before they are
/// optimised. Without optimisations such a program runs for microseconds, up to 2.5 times as long
/// as with them, and these take milliseconds.
constexpr size_t mostBriefLanes = 65'536, mostBriefCode = 2000;

/// Operations of a branch's two sides together: one that stays a branch has a nest of its own, and
/// a tile in memory, for each result. A step of Welford's mean has seven.
constexpr size_t mostOfSelectedBranch = 12;

/// Whether LLVM's code generator would take seconds.
bool isHuge(const llvm::Module &module) {
  size_t all = 0, largest = 0;
  for (const llvm::Function &function : module)
    for (const llvm::BasicBlock &block : function) {
      all += block.size();
      largest = std::max(largest, block.size());
    }
  return largest > mostScheduled || all > mostOptimized;
}

/// Whether a program has little to do: no loops, no products, and no instructions of the author's,
/// which may want operands that are constants only once they were optimised.
bool isBrief(mlir::func::FuncOp function) {
  size_t lanes = 0;
  bool repeats = false;
  function.walk([&](mlir::Operation *op) {
    repeats |= llvm::isa<mlir::LoopLikeOpInterface, tile::DotOp, tile::AssemblyOp>(op);
    for (mlir::Type type : op->getResultTypes())
      if (auto tile = llvm::dyn_cast<mlir::RankedTensorType>(type))
        lanes += static_cast<size_t>(tile.getNumElements());
  });
  return !repeats && lanes <= mostBriefLanes;
}

const target::CpuTarget &cpuOf(const CompileOptions &options) {
  return std::get<target::CpuTarget>(options.target);
}

std::string key(const CompileOptions &options) {
  const target::CpuTarget &cpu = cpuOf(options);
  return cpu.triple + ' ' + cpu.cpu + ' ' + llvm::join(cpu.features, ",") + " libmvec " +
         std::to_string(cpu.libmvec) + (options.checksAsserts ? " asserts" : "") +
         (options.keepsLines ? " lines" : "");
}

/// In all that code generation looks at, the order of uses too, which llvm::CloneModule turns
/// around: other registers would be shown than those of the object.
std::unique_ptr<llvm::Module> copyOf(const llvm::Module &module) {
  llvm::SmallString<0> bytes;
  llvm::raw_svector_ostream out(bytes);
  llvm::WriteBitcodeToFile(module, out, /*ShouldPreserveUseListOrder=*/true);
  return require(llvm::parseBitcodeFile({bytes, module.getName()}, module.getContext()),
                 "parseBitcodeFile");
}

runtime::Artifact compile(tile::Kernel kernel, const CompileOptions &options, Dump &dump) {
  StageScope stage("compile for the cpu", kernel.name, [&] { return kernel.text(); });
  const target::CpuTarget &target = cpuOf(options);
  llvm::LLVMContext context;
  cpu::AssemblyMistakes mistakes(context);
  llvm::Module module(kernel.name, context);
  std::unique_ptr<llvm::TargetMachine> machine = createTargetMachine(target);
  module.setTargetTriple(machine->getTargetTriple());
  module.setDataLayout(machine->createDataLayout());

  passes::simplifyComparisons(kernel.function());
  passes::spreadThreads(kernel.function());
  // Checks first, so that nothing is kept for them; then whether there is code for the rest; then
  // which tiles exist whole: loop nests are made for these and for effects.
  mlir::func::FuncOp function = kernel.function();
  if (options.checksAsserts)
    reportAsserts(function);
  tile::dropChecks(function);
  selectBranches(function, mostOfSelectedBranch);
  if (mlir::Operation *op = cpu::findUnsupported(function, target, kernel.source, context))
    tile::failAt(op->getLoc(), kernel.source, DiagnosticId::unsupported_operation, "the CPU",
                 op->getName().getStringRef());
  bool isMadeQuickly = options.tuning.isBrief && isBrief(function);
  cpu::StoragePlan plan(function, target);
  dump.show(Stage::Storage, [&](llvm::raw_ostream &out) { plan.print(function, out); });
  runtime::CpuCode code{
      target.triple, target.cpu, target.features, plan.scratchBytes(), {}, {}, {}, {}, {}};
  // A kernel may be called "exp": under a name of its own it does not meet the function.
  std::string symbol = "kernel." + kernel.name;
  SourceLines lines;
  const bool wantsLines = options.keepsLines || dump.wants(Stage::Asm);
  cpu::KernelEmitter emitter(module, function, plan, target, code.prints,
                             wantsLines ? &lines : nullptr);
  emitter.emit(symbol);
  if (emitter.sharedLoop())
    code.sharedLoop = emitter.sharedLoop()->described(target);
  inlineCalls(module, std::numeric_limits<size_t>::max());
  NEREID_CHECK(!llvm::verifyModule(module, &llvm::errs()), "the emitted LLVM IR is not valid");

  isMadeQuickly &= module.getInstructionCount() <= mostBriefCode;
  if (!isMadeQuickly)
    optimizeModule(module, *machine);
  if (isMadeQuickly || isHuge(module)) {
    machine->setOptLevel(llvm::CodeGenOptLevel::None);
    splitBlocks(module, mostSelected);
  }
  dump.show(Stage::Llvm, [&](llvm::raw_ostream &out) { module.print(out, nullptr); });
  // On a copy: printing assembly lowers the module in place.
  if (dump.wants(Stage::Asm)) {
    std::string assembly =
        showLines(assemblyOf(*copyOf(module), *machine), lines.places(), kernel.source);
    dump.show(Stage::Asm, [&](llvm::raw_ostream &out) { out << assembly; });
  }
  llvm::SmallString<0> object = objectOf(module, *machine);
  mistakes.report(function, kernel.source);
  dump.show(Stage::Object, [&](llvm::raw_ostream &out) { out << object; });

  code.image = link({object, kernel.name}, symbol);
  if (options.keepsLines) {
    code.places = lines.places();
    code.lines = readLines({object, kernel.name}, symbol, code.image.entry);
  }
  runtime::Artifact artifact;
  artifact.code = std::move(code);
  return artifact;
}

constexpr Stage stages[] = {Stage::Storage, Stage::Llvm, Stage::Asm, Stage::Object};

} // namespace

const Backend cpuBackend = {"cpu",
                            stages,
                            /*readsDivisibility=*/false,
                            /*readsTuning=*/false,
                            /*readsBrevity=*/true,
                            /*policy=*/[] { return std::vector<PolicyRow>(); },
                            /*passes=*/[] { return std::vector<std::string>(); },
                            key,
                            compile};

} // namespace nereid::backend
