// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// While a dot in a loop multiplies, the cache lines are asked for from which its next round takes
// its factors.
//
// Multiplying leaves the way to memory idle, and fetching leaves the multipliers idle: one after
// the other they take their sum. Factors of a matrix lie in rows of a few lines, a page apart,
// which no hardware prefetcher follows.
#pragma once

#include "backend/cpu/emit/KernelEmitter.h"

namespace nereid::backend::cpu {

/// Whether the lanes of a tile come from arithmetic on scalars and stored tiles alone. Others could
/// not be looked at before their time: a load may lie beyond its array then.
bool isArithmetic(mlir::Value tile, const StoragePlan &plan);

class NextFactors {
public:
  /// Emits the addresses, where the dot begins. Nothing is asked for if the dot is not in a loop of
  /// its own block, or for factors that do not come from memory there. `steps` is how often ask()
  /// will run. Where `isRhsThere`, null for never, the next round needs no right factor either.
  NextFactors(KernelEmitter &kernel, tile::DotOp op, int64_t steps, llvm::Value *isRhsThere);
  /// Asks for the next few lines.
  void ask();

private:
  /// A tile in memory: `rows` runs of `rowLines` cache lines, `rowStride` bytes apart.
  struct Stream {
    llvm::Value *base, *rowStride;
    int64_t rows, rowLines;
    int64_t linesAtOnce, rowsAtOnce; // one of them is 1 where the other is not
    llvm::AllocaInst *asked;         // times ask() was run
  };
  void addFactor(mlir::Value factor, mlir::scf::ForOp loop, llvm::Value *hasNext);
  void addLoad(tile::LoadOp load, mlir::scf::ForOp loop, llvm::Value *hasNext);
  llvm::Value *addressAt(mlir::Value pointer, int64_t row, int64_t column);
  void ask(const Stream &stream);

  KernelEmitter &kernel;
  Builder &b;
  tile::DotOp op;
  int64_t steps;
  llvm::SmallVector<Stream, 2> streams;
};

} // namespace nereid::backend::cpu
