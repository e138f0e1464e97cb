// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::backend {

/// Makes of each assertion a print statement that runs where it does not hold, says where it
/// stands, and is marked as a failure: the launch is then an error (runtime/PrintSite.h). The
/// kernel goes on. Assertions in the functions that reductions and scans combine with stay as they
/// are.
void reportAsserts(mlir::func::FuncOp function);

} // namespace nereid::backend
