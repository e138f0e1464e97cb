// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Machine code in this process.
#pragma once

#include "target/CpuTarget.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace llvm::orc {
class LLJIT;
}

namespace nereid::backend {

/// Generates and links code, and keeps what generated code may call. Safe to use from several
/// threads.
class Jit {
public:
  explicit Jit(const target::CpuTarget &target,
               llvm::ArrayRef<std::pair<std::string, void *>> symbols);
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
