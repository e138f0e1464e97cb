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

// For who has no pass manager; they leave kernels of tiles as they are. The checked device has
// kernels without them, so that what they take for known is tested.

/// What tile-decide-comparisons does, and tile-narrow-comparisons with those that are left.
void simplifyComparisons(mlir::func::FuncOp kernel);
/// What tile-spread-threads does.
void spreadThreads(mlir::func::FuncOp kernel);

} // namespace nereid::passes
