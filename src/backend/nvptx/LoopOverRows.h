// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::backend::nvptx {

/// Sums of products that loops carry, and that together do not fit the registers of `warps` warps
/// (attention's backward pass: gradients of keys and values), are computed for some rows after the
/// others. All that leads to their stores, the loops included, goes into a loop over pieces of
/// rows:
///
///   for rows: for steps: a += p[rows] * x; b += q[rows] * y
///             store a; store b
///
/// What rows share is loaded once for each piece.
void loopOverRows(mlir::func::FuncOp kernel, unsigned warps);

} // namespace nereid::backend::nvptx
