// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::backend::gpu {

/// Makes one of both sides of a branch that do the same, operation by operation, with other numbers
/// or pointers, which are selected before it: a tile that either side loads is loaded once, and
/// need not be whole where the sides would meet.
void mergeAlikeBranches(mlir::func::FuncOp kernel);

} // namespace nereid::backend::gpu
