// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::backend::nvptx {

/// Makes loops of what does not fit the registers of `warps` warps: a store of a tile, or a
/// reduction along its only long dimension, goes over pieces that do, and computes each from pieces
/// of what the tile is computed from. What several of them need is computed, and loaded, once for
/// each. Left as it is: what moves elements between pieces, and where a write between a load and
/// its use may change what is loaded.
void loopOverPieces(mlir::func::FuncOp kernel, unsigned warps);

} // namespace nereid::backend::nvptx
