// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How SpreadThreads.cpp and SpreadControlFlow.cpp make tiles of what differs between threads.
#pragma once

#include "analysis/IntegerRanges.h"
#include "analysis/Uniformity.h"
#include "passes/ThreadLanes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::passes {

/// A kernel while it becomes one of tiles. Values of the old kernel are looked up as what they are
/// in the new one.
class Spreader {
public:
  explicit Spreader(mlir::func::FuncOp kernel)
      : kernel(kernel), uniformity(kernel), b(kernel.getContext()),
        lanes(b, *tile::blockOf(kernel)) {}

  void run();

private:
  /// The value as it is now: a scalar, or a tile where threads differ.
  mlir::Value now(mlir::Value old) const { return values.lookup(old); }
  /// The same as a tile, whatever it is.
  mlir::Value spread(mlir::Value old) { return lanes.spread(now(old)); }
  bool isTile(mlir::Value old) const { return tile::isTile(now(old).getType()); }
  void set(mlir::Value old, mlir::Value value) { values[old] = value; }
  mlir::Type typeOf(mlir::Value old) const {
    return uniformity.differs(old) ? lanes.typeOf(old.getType()) : old.getType();
  }
  mlir::Value spreadMask() { return mask ? lanes.spread(mask) : mlir::Value(); }
  /// As typeOf() says: what differs is a tile even where its value is the same for now.
  mlir::Value asTyped(mlir::Value old, mlir::Value like) {
    return uniformity.differs(like) ? spread(old) : now(old);
  }

  void emit(mlir::Block &block);
  void emit(mlir::Operation *op);
  void emitElementwise(mlir::Operation *op);
  void emitLoad(tile::LoadOp op);
  void emitStore(tile::StoreOp op);
  void emitAtomic(tile::AtomicRmwOp op);
  void emitCas(tile::AtomicCasOp op);
  void emitAssert(tile::AssertOp op);
  void emitPrint(tile::PrintOp op);
  void emitCount(tile::SyncThreadsCountOp op);
  void emitIf(mlir::scf::IfOp op);
  void emitTogether(mlir::scf::IfOp op);
  void emitParted(mlir::scf::IfOp op);
  void emitFor(mlir::scf::ForOp op);
  void emitPartedFor(mlir::scf::ForOp op);
  // SpreadStrides.cpp
  /// Where the counters of a loop begin: at `base`, and `offset` further, from 0 to `most`.
  struct Start {
    mlir::Value base, offset; // of the old kernel; a base that is null is zero
    int64_t most;
  };
  std::optional<Start> startOf(mlir::scf::ForOp op);
  mlir::Value emitWholeTurns(mlir::scf::ForOp op, const Start &start,
                             llvm::SmallVectorImpl<mlir::Value> &carried);
  void emitWhile(mlir::scf::WhileOp op);
  void emitPartedWhile(mlir::scf::WhileOp op);
  llvm::SmallVector<mlir::Value> emitWhere(mlir::Value where, mlir::Block *block,
                                           mlir::TypeRange types);
  llvm::SmallVector<mlir::Value> emitUnder(mlir::Value where, mlir::Block &block);
  bool loadsZeroElse(mlir::Value value, mlir::Value where, mlir::Value other);
  mlir::Value both(mlir::Value one, mlir::Value other);
  mlir::Value choose(mlir::Value where, mlir::Value one, mlir::Value other);
  void emitIfAny(mlir::Value where, llvm::function_ref<void()> emit);

  mlir::func::FuncOp kernel;
  analysis::Uniformity uniformity;
  std::optional<analysis::IntegerRanges> ranges; // once they are asked for
  mlir::OpBuilder b;
  ThreadLanes lanes;
  llvm::DenseMap<mlir::Value, mlir::Value> values;
  mlir::Value mask; // who goes on here; null: all threads
};

} // namespace nereid::passes
