// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::backend::nvptx {

/// Moves loads up to the load before them, past what is computed of that one in between, so that
/// both are on their way at the same time: ptxas begins accesses in the order in which it finds
/// them. Only as long as the tiles of such a group take few registers; past reductions (a row's
/// sum, before it is scaled by weights), at whose barriers all wait, only those of short ones. Not
/// past products, branches and accesses of memory that others may see.
void groupLoads(mlir::func::FuncOp kernel, unsigned warps);

} // namespace nereid::backend::nvptx
