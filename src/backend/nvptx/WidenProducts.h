// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "dialect/tile/Tile.h"
#include "target/NvidiaTarget.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::backend::nvptx {

/// Gives products types that tensor cores have: sums of 16 bits become sums of 32, rounded at the
/// end; factors of 8-bit floats that no instruction of the target multiplies, or not as exactly as
/// the product asks, become factors of f16, which has all their values.
void widenProducts(mlir::func::FuncOp kernel, const target::NvidiaTarget &target, unsigned warps);

} // namespace nereid::backend::nvptx
