// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes that any GPU can have, one file each. A back end names them in the table of its own
// passes (nvptx/Passes.td says what each does) and gives each its place.
#pragma once

#include "backend/gpu/Configuration.h"
#include "dialect/nv/Nv.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace nereid::backend::gpu {

// Tiles, before anything is said about threads
void selectBranches(mlir::func::FuncOp kernel, const Configuration &configuration);
class RowKeeper;
void loopOverPieces(mlir::func::FuncOp kernel, const Configuration &configuration,
                    RowKeeper &keeper);
void loopOverRows(mlir::func::FuncOp kernel, const Configuration &configuration);
void partRounds(mlir::func::FuncOp kernel, const Configuration &configuration);
void addWarps(mlir::func::FuncOp kernel, const Configuration &configuration);
void orderPrograms(mlir::func::FuncOp kernel, const Configuration &configuration);
void splitAtMask(mlir::func::FuncOp kernel, const Configuration &configuration);
void groupLoads(mlir::func::FuncOp kernel, const Configuration &configuration);
void hoistFactors(mlir::func::FuncOp kernel, const Configuration &configuration);
void unrollExchanges(mlir::func::FuncOp kernel, const Configuration &configuration);

// Products that nv.product says who computes
void alignStores(mlir::func::FuncOp kernel, const Configuration &configuration);
void loopOverDepth(mlir::func::FuncOp kernel, const Configuration &configuration);

// Threads
void assignLayouts(mlir::func::FuncOp kernel, const Configuration &configuration);
void hoistConversions(mlir::func::FuncOp kernel, const Configuration &configuration);
void reduceBehindLoops(mlir::func::FuncOp kernel, const Configuration &configuration);
void joinReductions(mlir::func::FuncOp kernel, const Configuration &configuration);
void orderAccesses(mlir::func::FuncOp kernel, const Configuration &configuration);

} // namespace nereid::backend::gpu
