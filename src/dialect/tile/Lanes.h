// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How lanes of results come from lanes of operands: asked of any operation, answered by
// LaneOpInterface (Interfaces.td).
#pragma once

#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"

namespace nereid::tile {

/// How an operation takes an operand.
enum class Need {
  Scalar, // it is no tile
  Lanes,  // lane by lane, in any order: the tile need not exist as a whole
  Whole,  // as an array, row-major
};

/// For each dimension of an operand, the dimension of the result that runs along it; `none` where a
/// single index serves all.
using LaneMap = llvm::SmallVector<int, 4>;
inline constexpr int none = -1;

/// The operand has the shape of the result, or size 1 where it is repeated.
LaneMap identityMap(mlir::Type operand);
Need needOfType(mlir::Type operand);

/// `at` names a loop for each dimension of the result: the same for the operand.
LaneMap mapThrough(const LaneMap &map, llvm::ArrayRef<int> at);

Need needOf(mlir::OpOperand &operand);
/// Whether any lane of the results can be computed alone, from the lanes that laneMapOf() names.
bool isLanewise(mlir::Operation *op);
/// Where the lane of a tile operand lies that a lane of the result is computed from.
LaneMap laneMapOf(mlir::OpOperand &operand);
/// Whether each lane of the result is a lane of the first operand as it is.
bool movesLanes(mlir::Operation *op);
/// Whether the results are computed from the operands alone, each lane from the lanes at its place.
bool isElementwise(mlir::Operation *op);
/// Whether a lane of the result is computed from the lane of the operand at the same place.
bool isLaneForLane(mlir::OpOperand &operand);
/// Whether some lane of the operand serves several lanes of the result.
bool repeatsLanes(mlir::OpOperand &operand);
bool isCheap(mlir::Operation *op);
/// Whether the operation only says something to the checked mode.
bool isCheck(mlir::Operation *op);
/// The function argument that a pointer was computed from; null if that cannot be seen.
mlir::BlockArgument baseOf(mlir::Value pointer);
/// The memory of a block or a thread (tile.shared, tile.local) that it was computed from, likewise.
mlir::Value ownMemoryOf(mlir::Value pointer);

} // namespace nereid::tile
