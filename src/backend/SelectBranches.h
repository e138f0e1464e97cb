// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace nereid::backend {

/// Makes branches that give tiles, and are at most so many instructions for each lane, both
/// together, into selects. The side that is not taken is computed for nothing.
void selectBranches(mlir::func::FuncOp kernel, size_t mostOperations);

/// Both sides before it, and a select of each result.
void becomeSelects(mlir::scf::IfOp branch);

} // namespace nereid::backend
