// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What can be computed lane by lane, and what is cheap enough to be computed twice.
#pragma once

#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"

namespace nereid::backend::cpu {

/// An operation whose tile result can be computed for any single lane from lanes of its operands.
bool isLanewise(mlir::Operation *op);
/// A reshape that only adds or removes dimensions of size 1.
bool isUnitReshape(mlir::Operation *op);
/// Built from ranges and scalars by integer arithmetic alone: cheaper to compute again than to
/// store.
bool isCheap(mlir::Value value);

} // namespace nereid::backend::cpu
