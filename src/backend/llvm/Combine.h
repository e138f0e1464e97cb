// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The combine function of a reduction, on lanes.
#pragma once

#include "backend/llvm/LaneBuilder.h"
#include "dialect/tile/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <functional>

namespace nereid::backend {

/// Emits the operations of a combine function, on lanes of any width. Branches become selections:
/// nothing in there can trap.
class Combiner {
public:
  using Values = llvm::SmallVector<llvm::Value *>;

  /// `scalar` gives the values of the kernel that the function reads besides its arguments.
  Combiner(LaneBuilder &lanes, mlir::Block &block, std::function<llvm::Value *(mlir::Value)> scalar)
      : lanes(lanes), block(block), scalar(std::move(scalar)) {}

  /// One result for each pair of `a` and `b`, of their width.
  Values operator()(llvm::ArrayRef<llvm::Value *> a, llvm::ArrayRef<llvm::Value *> b);

private:
  llvm::Value *get(mlir::Value value);
  Values emit(mlir::Block &body);
  void emitIf(mlir::scf::IfOp branch);

  LaneBuilder &lanes;
  mlir::Block &block;
  std::function<llvm::Value *(mlir::Value)> scalar;
  unsigned width = 1;
  llvm::DenseMap<mlir::Value, llvm::Value *> values;
};

/// The lane of tile::identityOf(); null if there is none.
llvm::Value *identityOf(tile::ReduceOp op, LaneBuilder &lanes);

} // namespace nereid::backend
