// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::backend::nvptx {

/// A round of a loop has its left factors in the registers in which the round before had them. One
/// that a product reads which goes on into the next round (PTX ISA, wgmma: its registers must not
/// be written before it has been waited for) is written there when that is done, unless it is made
/// of sums that were waited for later.
void keepFactors(mlir::func::FuncOp kernel);

} // namespace nereid::backend::nvptx
