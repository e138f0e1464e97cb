// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What boxes and rings must be, what fills and reads them, and who does so.
#include "dialect/nv/Verify.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace nereid::nv {

/// PTX ISA, "Tensors": dimensions of a tensor map, elements of a box along one of them, with those
/// that are passed over, and how far apart they are.
static constexpr size_t mostDimensions = 5;
static constexpr int64_t mostElements = 256, mostStep = 8;
/// What the copy engine moves of rows, and where they may begin.
static constexpr uint64_t rowUnitBytes = 16;

static bool isInKernelsBody(Operation *op) {
  return llvm::isa_and_present<func::FuncOp>(op->getParentOp());
}

LogicalResult BoxOp::verify() {
  auto base = llvm::dyn_cast<BlockArgument>(getBase());
  if (!base || !llvm::isa_and_present<func::FuncOp>(base.getOwner()->getParentOp()))
    return emitOpError("is of an array that is a parameter of the kernel");
  if (getDivisors().size() != getMultiples().size())
    return emitOpError() << "has " << getMultiples().size() << " multiples and "
                         << getDivisors().size() << " divisors: there is one for each";
  if (llvm::any_of(getDivisors(), [](int64_t divisor) { return divisor < 1; }))
    return emitOpError("divisors must be positive");
  size_t rank = getExtents().size();
  if (rank == 0 || rank > mostDimensions)
    return emitOpError() << "has " << rank << " dimensions: 1 to " << mostDimensions
                         << " are possible";
  if (getStrides().size() + 1 != rank)
    return emitOpError() << "has " << getStrides().size() << " strides for " << rank
                         << " extents: there is one for each dimension but the first";
  if (getShape().size() != rank)
    return emitOpError() << "copies " << getShape().size() << " dimensions of " << rank;
  if (llvm::any_of(getShape(), [](int64_t size) { return size < 1 || size > mostElements; }))
    return emitOpError() << "copies 1 to " << mostElements << " elements along each dimension";
  const int64_t step = getStep();
  if (step > mostStep || (step > 1 && (rank < 2 || getShape()[1] * step > mostElements)))
    return emitOpError() << "passes over rows of at most " << mostElements << ", a step of 1 to "
                         << mostStep << " at a time";
  return success();
}

LogicalResult RingOp::verify() {
  if (!isInKernelsBody(*this))
    return emitOpError("stands in the kernel's body");
  for (Operation *op = getOperation()->getPrevNode(); op; op = op->getPrevNode())
    if (!llvm::isa<RingOp>(op) && (op->getNumRegions() > 0 || !isMemoryEffectFree(op)))
      return emitOpError() << "stands at the beginning of a kernel, not behind " << op->getName();
  auto isFree = [](Operation *user) { return llvm::isa<FreeOp>(user); };
  if (llvm::count_if(getResult().getUsers(), isFree) > 1)
    return emitOpError("is freed more than once");
  return success();
}

/// The ring that an operation uses.
static RingOp findRing(Value room) { return room.getDefiningOp<RingOp>(); }

static InFlightDiagnostic notOfRing(Operation *op) {
  return op->emitOpError("is of a ring, as nv.ring made it");
}

/// The bytes that go through shared memory between a box and a tile.
static LogicalResult verifyBox(Operation *op, Value box, size_t coordinates, SharedType room) {
  auto described = box.getDefiningOp<BoxOp>();
  if (!described)
    return op->emitOpError("is of a box, as nv.box describes it");
  if (coordinates != described.getExtents().size())
    return op->emitOpError() << "has " << coordinates << " coordinates for a box of "
                             << described.getExtents().size() << " dimensions";
  Type element = tile::pointeeOf(described.getBase().getType());
  if (element != room.getElementType())
    return op->emitOpError() << "moves " << element << " of the array through room for "
                             << room.getElementType();
  auto count = [](llvm::ArrayRef<int64_t> sizes) {
    int64_t product = 1;
    for (int64_t size : sizes)
      product *= size;
    return product;
  };
  if (count(room.getShape()) % count(described.getShape()) != 0)
    return op->emitOpError("must move a tile as a number of whole copies of the box's shape");
  return success();
}

LogicalResult FetchOp::verify() {
  if (!findRing(getRing()))
    return notOfRing(*this);
  auto fetched = llvm::cast<SharedType>(getRing().getType());
  if (Value turned = getTurned()) {
    if (!findRing(turned))
      return notOfRing(*this);
    if (tile::byteSizeOf(fetched.getElementType()) != 1)
      return emitOpError("turns bytes");
    if (failed(
            verifySameTile(*this, "what is fetched", fetched, "what is turned", turned.getType())))
      return failure();
  }
  return verifyBox(*this, getBox(), getAt().size(), fetched);
}

LogicalResult AwaitSlotOp::verify() {
  if (!findRing(getRing()))
    return notOfRing(*this);
  return success();
}

LogicalResult ReleaseOp::verify() {
  RingOp ring = findRing(getRing());
  if (!ring)
    return notOfRing(*this);
  if (getPending() >= ring.getStages())
    return emitOpError() << "leaves " << getPending() << " slots to be read of a ring of "
                         << ring.getStages() << ", so none would be free";
  return success();
}

/// A number of elements that is known when compiling.
static LogicalResult verifyCount(Operation *op, Value count, Type element) {
  llvm::APInt number;
  if (matchPattern(count, m_ConstantInt(&number)) &&
      (number.isNegative() ||
       number.getZExtValue() * tile::byteSizeOf(element) % rowUnitBytes != 0))
    return op->emitOpError() << number.getSExtValue() << " elements of " << element
                             << " are no multiple of " << rowUnitBytes << " bytes";
  return success();
}

/// A reader gives a row's slots back together.
static LogicalResult verifyRowsRing(Operation *op, Value room, uint32_t slots) {
  RingOp ring = findRing(room);
  if (!ring)
    return notOfRing(op);
  if (ring.getType().getShape().size() != 1)
    return op->emitOpError("is of a ring whose slots are pieces of rows, of one dimension");
  if (slots > ring.getStages())
    return op->emitOpError() << "wants a row in " << slots << " slots of a ring that has "
                             << ring.getStages();
  return success();
}

LogicalResult FetchRowOp::verify() {
  if (failed(verifyRowsRing(*this, getRing(), getSlots())))
    return failure();
  Type element = tile::pointeeOf(getFirst().getType());
  Type slot = llvm::cast<SharedType>(getRing().getType()).getElementType();
  if (element != slot)
    return emitOpError() << "copies " << element << " to slots of " << slot;
  return verifyCount(*this, getCount(), element);
}

LogicalResult PrefetchRowOp::verify() {
  return verifyCount(*this, getCount(), tile::pointeeOf(getFirst().getType()));
}

LogicalResult KeepRowOp::verify() {
  auto slot = llvm::cast<SharedType>(getRoom().getType());
  if (!isInKernelsBody(*this))
    return emitOpError("stands in the kernel's body");
  if (slot.getShape().size() != 1)
    return emitOpError("keeps pieces of rows, of one dimension");
  Type element = tile::pointeeOf(getFirst().getType());
  if (element != slot.getElementType())
    return emitOpError() << "copies " << element << " to slots of " << slot.getElementType();
  if (getOther() && getOther().getType() != element)
    return emitOpError() << "fills " << element << " with " << getOther().getType();
  return verifyCount(*this, getCount(), element);
}

LogicalResult ReadKeptOp::verify() {
  if (!getRoom().getDefiningOp<KeepRowOp>())
    return emitOpError("reads a room that nv.keep_row did not make");
  auto slot = llvm::cast<SharedType>(getRoom().getType());
  auto piece = RankedTensorType::get(slot.getShape(), slot.getElementType());
  return verifySameTile(*this, "what a slot holds", piece, "the result", getType());
}

LogicalResult ReadRowOp::verify() {
  if (failed(verifyRowsRing(*this, getRing(), getSlots())))
    return failure();
  auto slot = llvm::cast<SharedType>(getRing().getType());
  auto row = RankedTensorType::get({slot.getShape()[0] * getSlots()}, slot.getElementType());
  if (failed(verifySameTile(*this, "the row of these slots", row, "the result", getType())))
    return failure();
  if (getOther() && getOther().getType() != getType())
    return emitOpError("other values must have the result's type");
  return success();
}

/// One thread runs it that is not at the barriers of the others.
LogicalResult ProduceOp::verify() {
  if (!isInKernelsBody(*this))
    return emitOpError("stands in the kernel's body");
  for (Operation *op = getOperation()->getPrevNode(); op; op = op->getPrevNode())
    if (llvm::isa<ProduceOp>(op))
      return emitOpError("is the second of a kernel: one warp fetches");
  WalkResult result = getBody().walk([&](Operation *op) {
    if (llvm::any_of(op->getOperandTypes(), tile::isTile) ||
        llvm::any_of(op->getResultTypes(), tile::isTile))
      return emitOpError() << "is of one thread, which has no tiles: " << op->getName()
                           << " is not for it",
             WalkResult::interrupt();
    bool mayStand =
        llvm::isa<FetchOp, FetchRowOp, tile::LoadOp, ClockOp, ProgramsOp, EndProgramOp>(op) ||
        op->getNumRegions() > 0 || op->hasTrait<OpTrait::IsTerminator>() || isMemoryEffectFree(op);
    if (!mayStand)
      return emitOpError() << "only fetches, and computes for that: " << op->getName()
                           << " is of the other warps",
             WalkResult::interrupt();
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  result = getOperation()->getParentOp()->walk([&](Operation *op) {
    bool fetches = llvm::isa<FetchOp, FetchRowOp>(op) && !getOperation()->isAncestor(op);
    return fetches ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (result.wasInterrupted())
    return emitOpError("is one of two places that fetch: the other warps only await slots");
  return success();
}

LogicalResult ProgramsOp::verify() {
  Operation *parent = getOperation()->getParentOp();
  if (!llvm::isa_and_present<func::FuncOp, ProduceOp>(parent))
    return emitOpError("stands in the kernel's body, or in nv.produce");
  for (Operation *op = getOperation()->getPrevNode(); op; op = op->getPrevNode())
    if (llvm::isa<ProgramsOp>(op))
      return emitOpError("is the second of its role: a block runs each of its programs once");
  return success();
}

LogicalResult AwaitSentOp::verify() {
  if (!getRoom().getDefiningOp<AllocOp>())
    return emitOpError("awaits what goes through room of nv.alloc");
  return success();
}

LogicalResult SendOp::verify() {
  if (!getRoom().getDefiningOp<AllocOp>())
    return emitOpError("goes through room of nv.alloc, whose tiles take turns");
  auto room = llvm::cast<SharedType>(getRoom().getType());
  if (failed(verifyBox(*this, getBox(), getAt().size(), room)))
    return failure();
  TileShape tile = tileShapeOf(getTile().getType());
  if (tile.element != room.getElementType())
    return emitOpError() << "moves a tile of " << tile.element << " through room for "
                         << room.getElementType();
  auto isRoomOf = [&](unsigned whole) {
    return tile.sizes[whole] == room.getShape()[whole] &&
           tile.sizes[1 - whole] % room.getShape()[1 - whole] == 0;
  };
  if (tile.sizes.size() != 2 || room.getShape().size() != 2 || !(isRoomOf(0) || isRoomOf(1)))
    return emitOpError(
        "moves a tile of two dimensions through room for some of its columns or of its rows");
  if (getAdds() && !tile.element.isF32())
    return emitOpError() << "adds f32, and the tile is of " << tile.element;
  if (getAdds() && getRoom().getDefiningOp<AllocOp>().getStages() < partCount())
    return emitOpError("adds a tile that is whole in its room");
  if (!getLies() && failed(verifyGrid(*this, getGrid(), getColumns(), Turned::None, tile.sizes)))
    return failure();
  const layout::LinearLayout *layout = findLayout(getTile().getType());
  if (layout && *layout != tileLayout())
    return emitOpError("takes the tile as a product leaves it, and it lies elsewhere");
  return success();
}

} // namespace nereid::nv
