// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/IR/Module.h"

namespace nereid::backend::nvptx {

/// What is known of calls where no assembler is at hand: quotients and remainders of 64-bit
/// integers by what is no constant are functions of ptxas on every SM. Of registers and spills the
/// code before assembly says nothing.
void remarkCalls(mlir::func::FuncOp kernel, const llvm::Module &module);

} // namespace nereid::backend::nvptx
