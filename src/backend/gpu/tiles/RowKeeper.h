// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who keeps rows that registers do not hold, so that several passes over their pieces load them
// once: shared memory, which a back end knows how to fill.
#pragma once

#include "dialect/tile/Tile.h"

#include "mlir/IR/Builders.h"

namespace nereid::backend::gpu {

class RowKeeper {
public:
  virtual ~RowKeeper() = default;

  virtual bool mayKeep(tile::LoadOp row) = 0;
  /// Whether it would be better kept though registers hold it.
  virtual bool isRatherKept(tile::LoadOp row) = 0;
  /// How many of the first pieces of these rows there is room for, if registers hold the others; 0
  /// if that is not worth it. All rows have one length.
  virtual int64_t roomFor(llvm::ArrayRef<tile::LoadOp> rows, int64_t length) = 0;
  /// Begins to bring that many pieces where the row is loaded; the room.
  virtual mlir::Value keep(tile::LoadOp row, int64_t length, int64_t pieces) = 0;
  /// A piece of a room, by its number, i32.
  virtual mlir::Value read(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value room,
                           mlir::Value number) = 0;
};

} // namespace nereid::backend::gpu
