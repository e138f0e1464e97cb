// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What of a kernel its producer warp has to run: the control flow around fetches, and the scalars
// that they and it are computed from.
#pragma once

#include "dialect/nv/Nv.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseSet.h"

#include <functional>

namespace nereid::backend::nvptx {

class ProducerSlice {
public:
  /// `mayRead` tells which scalars it may load for itself: those that nothing in the kernel writes.
  explicit ProducerSlice(std::function<bool(tile::LoadOp)> mayRead) : mayRead(std::move(mayRead)) {}

  /// Takes in what `op` is surrounded by and `values` are computed from; false if that cannot be
  /// computed apart: it reads tiles, say, or is a loop with a condition.
  bool add(mlir::Operation *op, mlir::ValueRange values);

  /// The slice of the block, the operations that were given to add() included, at the builder's
  /// place.
  void clone(mlir::Block &block, mlir::OpBuilder &builder, mlir::IRMapping &map) const;

private:
  bool surround(mlir::Operation *op, llvm::SmallVectorImpl<mlir::Value> &sources);
  bool takeIn(mlir::Operation *op, llvm::SmallVectorImpl<mlir::Value> &sources);
  bool addSources(mlir::Value value, llvm::SmallVectorImpl<mlir::Value> &sources);
  void cloneLoop(mlir::scf::ForOp loop, mlir::OpBuilder &builder, mlir::IRMapping &map) const;
  void cloneBranch(mlir::scf::IfOp branch, mlir::OpBuilder &builder, mlir::IRMapping &map) const;
  void clonePrograms(nv::ProgramsOp programs, mlir::OpBuilder &builder, mlir::IRMapping &map) const;
  void yield(mlir::Operation *terminator, mlir::ValueRange results, mlir::OpBuilder &builder,
             mlir::IRMapping &map) const;

  bool isComputable(mlir::Operation *op) const;

  std::function<bool(tile::LoadOp)> mayRead;
  llvm::DenseSet<mlir::Operation *> ops;
  llvm::DenseSet<mlir::Value> carried; // results of loops and branches
};

} // namespace nereid::backend::nvptx
