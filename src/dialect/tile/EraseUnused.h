// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/IR/Operation.h"

namespace nereid::tile {

/// Erases the operations within `root` whose results nobody uses and that do nothing else, and then
/// what only those were computed from.
void eraseUnused(mlir::Operation *root);

} // namespace nereid::tile
