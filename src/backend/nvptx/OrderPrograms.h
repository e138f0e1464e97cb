// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::backend::nvptx {

/// Marks a kernel whose later programs along x have longer loops of products (causal attention):
/// its blocks, which begin in order, count programs from the last. So the short ones are left for
/// the end, when SMs run out of work one after the other. Not where programs may wait for others:
/// those may count on the ones before them having begun.
void orderPrograms(mlir::func::FuncOp kernel);
bool beginsWithLastProgram(mlir::func::FuncOp kernel);
/// Of a kernel that begins with the last: whether all its loops are known to be as long in programs
/// of the same place along x, so that blocks can be given as much to do, one program after the
/// other.
bool growsAlongXAlone(mlir::func::FuncOp kernel);

/// Computed from the kernel's parameters alone.
bool isSameInAllPrograms(mlir::Value value);

} // namespace nereid::backend::nvptx
