// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The threads of a block as the lanes of a tile.
#pragma once

#include "dialect/tile/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

namespace nereid::passes {

class ThreadLanes {
public:
  /// The tile has the block's shape, x last, without what comes before the first axis that is
  /// longer than 1.
  ThreadLanes(mlir::OpBuilder &builder, tile::BlockShape block);

  /// Where operations are made from now on.
  void at(mlir::Location location) { place = location; }
  mlir::Location loc() const { return *place; }

  /// The type of a value that differs between threads, which has this one in each.
  mlir::Type typeOf(mlir::Type element) const {
    return tile::tileOf(shape, tile::elementOf(element));
  }
  /// A lane for each thread of what may be the same for all.
  mlir::Value spread(mlir::Value value);
  /// Each thread's index along x, y or z, an i32.
  mlir::Value index(uint32_t axis);
  /// Each thread's number in the block, x first, an i32.
  mlir::Value number();
  int64_t threads() const { return block.threads(); }
  /// Of the memory that each thread has for itself, the address of the first element.
  mlir::Value memory(tile::LocalOp local);
  mlir::Value sharedMemory(mlir::Type pointer, uint64_t count);

  mlir::Value zero(mlir::Type type);
  mlir::Value everyone();
  mlir::Value opposite(mlir::Value condition);
  /// Whether it holds for any thread.
  mlir::Value any(mlir::Value condition);
  /// For how many threads it holds, an i32.
  mlir::Value count(mlir::Value condition);
  mlir::Value integer(int64_t value, unsigned bits);

  /// What `emit` makes, for one thread after the other of those in the mask (null: all). It is
  /// given what turns a value into that of the thread.
  void forEach(mlir::Value mask,
               llvm::function_ref<void(llvm::function_ref<mlir::Value(mlir::Value)>)> emit);

private:
  template <typename Combine> mlir::Value combine(mlir::Value tile);
  mlir::Value ofThread(mlir::Value value, mlir::Value isThread);

  mlir::OpBuilder &b;
  tile::BlockShape block;
  llvm::SmallVector<int64_t, 3> shape;
  std::optional<mlir::Location> place;
};

} // namespace nereid::passes
