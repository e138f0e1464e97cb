// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::analyzer {

/// Drops what no load and no branch depends on, sums that loops carry among it.
void keepLive(mlir::func::FuncOp function);

} // namespace nereid::analyzer
