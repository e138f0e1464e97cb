// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "target/NvidiaTarget.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::backend::nvptx {

/// Makes products of f32 that tensor cores take in parts (`tf32x3`, `bf16x3`, `bf16x6`) products of
/// these parts, the smallest first; those whose shape no tensor core takes stay whole.
void splitProducts(mlir::func::FuncOp kernel, const target::NvidiaTarget &target, unsigned warps);

} // namespace nereid::backend::nvptx
