// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/IR/Value.h"

namespace nereid::backend::gpu {

/// Whether the way that the program takes, or how often it goes around a loop, is computed from the
/// value, other than by way of memory. Threads that did not agree on it would go different ways.
bool decidesBranches(mlir::Value value);

} // namespace nereid::backend::gpu
