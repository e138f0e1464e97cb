// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::backend::nvptx {

/// Loops of products that choose elements by a comparison which holds for whole tiles in the first
/// rounds (causal attention, below the diagonal) become two: the first without the choice.
void splitAtMask(mlir::func::FuncOp kernel);

} // namespace nereid::backend::nvptx
