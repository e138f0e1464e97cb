// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A piece of a tile, computed from pieces of what the tile is computed from.
#pragma once

#include "dialect/tile/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

namespace nereid::backend::gpu {

/// Whether the operation's results along `dim` come from its operands piece by piece.
bool hasPieces(mlir::Operation *op);
/// Along which dimension an operand is taken apart where the results are along `dim`; nothing where
/// it is wanted as it is.
std::optional<unsigned> dimOfOperand(mlir::OpOperand &operand, unsigned dim);
/// Whether a loop carries it as sums: numbers with rows and columns.
bool isCarriedSum(mlir::BlockArgument argument);
llvm::SmallVector<mlir::Value> carriedSums(mlir::scf::ForOp loop);
/// Whether what else the loop computes does without its sums, if they are computed in pieces along
/// `dim`.
bool keepsSumsApart(mlir::scf::ForOp loop, unsigned dim);
/// Whether none of the loop's products is wanted whole, if its sums are computed in pieces along
/// `dim`.
bool multipliesInPieces(mlir::scf::ForOp loop, unsigned dim);
/// Whether the combine function of a reduction can work on whole tiles, lane by lane.
bool combinesLanewise(tile::ReduceOp reduce);

class Pieces {
public:
  /// Pieces have `length` indices each, from index `first` on, i32. New operations go to the
  /// builder's place.
  Pieces(mlir::OpBuilder &builder, mlir::Value first, int64_t length)
      : b(builder), first(first), length(length) {}

  /// A loop's result is made by a loop of pieces of all its sums.
  mlir::Value of(mlir::Value tile, unsigned dim);
  /// What the piece is of a tile that is not to be computed.
  void set(mlir::Value tile, unsigned dim, mlir::Value piece) { known[{tile, dim}] = piece; }
  /// One loop for all these, whose rounds make a piece after the other; what the pieces share is
  /// computed once.
  static void cloneLoop(mlir::scf::ForOp loop, unsigned dim, llvm::MutableArrayRef<Pieces> parts);
  /// An operation without results, on pieces of its operands.
  void cloneEffect(mlir::Operation *op, unsigned dim);
  /// What the combine function makes of each lane of `a` and of `c`.
  llvm::SmallVector<mlir::Value> combine(tile::ReduceOp reduce, mlir::ValueRange a,
                                         mlir::ValueRange c);

private:
  friend class LoopOfPieces;
  /// Values, and along which dimension they are taken apart.
  using PieceSet = llvm::SetVector<std::pair<mlir::Value, unsigned>>;

  mlir::Type pieceType(mlir::Type tile, unsigned dim) const;
  mlir::Operation *clone(mlir::Operation *op, unsigned dim);
  void clonePieces(mlir::Operation &op, const PieceSet &wanted, const mlir::IRMapping &inBody);
  mlir::Value whole(mlir::Value value);
  mlir::Value makeRange(tile::RangeOp range);

  mlir::OpBuilder &b;
  mlir::Value first;
  int64_t length;
  llvm::DenseMap<std::pair<mlir::Value, unsigned>, mlir::Value> known;
  llvm::DenseMap<mlir::Value, mlir::Value> ofCopies; // what loops give besides sums, and its like
};

} // namespace nereid::backend::gpu
