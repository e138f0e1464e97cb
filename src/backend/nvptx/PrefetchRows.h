// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "target/NvidiaTarget.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::backend::nvptx {

/// Where an SM has registers for the rows (RowLoads) of two or three programs only, memory is idle
/// for part of the time in which they compute. So each program, when it has its rows, asks for
/// those of a later one, which then finds them in the second-level cache.
void prefetchRows(mlir::func::FuncOp kernel, const target::NvidiaTarget &target);

} // namespace nereid::backend::nvptx
