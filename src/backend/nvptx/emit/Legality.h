// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "backend/llvm/LaneTarget.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/IR/LLVMContext.h"

namespace nereid::backend::nvptx {

/// The first operation of the kernel that there is no code for; null if there is code for all.
mlir::Operation *findUnsupported(mlir::func::FuncOp kernel, const LaneTarget &lanes,
                                 llvm::LLVMContext &context);

} // namespace nereid::backend::nvptx
