// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/llvm/Codegen.h"

#include "support/Check.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>

namespace nereid::backend {

static constexpr llvm::StringLiteral nvptxTriple = "nvptx64-nvidia-cuda";

/// CodeGenPrepare begins with the first block anew whenever it has split one, but in functions of
/// more blocks than this number it goes on; its own default is 10,000. Of 128 unrolled rounds with
/// loads and stores under masks, 1,700 blocks, that took two seconds of 2.7, and the code is the
/// same.
static void boundPreparation() {
  static std::once_flag once;
  std::call_once(once, [] {
    constexpr unsigned mostBlocks = 200;
    auto &options = llvm::cl::getRegisteredOptions();
    auto option = options.find("cgpp-huge-func");
    NEREID_CHECK(option != options.end(), "LLVM names this otherwise");
    static_cast<llvm::cl::opt<unsigned> *>(option->second)->setValue(mostBlocks);
  });
}

static const llvm::Target &findX86() {
  static std::once_flag once;
  std::call_once(once, [] {
    boundPreparation();
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86AsmParser(); // for inline assembly
  });
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(llvm::Triple("x86_64-unknown-linux-gnu"), error);
  NEREID_CHECK(target, error);
  return *target;
}

std::unique_ptr<llvm::TargetMachine> createTargetMachine(const target::CpuTarget &target) {
  // A kernel's code and constants lie together, and what lies far away is called through stubs: no
  // need to spell out 64-bit addresses.
  std::unique_ptr<llvm::TargetMachine> machine(findX86().createTargetMachine(
      llvm::Triple(target.triple), target.cpu, llvm::join(target.featureDifferences, ","),
      llvm::TargetOptions(), llvm::Reloc::PIC_, llvm::CodeModel::Small,
      llvm::CodeGenOptLevel::Default));
  NEREID_CHECK(machine, "LLVM has no such machine");
  return machine;
}

static const llvm::Target &findNvptx() {
  static std::once_flag once;
  std::call_once(once, [] {
    boundPreparation();
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(llvm::Triple(nvptxTriple), error);
  NEREID_CHECK(target, error);
  return *target;
}

std::unique_ptr<llvm::TargetMachine> createTargetMachine(const target::NvidiaTarget &target) {
  std::unique_ptr<llvm::TargetMachine> machine(findNvptx().createTargetMachine(
      llvm::Triple(nvptxTriple), target.sm, "+ptx" + std::to_string(target.ptxVersion),
      llvm::TargetOptions(), std::nullopt, std::nullopt, llvm::CodeGenOptLevel::Default));
  NEREID_CHECK(machine, "LLVM has no such machine");
  return machine;
}

namespace {

/// Leaves StraightLineStrengthReduce out of long code: it looks for each address at those before
/// it, which takes the square of the time. Where 128 threads exchange and transpose the pairs of a
/// tile of 32 x 32 x 256, it took 16 of 18 seconds, of 32 x 32 x 64 half a second of 0.7, and the
/// PTX had as many instructions without it.
class LongCodeGate : public llvm::OptPassGate {
public:
  explicit LongCodeGate(llvm::Module &module)
      : context(module.getContext()), before(context.getOptPassGate()) {
    for (const llvm::Function &function : module)
      isLong |=
          function.getInstructionCount() > mostInstructions || addressPairs(function) > mostPairs;
    context.setOptPassGate(*this);
  }
  ~LongCodeGate() override { context.setOptPassGate(before); }

  bool isEnabled() const override { return isLong; }
  bool shouldRunPass(llvm::StringRef pass, llvm::StringRef) const override {
    return pass != "slsr";
  }

private:
  /// What the pass compares: addresses that begin at one pointer and are no constants.
  static uint64_t addressPairs(const llvm::Function &function) {
    llvm::DenseMap<const llvm::Value *, uint64_t> counts;
    for (const llvm::Instruction &instruction : llvm::instructions(function))
      if (const auto *address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction))
        if (!address->hasAllConstantIndices())
          ++counts[address->getPointerOperand()];
    uint64_t pairs = 0;
    for (auto [pointer, count] : counts)
      pairs += count * count / 2;
    return pairs;
  }

  static constexpr unsigned mostInstructions = 4000;
  /// Some 180 addresses, a quarter of a second; of 64 rounds that load from where the round before
  /// says, 512, it took 3.5 s. The gallery's kernels have up to 9,728.
  static constexpr uint64_t mostPairs = 16384;
  llvm::LLVMContext &context;
  llvm::OptPassGate &before;
  bool isLong = false;
};

} // namespace

static llvm::SmallString<0> emit(llvm::Module &module, llvm::TargetMachine &machine,
                                 llvm::CodeGenFileType type) {
  llvm::SmallString<0> bytes;
  llvm::raw_svector_ostream out(bytes);
  llvm::legacy::PassManager passes;
  bool cannotEmit = machine.addPassesToEmitFile(passes, out, nullptr, type);
  NEREID_CHECK(!cannotEmit, "the target writes no such file");
  LongCodeGate gate(module);
  passes.run(module);
  return bytes;
}

std::string assemblyOf(llvm::Module &module, llvm::TargetMachine &machine) {
  return emit(module, machine, llvm::CodeGenFileType::AssemblyFile).str().str();
}

llvm::SmallString<0> objectOf(llvm::Module &module, llvm::TargetMachine &machine) {
  return emit(module, machine, llvm::CodeGenFileType::ObjectFile);
}

} // namespace nereid::backend
