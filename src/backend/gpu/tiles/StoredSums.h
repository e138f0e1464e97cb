// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums that loops carry and that end in stores: all that leads there may be computed for some rows,
// or columns, after the others.
#pragma once

#include "analysis/Aliasing.h"
#include "backend/gpu/Configuration.h"
#include "backend/gpu/tiles/Pieces.h"

namespace nereid::backend::gpu {

class StoredSums {
public:
  /// Along a dimension pieces are independent: each row of a product comes from one of its left
  /// factor, each column from one of its right one.
  enum Dim : unsigned { Rows, Columns };

  StoredSums(mlir::func::FuncOp kernel, const Configuration &configuration, Dim dim)
      : dim(dim), body(kernel.getBody().front()), threads(configuration.threads()),
        warps(configuration.warps), aliasing(kernel) {}

  /// Whether the loop's sums end in stores, and nowhere else, and may be computed in pieces of half
  /// of the dimension, a quarter, and so on: the largest of which `isEnough`.
  bool find(mlir::scf::ForOp loop, llvm::function_ref<bool(int64_t pieces)> isEnough);

  /// The registers of a thread that the sums take which the loop carries.
  int64_t registersOf(mlir::scf::ForOp loop) const;
  int64_t registersOf(mlir::Type tile) const;

  const Dim dim;

  // What was found
  /// In their order: all of it may be computed at the last one.
  llvm::SmallVector<tile::StoreOp> stores;
  /// Which the sums go through, one after the other.
  llvm::SetVector<mlir::Operation *> loops;
  /// How long the dimension is, and a piece.
  int64_t extent = 0, length = 0;

private:
  int64_t extentOf(mlir::scf::ForOp loop) const;
  static bool endsIn(const llvm::SetVector<mlir::Operation *> &loops, mlir::Value value);
  bool follow(mlir::OpOperand &use, llvm::SetVector<mlir::Value> &values);
  bool isFreeOfOtherWrites();
  bool mayTakePiece(mlir::Value value, unsigned along);

  mlir::Block &body;
  int64_t threads, warps;
  analysis::Aliasing aliasing;
  llvm::DenseSet<std::pair<mlir::Value, unsigned>> asked;
};

} // namespace nereid::backend::gpu
