// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "dialect/tile/Tile.h"
#include "target/NvidiaTarget.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::backend::nvptx {

/// Products of single threads whose factors are more than registers should hold become
/// nv.multiply_add, out of shared memory: out of the slots that were loaded ahead, where there are
/// any. Those for which shared memory is too small stay as they are.
void loopOverDepth(mlir::func::FuncOp kernel, const target::NvidiaTarget &target, unsigned warps);

} // namespace nereid::backend::nvptx
