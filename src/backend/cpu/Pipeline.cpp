// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CPU back end's recipe: plan what is stored, emit loop nests, clean up, generate code.
#include "backend/cpu/CpuBackend.h"
#include "backend/cpu/DropChecks.h"
#include "backend/cpu/KernelEmitter.h"
#include "backend/cpu/MathLibrary.h"
#include "backend/cpu/Print.h"
#include "backend/llvm/Jit.h"
#include "backend/llvm/Optimize.h"
#include "runtime/cpu/CpuKernel.h"
#include "support/Check.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <cstring>

namespace nereid::backend {
namespace {

/// What generated code may call: memory, printing, mathematics.
void *findCallable(llvm::StringRef symbol) {
  return llvm::StringSwitch<void *>(symbol)
      .Case("memcpy", reinterpret_cast<void *>(&std::memcpy))
      .Case("memset", reinterpret_cast<void *>(&std::memset))
      .Case("memmove", reinterpret_cast<void *>(&std::memmove))
      .Case("nereidPrint", reinterpret_cast<void *>(&cpu::nereidPrint))
      .Default(cpu::findMathFunction(symbol));
}

/// LLVM's schedulers take quadratic time in the size of a basic block. Blocks beyond this come from
/// unrolling by the thousand, and are translated instruction by instruction.
constexpr size_t mostScheduled = 4000;

size_t largestBlock(const llvm::Module &module) {
  size_t largest = 0;
  for (const llvm::Function &function : module)
    for (const llvm::BasicBlock &block : function)
      largest = std::max(largest, block.size());
  return largest;
}

/// Keeps together what a running kernel needs.
struct LoadedCode {
  std::shared_ptr<void> code;
  std::vector<std::unique_ptr<cpu::PrintSite>> printSites;
};

class CpuBackend final : public Backend {
public:
  CpuBackend(runtime::cpu::ThreadPool &pool, target::CpuTarget cpu)
      : pool(pool), target(std::move(cpu)), jit(target, findCallable) {}

  std::string_view name() const override { return "cpu"; }
  llvm::ArrayRef<driver::Stage> stages() const override {
    static constexpr driver::Stage shown[] = {driver::Stage::Llvm, driver::Stage::Asm};
    return shown;
  }

  std::unique_ptr<runtime::Executable> compile(driver::TileKernel kernel,
                                               driver::Dump &dump) override {
    StageScope stage("compile for the cpu", kernel.name, [&] { return kernel.text(); });
    auto loaded = std::make_shared<LoadedCode>();
    llvm::LLVMContext context;
    auto module = std::make_unique<llvm::Module>(kernel.name, context);
    std::unique_ptr<llvm::TargetMachine> machine = jit.createTargetMachine();
    module->setTargetTriple(machine->getTargetTriple());
    module->setDataLayout(machine->createDataLayout());

    // Checks first, so that nothing is kept for them; then which tiles exist whole: loop nests are
    // made for these and for effects.
    mlir::func::FuncOp function = kernel.function();
    cpu::dropChecks(function);
    cpu::StoragePlan plan(function, function->hasAttr(tile::noAliasAttr));
    // A kernel may be called "exp": under a name of its own it does not meet the function.
    std::string symbol = "kernel." + kernel.name;
    cpu::KernelEmitter(*module, function, plan, target, loaded->printSites).emit(symbol);
    NEREID_CHECK(!llvm::verifyModule(*module, &llvm::errs()), "the emitted LLVM IR is not valid");

    optimizeModule(*module, *machine);
    if (largestBlock(*module) > mostScheduled)
      machine->setOptLevel(llvm::CodeGenOptLevel::None);
    dump.show(driver::Stage::Llvm, [&](llvm::raw_ostream &out) { module->print(out, nullptr); });
    // On a copy: printing assembly lowers the module in place.
    if (dump.wants(driver::Stage::Asm)) {
      std::string assembly = assemblyOf(*llvm::CloneModule(*module), *machine);
      dump.show(driver::Stage::Asm, [&](llvm::raw_ostream &out) { out << assembly; });
    }

    Jit::Code code = jit.add(*module, *machine, symbol);
    loaded->code = code.owner;
    auto entry = reinterpret_cast<runtime::cpu::KernelEntry>(code.entry);
    return std::make_unique<runtime::cpu::CpuKernel>(entry, plan.scratchBytes(), loaded, pool);
  }

private:
  runtime::cpu::ThreadPool &pool;
  const target::CpuTarget target;
  Jit jit;
};

} // namespace

std::unique_ptr<Backend> createCpuBackend(runtime::cpu::ThreadPool &pool,
                                          target::CpuTarget target) {
  return std::make_unique<CpuBackend>(pool, std::move(target));
}

} // namespace nereid::backend
