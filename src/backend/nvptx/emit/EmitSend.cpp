// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles that the copy engine (TMA) takes from shared memory to an array.
#include "backend/nvptx/emit/Emit.h"
#include "backend/nvptx/ptx/MatrixInstructions.h"
#include "backend/nvptx/ptx/PtxAsm.h"
#include "layout/OperandImage.h"

#include "support/Check.h"

using namespace mlir;

namespace nereid::backend::nvptx {

static void sendPiece(KernelContext &c, nv::SendOp op, llvm::Value *slot, unsigned column);

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

/// Whether the program has sent nothing before, whose order this would have to keep.
static bool isFirstOfProgram(nv::SendOp op) {
  Operation *loop = op->getParentOfType<LoopLikeOpInterface>();
  bool isFirst = !loop;
  op->getParentOfType<func::FuncOp>().walk([&](nv::SendOp send) {
    isFirst &= send == op;
    return WalkResult::interrupt();
  });
  return isFirst;
}

void emitSend(KernelContext &c, nv::SendOp op) {
  auto room = llvm::cast<nv::SharedType>(op.getRoom().getType());
  Type element = room.getElementType();
  unsigned bytes = tile::byteSizeOf(element);
  layout::OperandImage image =
      layout::widestImage(nv::paddedShape(op.getTile().getType()), 1, bytes);
  unsigned pieceElements = image.boxBytes / bytes;
  layout::SharedAccess access = layout::cheapestAccess(nv::layoutOf(op.getTile()), image.layout,
                                                       bytes, matricesOf(c.target).store);
  for (auto *bases : {&access.address.lane, &access.address.warp})
    for (layout::Vector basis : *bases)
      NEREID_CHECK(basis < pieceElements, "threads would write into several pieces at once");
  unsigned pieces = tile::elementCount(op.getTile().getType()) / pieceElements;
  unsigned stages = op.getRoom().getDefiningOp<nv::AllocOp>().getStages();
  awaitSent(c, 0, /*isRead=*/isFirstOfProgram(op));
  for (unsigned piece = 0; piece < pieces; ++piece) {
    if (piece >= stages)
      awaitSent(c, stages - 1, /*isRead=*/true);
    c.shared.barrier();
    llvm::Value *slot =
        c.b.CreateAdd(c.scalar(op.getRoom()), c.b.getInt32(piece % stages * room.getSlotBytes()));
    storeShared(c, accessOfPiece(access, piece, pieceElements), slot, c.registersOf(op.getTile()),
                element);
    publish(c);
    c.shared.barrier();
    sendPiece(c, op, slot, piece * (image.rowGroupBytes / 8 / bytes));
  }
}

/// From `slot` to the columns of the box that begin `column` behind the tile's first.
static void sendPiece(KernelContext &c, nv::SendOp op, llvm::Value *slot, unsigned column) {
  auto room = llvm::cast<nv::SharedType>(op.getRoom().getType());
  auto box = op.getBox().getDefiningOp<nv::BoxOp>();
  unsigned rowBytes = box.getShape()[0] * tile::byteSizeOf(room.getElementType());
  for (int64_t row = 0; row < room.getShape()[0]; row += box.getShape()[1]) {
    std::string coordinates, constraints = "l,r,b";
    llvm::SmallVector<llvm::Value *, 8> operands = {
        c.scalar(op.getBox()), c.b.CreateAdd(slot, c.b.getInt32(row * rowBytes)),
        c.threads.isFirstThread()};
    for (auto [dimension, start] : llvm::enumerate(op.getAt())) {
      coordinates += (dimension ? ", $" : "$") + std::to_string(operands.size());
      constraints += ",r";
      unsigned distance = dimension == 0 ? column : dimension == 1 ? row : 0;
      operands.push_back(c.b.CreateAdd(c.scalar(start), c.b.getInt32(distance)));
    }
    emitPtx(c.b,
            "@$2 cp.async.bulk.tensor." + std::to_string(op.getAt().size()) +
                "d.global.shared::cta.tile.bulk_group [$0, {" + coordinates + "}], [$1];",
            nullptr, constraints, operands);
  }
  emitPtx(c.b, "@$0 cp.async.bulk.commit_group;", nullptr, "b", {c.threads.isFirstThread()});
}

} // namespace nereid::backend::nvptx
