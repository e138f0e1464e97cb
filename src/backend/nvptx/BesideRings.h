// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "dialect/tile/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace nereid::backend::nvptx {

/// Shared memory through which threads of a kernel may exchange tiles, and where factors of
/// products lie that are no loads of a loop: what it wants beside rings that are filled all the
/// time. Of accesses that `isMoved` names the copy engine takes care. Bytes.
uint64_t bytesBesideRings(mlir::func::FuncOp kernel,
                          llvm::function_ref<bool(mlir::Operation *)> isMoved);

} // namespace nereid::backend::nvptx
