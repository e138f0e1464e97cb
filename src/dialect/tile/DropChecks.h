// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::tile {

/// Removes what only the checked mode acts on: assertions, assumptions and debug prints. Before a
/// back end plans anything for them.
void dropChecks(mlir::func::FuncOp kernel);

} // namespace nereid::tile
