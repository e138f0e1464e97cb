// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code that was traced for scalars, written for a tile of lanes that each run it.
#pragma once

#include "frontend/emit/Emitter.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace nereid::emit {

class TileForm {
public:
  /// The builder of `emitter` stands where the code is to go.
  TileForm(Emitter &emitter, sema::Shape shape, SourceRange range)
      : emitter(emitter), b(emitter.builder), shape(std::move(shape)), range(range) {}

  /// An operation that does the same for all lanes and stays as it is.
  static bool isUniform(mlir::Operation &op);

  /// Says what a scalar is in each lane.
  void give(mlir::Value scalar, mlir::Value tile) { tiles[scalar] = tile; }
  /// What a scalar is in each lane; one from elsewhere is the same in all.
  mlir::Value of(mlir::Value scalar);
  /// Writes what the operations of `body` do where `active`, a tile of i1, holds; everywhere if it
  /// is null. They are elementwise or scf.if, scf.for and scf.while, and touch no memory.
  void write(mlir::Block &body, mlir::Value active);

private:
  void writeIf(mlir::scf::IfOp branch, mlir::Value active);
  void writeWhile(mlir::scf::WhileOp loop, mlir::Value active);
  void writeFor(mlir::scf::ForOp loop, mlir::Value active);
  void writeElementwise(mlir::Operation &op, mlir::Value active);

  mlir::Value splat(mlir::Value scalar);
  mlir::Value constant(int64_t value, mlir::Type element);
  mlir::Value always();
  mlir::Value both(mlir::Value lhs, mlir::Value rhs);
  mlir::Value isNot(mlir::Value lanes);
  mlir::Value choose(mlir::Value condition, mlir::Value yes, mlir::Value no);
  mlir::Value anyOf(mlir::Value lanes);
  mlir::ValueRange enter(mlir::Region &region, mlir::TypeRange types);
  void giveAll(mlir::ValueRange scalars, mlir::ValueRange given);
  llvm::SmallVector<mlir::Value> allOf(mlir::ValueRange scalars);

  Emitter &emitter;
  mlir::OpBuilder &b;
  sema::Shape shape;
  SourceRange range;
  /// Those that were made or given here.
  llvm::DenseMap<mlir::Value, mlir::Value> tiles;
};

} // namespace nereid::emit
