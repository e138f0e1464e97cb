// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM IR to machine code.
#pragma once

#include "target/CpuTarget.h"
#include "target/NvidiaTarget.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>
#include <string>

namespace nereid::backend {

std::unique_ptr<llvm::TargetMachine> createTargetMachine(const target::CpuTarget &target);
std::unique_ptr<llvm::TargetMachine> createTargetMachine(const target::NvidiaTarget &target);

/// The module as assembly text, and as an object file. Both lower the module in place.
std::string assemblyOf(llvm::Module &module, llvm::TargetMachine &machine);
llvm::SmallString<0> objectOf(llvm::Module &module, llvm::TargetMachine &machine);

} // namespace nereid::backend
