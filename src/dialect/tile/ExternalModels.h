// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/IR/DialectRegistry.h"

namespace nereid::tile {

/// Has the operations of arith, math, scf and func answer LaneOpInterface. Every context that holds
/// kernels needs it.
void registerExternalModels(mlir::DialectRegistry &registry);

} // namespace nereid::tile
