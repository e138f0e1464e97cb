// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Machine code in this process.
#pragma once

#include "target/CpuTarget.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>
#include <string>

namespace llvm::orc {
class LLJIT;
}

namespace nereid::backend {

/// Generates and links code, and keeps what generated code may call. Safe to use from several
/// threads.
class Jit {
public:
  /// The address of a function that generated code may call, null if there is none of that name.
  using FindSymbol = void *(*)(llvm::StringRef name);
  Jit(const target::CpuTarget &target, FindSymbol findSymbol);
  ~Jit();

  std::unique_ptr<llvm::TargetMachine> createTargetMachine() const;

  struct Code {
    void *entry;
    std::shared_ptr<void> owner; // the code goes when the last owner does
  };
  /// Generates code for the module with `machine` and finds `entry` in it.
  Code add(llvm::Module &module, llvm::TargetMachine &machine, llvm::StringRef entry);

private:
  const target::CpuTarget &target;
  std::shared_ptr<llvm::orc::LLJIT> lljit;
};

/// The module as assembly text.
std::string assemblyOf(llvm::Module &module, llvm::TargetMachine &machine);

} // namespace nereid::backend
