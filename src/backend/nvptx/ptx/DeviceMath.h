// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mathematical functions on GPUs: libclc's, of which this binary holds the bitcode.
#pragma once

#include "backend/llvm/LaneBuilder.h"

namespace nereid::backend::nvptx {

/// A call of the function that the operation computes, on lanes of f32 or f64; null if it is no
/// function or there is no code for it.
llvm::Value *callDeviceMath(LaneBuilder &lanes, mlir::Operation *op,
                            llvm::ArrayRef<llvm::Value *> operands);
/// Gives the module the functions that it calls, in place of the calls where that is not long.
void linkDeviceMath(llvm::Module &module, size_t mostInstructions);

} // namespace nereid::backend::nvptx
