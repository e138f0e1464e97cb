// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/llvm/Jit.h"

#include "support/Check.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/CompileUtils.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h"
#include "llvm/ExecutionEngine/Orc/TaskDispatch.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>
#include <mutex>

namespace nereid::backend {

static void initializeNativeTarget() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
  });
}

template <typename T> static T require(llvm::Expected<T> value, const char *what) {
  if (!value)
    checkFailed(what, __FILE__, __LINE__, llvm::toString(value.takeError()));
  return std::forward<T>(*value);
}

static void require(llvm::Error error, const char *what) {
  if (error)
    checkFailed(what, __FILE__, __LINE__, llvm::toString(std::move(error)));
}

static llvm::orc::JITTargetMachineBuilder machineBuilder(const target::CpuTarget &target) {
  initializeNativeTarget();
  llvm::orc::JITTargetMachineBuilder builder{llvm::Triple(target.triple)};
  builder.setCPU(target.cpu);
  builder.addFeatures(target.featureDifferences);
  builder.setRelocationModel(llvm::Reloc::PIC_);
  // A kernel's code and constants lie together, and the linker makes stubs for what lies far away:
  // no need for LLVM's default, which spells out 64-bit addresses.
  builder.setCodeModel(llvm::CodeModel::Small);
  builder.setCodeGenOptLevel(llvm::CodeGenOptLevel::Default);
  return builder;
}

namespace {

/// Asks `find` for what generated code names and its own library does not define.
class CallableSymbols final : public llvm::orc::DefinitionGenerator {
public:
  explicit CallableSymbols(Jit::FindSymbol find) : find(find) {}

  llvm::Error tryToGenerate(llvm::orc::LookupState &, llvm::orc::LookupKind,
                            llvm::orc::JITDylib &library, llvm::orc::JITDylibLookupFlags,
                            const llvm::orc::SymbolLookupSet &names) override {
    llvm::orc::SymbolMap found;
    for (const auto &[name, flags] : names)
      if (void *address = find(*name))
        found[name] = {llvm::orc::ExecutorAddr::fromPtr(address), llvm::JITSymbolFlags::Exported};
    if (found.empty())
      return llvm::Error::success();
    return library.define(llvm::orc::absoluteSymbols(std::move(found)));
  }

private:
  Jit::FindSymbol find;
};

} // namespace

Jit::Jit(const target::CpuTarget &target, FindSymbol findSymbol) : target(target) {
  llvm::orc::LLJITBuilder builder;
  builder.setJITTargetMachineBuilder(machineBuilder(target));
  // Asking a target machine for it would build one only for this.
  builder.setDataLayout(llvm::DataLayout(llvm::Triple(target.triple).computeDataLayout()));
  // Linking happens in the thread that asks: by default every step gets a new thread, which costs
  // more than the step.
  builder.setExecutorProcessControl(
      require(llvm::orc::SelfExecutorProcessControl::Create(
                  nullptr, std::make_unique<llvm::orc::InPlaceTaskDispatcher>()),
              "SelfExecutorProcessControl::Create"));
  lljit = require(builder.create(), "LLJITBuilder::create");
  lljit->getMainJITDylib().addGenerator(std::make_unique<CallableSymbols>(findSymbol));
}

Jit::~Jit() = default;

std::unique_ptr<llvm::TargetMachine> Jit::createTargetMachine() const {
  return require(machineBuilder(target).createTargetMachine(), "createTargetMachine");
}

Jit::Code Jit::add(llvm::Module &module, llvm::TargetMachine &machine, llvm::StringRef entry) {
  std::unique_ptr<llvm::MemoryBuffer> object =
      require(llvm::orc::SimpleCompiler(machine)(module), "SimpleCompiler");
  // Each kernel in a library of its own, so that equal names do not meet and each can be unloaded.
  static std::atomic<uint64_t> serial = 0;
  llvm::orc::JITDylib &library =
      require(lljit->createJITDylib("kernel" + std::to_string(serial++)), "createJITDylib");
  library.addToLinkOrder(lljit->getMainJITDylib());
  require(lljit->addObjectFile(library, std::move(object)), "addObjectFile");
  void *address = require(lljit->lookup(library, entry), "lookup").toPtr<void *>();
  std::shared_ptr<void> owner(address, [lljit = lljit, &library](void *) {
    llvm::consumeError(lljit->getExecutionSession().removeJITDylib(library));
  });
  return {address, owner};
}

std::string assemblyOf(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream out(text);
  llvm::legacy::PassManager passes;
  bool cannotEmit =
      machine.addPassesToEmitFile(passes, out, nullptr, llvm::CodeGenFileType::AssemblyFile);
  NEREID_CHECK(!cannotEmit, "the target writes no assembly");
  passes.run(module);
  return text.str().str();
}

} // namespace nereid::backend
