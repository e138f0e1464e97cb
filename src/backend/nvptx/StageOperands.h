// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "target/NvidiaTarget.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::backend::nvptx {

/// Products that warpgroups compute become nv.multiply: their right factors, and left ones that are
/// not made in the same round, are read where they lie in shared memory, or are put there.
void stageOperands(mlir::func::FuncOp kernel, const target::NvidiaTarget &target, unsigned warps);

} // namespace nereid::backend::nvptx
