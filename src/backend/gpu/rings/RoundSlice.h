// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What addresses in a loop are computed from, so that they can be computed for another round.
#pragma once

#include "analysis/Aliasing.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

#include <optional>

namespace nereid::backend::gpu {

class RoundSlice {
public:
  /// Nothing if some root depends on memory that may be written meanwhile, on a product, or on what
  /// stands in an inner region, but for branches that only compute and have no loop that need not
  /// end. What `given` loads are left out, with all that only they need: whoever clones says what
  /// they gave.
  static std::optional<RoundSlice> of(mlir::scf::ForOp loop, mlir::ValueRange roots,
                                      const analysis::Aliasing &aliasing,
                                      llvm::ArrayRef<tile::LoadOp> given = {});

  llvm::SmallVector<tile::LoadOp> loads() const;

  /// What the slice takes from one round to the next: in the first round; and after a cloned one.
  llvm::SmallVector<mlir::Value> initialState();
  llvm::SmallVector<mlir::Value> nextState(const mlir::IRMapping &round);
  /// Computes the slice at the builder's place, for the round with this induction value and state;
  /// the map says where each value of the loop is. Nothing is read where `isRound` is false.
  mlir::IRMapping clone(mlir::OpBuilder &builder, mlir::Value induction, mlir::ValueRange state,
                        mlir::Value isRound, mlir::IRMapping given = {});
  /// What this slice takes from one round to the next, of the state that `all`, which has more,
  /// takes.
  llvm::SmallVector<mlir::Value> stateOf(const RoundSlice &all, mlir::ValueRange state) const;

private:
  explicit RoundSlice(mlir::scf::ForOp loop) : loop(loop) {}

  mlir::scf::ForOp loop;
  llvm::SetVector<mlir::Operation *> ops; // of the loop's body
  llvm::SmallSetVector<unsigned, 4> carried;
};

} // namespace nereid::backend::gpu
