// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::tile {

enum class Assertions { Drop, Keep };
/// Removes what only the checked mode acts on: assertions, assumptions and debug prints. Before a
/// back end plans anything for them. Assertions that are kept are those outside of the functions
/// that reductions and scans combine with.
void dropChecks(mlir::func::FuncOp kernel, Assertions assertions = Assertions::Drop);

} // namespace nereid::tile
