// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::backend::gpu {

/// Whether blocks count programs from the last (nvptx-order-programs).
bool beginsWithLastProgram(mlir::func::FuncOp kernel);
/// In a kernel that begins with the last: whether all its loops are known to be as long in programs
/// of the same place along x, so that blocks can be given as much to do, one program after the
/// other.
bool growsAlongXAlone(mlir::func::FuncOp kernel);

/// Computed from the kernel's parameters alone.
bool isSameInAllPrograms(mlir::Value value);

} // namespace nereid::backend::gpu
