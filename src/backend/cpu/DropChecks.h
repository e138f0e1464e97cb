// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::backend::cpu {

/// Removes what only the checked mode acts on: assertions, assumptions and debug prints. Before the
/// storage plan, which would otherwise keep tiles for them.
void dropChecks(mlir::func::FuncOp kernel);

} // namespace nereid::backend::cpu
