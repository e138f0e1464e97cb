// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::backend::nvptx {

/// Moves loads up to the load before them, past what is computed of that one in between, so that
/// both are on their way at the same time: ptxas begins accesses in the order in which it finds
/// them. Not past reductions, products, branches and accesses of memory that others may see, and
/// only as long as the tiles of such a group take few registers.
void groupLoads(mlir::func::FuncOp kernel, unsigned warps);

} // namespace nereid::backend::nvptx
