// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "target/CpuTarget.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/IR/LLVMContext.h"

namespace nereid {
class SourceFile;
}

namespace nereid::backend::cpu {

/// The first operation that the emitter has no code for; null if it has code for all. Asks the
/// emitter itself, so that there is no second list. Throws SourceError for assembly that it cannot
/// take.
mlir::Operation *findUnsupported(mlir::func::FuncOp kernel, const target::CpuTarget &target,
                                 const SourceFile *source, llvm::LLVMContext &context);

} // namespace nereid::backend::cpu
