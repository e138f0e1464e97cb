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

bool meetsWholeGrid(Operation *kernel) {
  auto isSuch = [](SyncThreadsOp sync) {
    return sync.getWholeGrid() ? WalkResult::interrupt() : WalkResult::advance();
  };
  return kernel->walk(isSuch).wasInterrupted();
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
Access ActiveMaskOp::getAccess() { return {.acquires = true, .releases = true}; }

LogicalResult TableOp::verify() {
  auto elements = llvm::dyn_cast<DenseElementsAttr>(getElements());
  Type held = getType().getPointee();
  if (held.isInteger(1))
    held = IntegerType::get(getContext(), 8);
  if (!elements || elements.empty() || elements.getElementType() != held)
    return emitOpError() << "has elements of another type than memory has, " << held;
  return success();
}

std::string TableOp::bytes() {
  auto elements = llvm::cast<DenseElementsAttr>(getElements());
  llvm::ArrayRef<char> raw = elements.getRawData();
  std::string bytes;
  for (int64_t copies = elements.isSplat() ? elements.getNumElements() : 1; copies > 0; --copies)
    bytes.append(raw.begin(), raw.end());
  return bytes;
}

} // namespace nereid::tile
