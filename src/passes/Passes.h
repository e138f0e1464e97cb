// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The target-independent passes, one file each. Passes.td says what each does.
#pragma once

#include "dialect/tile/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace nereid::passes {

#define GEN_PASS_DECL
#include "passes/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/Passes.h.inc"

/// What tile-spread-threads does, for who has no pass manager. Leaves kernels of tiles as they are.
void spreadThreads(mlir::func::FuncOp kernel);

} // namespace nereid::passes
