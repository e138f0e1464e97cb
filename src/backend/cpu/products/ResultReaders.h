// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the result of a product goes, and what masks say of its rows and of its depth, before the
// product is made.
#pragma once

#include "backend/cpu/nests/Nest.h"
#include "backend/cpu/storage/StoragePlan.h"
#include "dialect/tile/Tile.h"

namespace nereid::backend::cpu {

/// What is computed from a dot lane for lane, up to the stores of it.
class ResultReaders {
public:
  explicit ResultReaders(tile::DotOp dot);
  /// False if something else than stores reads the result, or something computed from it.
  bool areStores() const { return isWhole && !found.empty(); }
  llvm::ArrayRef<tile::StoreOp> stores() const { return found; }
  /// The outermost loop that carries the sums, or the dot.
  mlir::Operation *carrier() const { return outermost; }

private:
  bool read(mlir::OpOperand &use, llvm::SmallVectorImpl<mlir::Value> &work);

  mlir::Operation *outermost;
  llvm::SmallVector<tile::StoreOp, 1> found;
  bool isWhole = true;
};

/// The scalars that a tile is computed from; nothing if some may be others when the tile is used,
/// behind `carrier`, or if it is computed from more than arithmetic.
std::optional<llvm::SmallVector<mlir::Value>> scalarsOf(mlir::Value tile, mlir::Operation *carrier,
                                                        const StoragePlan &plan);

/// A tile of which each lane says whether something along one dimension is touched, and its own
/// dimension that runs along that one: 0 there, `none` elsewhere.
struct LineMask {
  mlir::Value tile;
  Coordinates at;
};

/// Adds the parts of a conjunction that depend on dimension 0 of `at` alone. True if there is a
/// part that depends on both dimensions.
bool addLineMasks(mlir::Value mask, Coordinates at, llvm::SmallVectorImpl<LineMask> &masks);

/// Emits one behind the last line, of `lines`, that all of the masks let through.
llvm::Value *emitLastLine(KernelEmitter &kernel, llvm::ArrayRef<LineMask> masks, int64_t lines);
/// Emits how many lines, of `lines`, all of the masks let through; -1 if these are not the first.
llvm::Value *emitPrefix(KernelEmitter &kernel, llvm::ArrayRef<LineMask> masks, int64_t lines);

/// Adds all parts of a conjunction to those of dimension 0 of `at` and of dimension 1. False if a
/// part depends on both, or on neither.
bool splitMask(mlir::Value mask, Coordinates at,
               std::array<llvm::SmallVector<LineMask, 2>, 2> &masks);

} // namespace nereid::backend::cpu
