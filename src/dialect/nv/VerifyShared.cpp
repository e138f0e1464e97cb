// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What operations on shared memory must be, and copies of threads into it.
#include "dialect/nv/Verify.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;

namespace nereid::nv {

LogicalResult GatherBlocksOp::verify() {
  if (getAll().size() != getParts().size() * getBlocks())
    return emitOpError("gives of each number what each block has");
  for (auto [i, result] : llvm::enumerate(getAll()))
    if (result.getType() != getParts()[i / getBlocks()].getType())
      return emitOpError("gives numbers of the types that it takes");
  return success();
}

LogicalResult AllocOp::verify() {
  auto isFree = [](Operation *user) { return llvm::isa<FreeOp>(user); };
  if (llvm::count_if(getResult().getUsers(), isFree) != 1)
    return emitOpError("must be freed once, by nv.free");
  return success();
}

/// Rooms are a stack, so between a room's beginning and its end others begin and end in pairs.
LogicalResult FreeOp::verify() {
  Operation *room = getRoom().getDefiningOp();
  if (!llvm::isa_and_present<AllocOp, RingOp>(room))
    return emitOpError("frees what nv.alloc or nv.ring has made, not a part of it");
  if (room->getBlock() != getOperation()->getBlock())
    return emitOpError("must stand in the block that its room is made in");
  llvm::SmallVector<Value> later;
  for (Operation *op = room->getNextNode(); op && op != getOperation(); op = op->getNextNode()) {
    if (llvm::isa<AllocOp, RingOp>(op))
      later.push_back(op->getResult(0));
    else if (auto free = llvm::dyn_cast<FreeOp>(op))
      llvm::erase(later, free.getRoom());
  }
  if (!later.empty())
    return emitOpError("frees a room before one that was made after it: the last one goes first");
  return success();
}

LogicalResult SlotOp::verify() {
  uint32_t stages;
  Operation *room = getRoom().getDefiningOp();
  if (auto alloc = llvm::dyn_cast_if_present<AllocOp>(room))
    stages = alloc.getStages();
  else if (auto ring = llvm::dyn_cast_if_present<RingOp>(room))
    stages = ring.getStages();
  else
    return emitOpError("is one of the tiles of nv.alloc or nv.ring");
  llvm::APInt index;
  if (matchPattern(getIndex(), m_ConstantInt(&index)) && !index.ult(stages))
    return emitOpError() << "number " << index.getSExtValue() << " of a room for " << stages;
  return success();
}

LogicalResult ViewOp::verify() {
  auto source = llvm::cast<SharedType>(getSource().getType());
  llvm::ArrayRef<int32_t> order = getOrder();
  llvm::SmallVector<int32_t> sorted(order);
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int32_t>(0, source.getShape().size())))
    return emitOpError() << "order must name each of the " << source.getShape().size()
                         << " dimensions once";
  llvm::SmallVector<int64_t> shape;
  for (int32_t dimension : order)
    shape.push_back(source.getShape()[dimension]);
  auto wanted =
      SharedType::get(getContext(), shape, source.getElementType(),
                      layout::transposed(source.getLayout(), {order.begin(), order.end()}));
  if (getType() != wanted)
    return emitOpError() << "of this order is a " << wanted;
  return success();
}

LogicalResult ReadOp::verify() {
  return verifySameTile(*this, "what is read", getSource().getType(), "the result", getType());
}

LogicalResult WriteOp::verify() {
  return verifySameTile(*this, "what is written", getTile().getType(), "its room",
                        getTarget().getType());
}

LogicalResult TurnOp::verify() {
  if (tile::byteSizeOf(llvm::cast<SharedType>(getSource().getType()).getElementType()) != 1)
    return emitOpError("turns bytes, and others are written by threads that have read them");
  return verifySameTile(*this, "what is turned", getSource().getType(), "its room",
                        getTarget().getType());
}

LogicalResult CopyOp::verify() {
  Type pointers = getPointer().getType();
  auto loaded =
      RankedTensorType::get(tile::shapeOf(pointers), tile::pointeeOf(tile::elementOf(pointers)));
  auto mask = llvm::cast<RankedTensorType>(getMask().getType());
  if (mask.getShape() != loaded.getShape() ||
      mask.getEncoding() != llvm::cast<RankedTensorType>(pointers).getEncoding())
    return emitOpError("pointers and mask must have one shape and one layout");
  if (bool(getLeft()) != getTogether().has_value())
    return emitOpError("says how many elements are left of those that are copied together");
  auto left = getLeft() ? llvm::cast<RankedTensorType>(getLeft().getType()) : mask;
  if (left.getShape() != mask.getShape() || left.getEncoding() != mask.getEncoding())
    return emitOpError("what is left must have the shape and the layout of the mask");
  return verifySameTile(*this, "what is copied", loaded, "its room", getTarget().getType());
}

} // namespace nereid::nv
