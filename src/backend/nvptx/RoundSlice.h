// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What addresses in a loop are computed from, so that they can be computed for another round.
#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

#include <optional>

namespace nereid::backend::nvptx {

class RoundSlice {
public:
  /// Nothing if some root depends on memory or on what stands in an inner region.
  static std::optional<RoundSlice> of(mlir::scf::ForOp loop, mlir::ValueRange roots);

  /// What the slice takes from one round to the next: in the first round; and after a cloned one.
  llvm::SmallVector<mlir::Value> initialState();
  llvm::SmallVector<mlir::Value> nextState(const mlir::IRMapping &round);
  /// Computes the slice at the builder's place, for the round with this induction value and state;
  /// the map says where each value of the loop is.
  mlir::IRMapping clone(mlir::OpBuilder &builder, mlir::Value induction, mlir::ValueRange state);

private:
  explicit RoundSlice(mlir::scf::ForOp loop) : loop(loop) {}
  bool add(mlir::Value value);
  bool isInLoop(mlir::Operation *op) { return loop->isProperAncestor(op); }

  mlir::scf::ForOp loop;
  llvm::DenseSet<mlir::Operation *> ops; // of the loop's body
  llvm::SmallSetVector<unsigned, 4> carried;
};

} // namespace nereid::backend::nvptx
