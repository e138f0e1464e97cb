// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/tile/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace nereid::tile {

std::optional<BlockShape> blockOf(Operation *kernel) {
  auto sizes = kernel->getAttrOfType<DenseI64ArrayAttr>(blockAttr);
  if (!sizes)
    return std::nullopt;
  return BlockShape{sizes[0], sizes[1], sizes[2]};
}

LogicalResult ThreadIdOp::verify() {
  auto kernel = (*this)->getParentOfType<func::FuncOp>();
  if (kernel && !blockOf(kernel))
    return emitOpError("stands in a kernel of threads, which says tile.block");
  return success();
}

Access SyncThreadsOp::getAccess() { return {.acquires = true, .releases = true}; }
Access SyncThreadsCountOp::getAccess() { return {.acquires = true, .releases = true}; }
Access SyncWarpOp::getAccess() { return {.acquires = true, .releases = true}; }
// They order no memory, and yet must stay where they are among what does.
Access ShuffleOp::getAccess() { return {.acquires = true, .releases = true}; }
Access BallotOp::getAccess() { return {.acquires = true, .releases = true}; }

} // namespace nereid::tile
