// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What simplifyComparisons() does with a kernel of threads, in this order.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::passes {

void decideComparisons(mlir::func::FuncOp kernel);
void narrowComparisons(mlir::func::FuncOp kernel);

} // namespace nereid::passes
