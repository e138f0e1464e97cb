// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::backend::cpu {

/// Makes branches that give tiles, and are a few instructions for each lane, into selects. What a
/// branch gives is written to memory, tile by tile, each in a nest that computes anew what the
/// others share; selects are computed where they are used.
void selectBranches(mlir::func::FuncOp kernel);

} // namespace nereid::backend::cpu
