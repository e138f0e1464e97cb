// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::backend::nvptx {

/// In loops with products of warpgroups that threads feed (no nv.fetch): the first begins before
/// the copies of later rounds. If there are several: a product whose factors and sums are there
/// begins behind the one before it, and each is waited for where its sums are used first, with the
/// newer ones still in flight. Those that the loop only adds up go on into the next round.
void overlapProducts(mlir::func::FuncOp kernel);

} // namespace nereid::backend::nvptx
