// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/IR/Value.h"

namespace nereid::backend::cpu {

/// Whether a tile is built from ranges and scalars by integer arithmetic alone: cheaper to compute
/// again wherever it is used than to store.
bool isCheapToRecompute(mlir::Value tile);

} // namespace nereid::backend::cpu
