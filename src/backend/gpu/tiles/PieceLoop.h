// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop over the pieces of tiles.
#pragma once

#include "backend/gpu/tiles/RowKeeper.h"

namespace nereid::backend::gpu {

/// What ends in memory or in a smaller tile, and can be done piece by piece along `dim`.
struct Sink {
  mlir::Operation *op;
  unsigned dim;
  int64_t size, length; // along it, of the whole and of a piece
  int64_t elements;
  llvm::SmallVector<mlir::Operation *> loads; // that its pieces need
};

/// Sinks that one loop serves. It stands where the last of them is. No two pieces touch one
/// element, unless both only read it or one sink touches it in both: lanes of one operation have no
/// order.
using Group = llvm::SmallVector<Sink, 2>;

/// Rows that several loops go over and that are loaded once: the first pieces come to a room, the
/// others to registers, where the row was loaded.
struct KeptRows {
  struct Row {
    tile::LoadOp load;
    mlir::Value room;
    llvm::SmallVector<mlir::Value> rest;
  };
  llvm::SmallVector<Row> rows;
  int64_t length = 0, pieces = 0; // of a piece, and how many rooms have

  llvm::SmallVector<tile::LoadOp> loads() const;
  void begin(RowKeeper &keeper);
};

/// Replaces the sinks by a loop: what reductions have of the pieces so far is carried, lane by
/// lane, and reduced at the end. Null if no rows are kept.
void makeLoop(const Group &group, const KeptRows *rows, RowKeeper &keeper);

} // namespace nereid::backend::gpu
