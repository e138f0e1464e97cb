// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles that the copy engine (TMA) takes from shared memory to an array.
#include "backend/gpu/layouts/TileMoves.h"
#include "backend/nvptx/emit/Emit.h"
#include "backend/nvptx/ptx/MatrixInstructions.h"
#include "backend/nvptx/ptx/PtxAsm.h"
#include "layout/OperandImage.h"

#include "support/Check.h"

using namespace mlir;

namespace nereid::backend::nvptx {

static void sendPiece(KernelContext &c, nv::SendOp op, llvm::Value *slot, unsigned row,
                      unsigned column);

/// One thread sends, and waits for what it has sent: until that has been read, or is there.
void awaitSent(KernelContext &c, unsigned pending, bool isRead) {
  emitPtx(c.b,
          std::string("@$0 cp.async.bulk.wait_group") + (isRead ? ".read " : " ") +
              std::to_string(pending) + ";",
          nullptr, "b", {c.threads.isFirstThread()});
}

/// The steps of an access of the whole tile that write into one piece of it.
static layout::SharedAccess accessOfPiece(const layout::SharedAccess &whole, unsigned piece,
                                          unsigned pieceElements) {
  layout::SharedAccess part = whole;
  part.steps.clear();
  for (layout::SharedAccess::Step step : whole.steps)
    if (step.offset / pieceElements == piece) {
      step.offset %= pieceElements;
      part.steps.push_back(std::move(step));
    }
  return part;
}

static bool isPartOfSame(nv::SendOp one, nv::SendOp other) {
  Attribute whole = one->getAttr(nv::partOfAttr);
  return whole && whole == other->getAttr(nv::partOfAttr);
}

/// A thread's registers as it writes them.
static Registers swappedRegisters(KernelContext &c, llvm::ArrayRef<llvm::Value *> registers,
                                  std::optional<layout::LaneSwap> swap) {
  Registers result(registers.begin(), registers.end());
  if (!swap)
    return result;
  llvm::Value *swaps =
      c.b.CreateTrunc(c.b.CreateLShr(c.threads.lane(), uint64_t(swap->laneBit)), c.b.getInt1Ty());
  for (auto [index, value] : llvm::enumerate(result))
    value = c.b.CreateSelect(swaps, registers[index ^ (size_t(1) << swap->registerBit)], value);
  return result;
}

/// Whether the program has sent nothing before whose order this would have to keep. What is added
/// has none, nor have parts of one store.
static bool isFirstOfProgram(nv::SendOp op) {
  Operation *loop = op->getParentOfType<LoopLikeOpInterface>();
  bool isFirst = !loop;
  op->getParentOfType<func::FuncOp>().walk([&](nv::SendOp send) {
    if (send.getAdds() || (send != op && isPartOfSame(send, op)))
      return WalkResult::advance();
    isFirst &= send == op;
    return WalkResult::interrupt();
  });
  return isFirst || op.getAdds();
}

void emitAwaitSent(KernelContext &c, nv::AwaitSentOp) {
  c.shared.beforeNextBarrier([&c] { awaitSent(c, 0, /*isRead=*/true); });
}

/// Whether a barrier since nv.await_sent says that the room may be written. One in a branch does
/// not.
static bool isAwaited(KernelContext &c, nv::SendOp op) {
  for (Operation *before = op->getPrevNode(); before; before = before->getPrevNode()) {
    if (llvm::isa<nv::AwaitSentOp>(before))
      return before->getOperand(0) == op.getRoom() && !c.shared.awaitsBarrier();
    if (llvm::isa<RegionBranchOpInterface>(before))
      return false;
  }
  return false;
}

void emitSend(KernelContext &c, nv::SendOp op) {
  auto room = llvm::cast<nv::SharedType>(op.getRoom().getType());
  Type element = room.getElementType();
  unsigned bytes = tile::byteSizeOf(element);
  auto shape = tile::shapeOf(op.getTile().getType()), part = room.getShape();
  const bool isOfColumns = part[0] == shape[0];
  const unsigned pieceElements = part[0] * part[1];
  const unsigned pieces = op.partCount();
  const gpu::SendAccess plan = gpu::sendAccess(op, matricesOf(c.target));
  const layout::SharedAccess &access = plan.access;
  const Registers registers = swappedRegisters(c, c.registersOf(op.getTile()), plan.swap);
  // Pieces that the threads write at once, in slots one behind the other.
  unsigned together = op.getAdds() ? pieces : 1;
  for (const auto *bases : {&access.address.lane, &access.address.warp})
    for (layout::Vector basis : *bases)
      while (basis >= together * pieceElements)
        together *= 2;
  unsigned stages = op.getRoom().getDefiningOp<nv::AllocOp>().getStages();
  NEREID_CHECK(together <= stages &&
                   (together == 1 || room.getSlotBytes() == pieceElements * bytes),
               "threads write more pieces at once than there is room for");
  const bool mayWrite = isAwaited(c, op);
  if (!mayWrite)
    awaitSent(c, 0, /*isRead=*/isFirstOfProgram(op));
  for (unsigned piece = 0; piece < pieces; piece += together) {
    if (piece >= stages)
      awaitSent(c, stages - together, /*isRead=*/true);
    if (piece > 0 || !mayWrite)
      c.shared.barrier();
    auto slot = [&](unsigned number) {
      return c.b.CreateAdd(c.scalar(op.getRoom()),
                           c.b.getInt32(number % stages * room.getSlotBytes()));
    };
    storeShared(c, accessOfPiece(access, piece / together, together * pieceElements), slot(piece),
                registers, element);
    publish(c);
    c.shared.barrier();
    for (unsigned each = piece; each < piece + together; ++each)
      sendPiece(c, op, slot(each), isOfColumns ? 0 : each * part[0],
                isOfColumns ? each * part[1] : 0);
  }
}

/// From `slot` to the part of the box that begins `row` and `column` behind the tile's first.
static void sendPiece(KernelContext &c, nv::SendOp op, llvm::Value *slot, unsigned row,
                      unsigned column) {
  auto room = llvm::cast<nv::SharedType>(op.getRoom().getType());
  auto box = op.getBox().getDefiningOp<nv::BoxOp>();
  const int64_t width = box.getShape()[0], height = box.getShape()[1];
  const unsigned bytes = tile::byteSizeOf(room.getElementType());
  const layout::OperandImage image = *layout::findImage(room.getLayout(), bytes);
  auto copy = [&](unsigned below, unsigned beside) {
    std::string coordinates, constraints = "l,r,b";
    const unsigned place = layout::plainOffset(image, {below, beside}, bytes);
    llvm::SmallVector<llvm::Value *, 8> operands = {
        c.scalar(op.getBox()), c.b.CreateAdd(slot, c.b.getInt32(place)), c.threads.isFirstThread()};
    for (auto [dimension, start] : llvm::enumerate(op.getAt())) {
      coordinates += (dimension ? ", $" : "$") + std::to_string(operands.size());
      constraints += ",r";
      unsigned distance = dimension == 0 ? column + beside : dimension == 1 ? row + below : 0;
      operands.push_back(c.b.CreateAdd(c.scalar(start), c.b.getInt32(distance)));
    }
    emitPtx(c.b,
            std::string("@$2 cp.") + (op.getAdds() ? "reduce." : "") + "async.bulk.tensor." +
                std::to_string(op.getAt().size()) + "d.global.shared::cta." +
                (op.getAdds() ? "add." : "") + "tile.bulk_group [$0, {" + coordinates + "}], [$1];",
            nullptr, constraints, operands);
  };
  for (int64_t beside = 0; beside < room.getShape()[1]; beside += width)
    for (int64_t below = 0; below < room.getShape()[0]; below += height)
      copy(below, beside);
  emitPtx(c.b, "@$0 cp.async.bulk.commit_group;", nullptr, "b", {c.threads.isFirstThread()});
}

} // namespace nereid::backend::nvptx
