// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// While a dot multiplies, the cache lines are asked for that will be touched behind it: those from
// which the next round of its loop takes its factors, and in the last round those that its result
// goes to.
//
// Multiplying leaves the way to memory idle, and fetching leaves the multipliers idle: one after
// the other they take their sum. Tiles of a matrix lie in rows of a few lines, a page apart, which
// no hardware prefetcher follows.
#pragma once

#include "backend/cpu/emit/KernelEmitter.h"

namespace nereid::backend::cpu {

/// Whether the lanes of a tile come from arithmetic on scalars and stored tiles alone. Others could
/// not be looked at before their time: a load may lie beyond its array then.
bool isArithmetic(mlir::Value tile, const StoragePlan &plan);

class LinesAhead {
public:
  /// Emits the addresses, where the dot begins. Nothing is asked for factors that do not come from
  /// memory in a loop that the dot is directly in, nor for results that are more than stored.
  /// `steps` is how often ask() will run. Where `isRhsThere`, null for never, the next round needs
  /// no right factor.
  LinesAhead(KernelEmitter &kernel, tile::DotOp op, int64_t steps, llvm::Value *isRhsThere);
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
  /// How a tile of pointers lies in memory: its dimension of neighbours, and lines of these.
  struct Rows {
    unsigned along;
    int64_t count, lines;
  };
  void addFactor(mlir::Value factor, mlir::scf::ForOp loop, llvm::Value *isAsked);
  void addLoad(tile::LoadOp load, mlir::scf::ForOp loop, llvm::Value *isAsked);
  void addResult(mlir::Operation *around);
  std::optional<Rows> rowsOf(mlir::Value pointer, mlir::Type element) const;
  llvm::Value *addressAt(mlir::Value pointer, int64_t row, int64_t column);
  /// In bytes, where the first row begins at `first`.
  llvm::Value *strideOf(mlir::Value pointer, const Rows &rows, llvm::Value *first);
  Stream streamOf(const Rows &rows, llvm::Value *base, llvm::Value *stride);
  void ask(const Stream &stream);

  KernelEmitter &kernel;
  Builder &b;
  tile::DotOp op;
  int64_t steps;
  llvm::SmallVector<Stream, 2> factors;
  std::optional<Stream> result;
  llvm::Value *hasNext = nullptr, *asksForResult = nullptr; // in this round
};

} // namespace nereid::backend::cpu
