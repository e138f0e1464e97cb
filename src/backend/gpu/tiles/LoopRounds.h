// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "dialect/tile/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace nereid::backend::gpu {

/// Whether the loop has a round, i1: its bounds leave room for one, and its step leads upwards,
/// without which there is none (docs/decisions/0007). For passes that begin the first round apart.
mlir::Value buildHasRounds(mlir::scf::ForOp loop, mlir::OpBuilder &builder);

/// What each round makes `value` of, if that is the same in all of them: in the order in which it
/// is made. Nothing if rounds differ. `isSame` is asked of operations whose operands are the same:
/// whether they may be made once, before the loop.
std::optional<llvm::SmallVector<mlir::Operation *, 0>>
madeInEachRound(mlir::Value value, mlir::Block &round,
                llvm::function_ref<bool(mlir::Operation *)> isSame);

/// Makes the load read nothing where the condition, which is a scalar, is false; what it gives then
/// is for nobody.
void readOnlyIf(mlir::Value condition, tile::LoadOp load, mlir::OpBuilder &builder);

} // namespace nereid::backend::gpu
