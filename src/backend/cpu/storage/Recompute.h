// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/IR/Value.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace nereid::backend::cpu {

/// Whether a tile is built from ranges and scalars by integer arithmetic alone: cheaper to compute
/// again wherever it is used than to store.
bool isCheapToRecompute(mlir::Value tile);

/// Whether a tile is computed lane by lane without memory, so that it is the same at any time; of
/// tiles that are none of those which `isLeftOut`.
bool isComputedAnew(mlir::Value tile, llvm::function_ref<bool(mlir::Value)> isLeftOut);

} // namespace nereid::backend::cpu
