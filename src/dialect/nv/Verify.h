// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the verifiers of the nv dialect ask of values.
#pragma once

#include "dialect/nv/Nv.h"

namespace nereid::nv {

/// Sizes and element of a tile, wherever it lies.
struct TileShape {
  llvm::ArrayRef<int64_t> sizes;
  mlir::Type element;
};
TileShape tileShapeOf(mlir::Type type);

/// An error at `op` unless both are tiles of one shape and one kind of elements; `first` and
/// `second` name them.
mlir::LogicalResult verifySameTile(mlir::Operation *op, llvm::StringRef first, mlir::Type firstType,
                                   llvm::StringRef second, mlir::Type secondType);

/// An error at `op` unless `grid` and `columns` say how warpgroups share sums of these sizes, of
/// which instructions compute the transposed ones if the right factor is turned.
mlir::LogicalResult verifyGrid(mlir::Operation *op, llvm::ArrayRef<int32_t> grid, int64_t columns,
                               Turned turned, llvm::ArrayRef<int64_t> sums);

/// Whether the sums are those of a product that has begun: of nv.multiply, or what a loop carries
/// of them to its next round or its end.
bool isInFlight(mlir::Value sums);

} // namespace nereid::nv
