// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows that come through a ring in pieces, or are asked for beforehand.
#include "backend/nvptx/emit/Emit.h"
#include "backend/nvptx/ptx/PtxAsm.h"
#include "backend/nvptx/rings/SharedBudget.h"
#include "support/Check.h"

using namespace mlir;

namespace nereid::backend::nvptx {

void emitFetchRow(KernelContext &c, nv::FetchRowOp op) {
  auto type = llvm::cast<nv::SharedType>(op.getRing().getType());
  unsigned elementBytes = tile::byteSizeOf(type.getElementType());
  uint64_t length = type.getBytes() / elementBytes; // of a piece
  Registers rest = {c.scalar(op.getCount()), c.scalar(op.getFirst())};
  emitRounds(c, op.getSlots(), rest, [&](llvm::Value *) {
    llvm::Value *count =
        c.b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, rest[0], c.b.getInt32(length));
    llvm::Value *bytes = c.b.CreateMul(count, c.b.getInt32(elementBytes));
    EmptySlot slot = awaitEmptySlot(c, op.getRing(), bytes);
    emitPtx(c.b,
            "@$4 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [$0], [$1], $2, "
            "[$3];",
            nullptr, "r,l,r,r,b",
            {slot.address, rest[1], bytes, slot.full, c.b.CreateICmpNE(bytes, c.b.getInt32(0))});
    rest[0] = c.b.CreateSub(rest[0], count);
    rest[1] = c.b.CreateGEP(c.b.getInt8Ty(), rest[1], c.b.getInt64(type.getBytes()));
  });
}

void emitPrefetchRow(KernelContext &c, nv::PrefetchRowOp op) {
  unsigned elementBytes = tile::byteSizeOf(tile::pointeeOf(op.getFirst().getType()));
  llvm::Value *bytes = c.b.CreateMul(c.scalar(op.getCount()), c.b.getInt32(elementBytes));
  llvm::Value *isThere =
      c.b.CreateAnd(c.scalar(op.getCondition()), c.b.CreateICmpNE(bytes, c.b.getInt32(0)));
  c.shared.beforeNextBarrier([&c, bytes, first = c.scalar(op.getFirst()),
                              asks = c.b.CreateAnd(isThere, c.threads.isFirstThread())] {
    emitPtx(c.b, "@$2 cp.async.bulk.prefetch.L2.global [$0], $1;", nullptr, "l,r,b",
            {first, bytes, asks});
  });
}

/// Which places of a piece a thread reads: the same in each, and registers of one piece follow
/// those of the piece before.
static layout::LinearLayout pieceLayout(const layout::LinearLayout &row, uint64_t length) {
  auto registers = row.bases(layout::Register);
  auto next = llvm::find(registers, length);
  size_t bits = next - registers.begin();
  for (size_t i = bits; i < registers.size(); ++i)
    NEREID_CHECK(registers[i] == length << (i - bits), "pieces of a row do not follow one another");
  return layout::distributed({length}, registers.first(bits), row.bases(layout::Lane),
                             row.bases(layout::Warp));
}

/// Gives a piece's registers that lie behind what was fetched their other values. Most pieces have
/// none.
static void fillBehind(KernelContext &c, nv::ReadRowOp op, unsigned together,
                       llvm::MutableArrayRef<llvm::Value *> piece, unsigned first) {
  auto slot = llvm::cast<nv::SharedType>(op.getRing().getType());
  llvm::Value *count = c.scalar(op.getCount());
  int64_t end = (first / piece.size() + 1) * slot.getShape()[0];
  llvm::BasicBlock *before = c.b.GetInsertBlock(), *partly = c.newBlock("partly_fetched"),
                   *filled = c.newBlock("filled");
  c.b.CreateCondBr(c.b.CreateICmpSLT(count, c.b.getInt32(end)), partly, filled);
  c.b.SetInsertPoint(partly);
  Registers values;
  llvm::Value *isFetched = nullptr;
  for (unsigned i = 0; i < piece.size(); ++i) {
    if (i % together == 0)
      isFetched =
          c.b.CreateICmpSLT(c.threads.coordinate(nv::layoutOf(op.getType()), 0, first + i), count);
    llvm::Value *other = op.getOther() ? c.registersOf(op.getOther())[first + i]
                                       : c.lanes.zero(slot.getElementType(), 1);
    values.push_back(c.b.CreateSelect(isFetched, piece[i], other));
  }
  llvm::BasicBlock *last = c.b.GetInsertBlock();
  c.b.CreateBr(filled);
  c.b.SetInsertPoint(filled);
  for (auto [value, own] : llvm::zip(values, piece)) {
    llvm::PHINode *phi = c.b.CreatePHI(value->getType(), 2);
    phi->addIncoming(own, before);
    phi->addIncoming(value, last);
    own = phi;
  }
}

void emitReadRow(KernelContext &c, nv::ReadRowOp op) {
  auto slot = llvm::cast<nv::SharedType>(op.getRing().getType());
  const RingState &ring = c.rings.find(op.getRing())->second;
  Type element = slot.getElementType();
  unsigned bytes = tile::byteSizeOf(element);
  layout::SharedAccess access = layout::vectorAccess(
      pieceLayout(nv::layoutOf(op.getType()), slot.getShape()[0]), slot.getLayout(), bytes);
  unsigned ofPiece = registerCount(op.getType()) / op.getSlots();
  Registers row, slots;
  for (unsigned piece = 0; piece < op.getSlots(); ++piece) {
    slots.push_back(awaitSlot(c, ring));
    llvm::Value *at = c.b.CreateAdd(c.scalar(op.getRing()),
                                    c.b.CreateMul(slots.back(), c.b.getInt32(slot.getSlotBytes())));
    row.append(loadShared(c, access, at, ofPiece, element));
    // While later pieces are on their way.
    fillBehind(c, op, access.elements, llvm::MutableArrayRef(row).take_back(ofPiece),
               piece * ofPiece);
  }
  // All at once: waiting for what was read takes longer than slots behind the row are filled in.
  awaitReads(c);
  for (llvm::Value *index : slots)
    arriveAtEmpty(c, ring, index, c.b.getTrue());
  c.values[op] = std::move(row);
}

// Rows that are kept

/// Where the barriers of a room's slots lie: behind the slots.
static uint64_t keptBytes(nv::KeepRowOp op) {
  return llvm::cast<nv::SharedType>(op.getRoom().getType()).getSlotBytes() * op.getSlots();
}

/// One thread makes a barrier for each slot and begins all copies.
static void beginKeeping(KernelContext &c, nv::KeepRowOp op, llvm::Value *room) {
  auto slot = llvm::cast<nv::SharedType>(op.getRoom().getType());
  const unsigned elementBytes = tile::byteSizeOf(slot.getElementType());
  llvm::BasicBlock *begins = c.newBlock("begins_to_keep"), *after = c.newBlock("keeps");
  c.b.CreateCondBr(c.threads.isFirstThread(), begins, after);
  c.b.SetInsertPoint(begins);
  auto barrier = [&](unsigned i) {
    return c.b.CreateAdd(room, c.b.getInt32(keptBytes(op) + barrierBytes * i));
  };
  for (unsigned i = 0; i < op.getSlots(); ++i)
    emitPtx(c.b, "mbarrier.init.shared::cta.b64 [$0], 1;", nullptr, "r", {barrier(i)});
  emitPtx(c.b, "fence.mbarrier_init.release.cluster;");
  llvm::Value *rest = c.scalar(op.getCount());
  const uint64_t length = slot.getShape()[0];
  for (unsigned i = 0; i < op.getSlots(); ++i) {
    llvm::Value *count =
        c.b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, rest, c.b.getInt32(length));
    llvm::Value *bytes = c.b.CreateMul(count, c.b.getInt32(elementBytes));
    emitPtx(c.b, "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;", nullptr, "r,r",
            {barrier(i), bytes});
    llvm::Value *first = c.b.CreateGEP(c.b.getInt8Ty(), c.scalar(op.getFirst()),
                                       c.b.getInt64(length * elementBytes * i));
    emitPtx(c.b,
            "@$4 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [$0], [$1], $2, "
            "[$3];",
            nullptr, "r,l,r,r,b",
            {c.b.CreateAdd(room, c.b.getInt32(slot.getSlotBytes() * i)), first, bytes, barrier(i),
             c.b.CreateICmpNE(bytes, c.b.getInt32(0))});
    rest = c.b.CreateSub(rest, count);
  }
  c.b.CreateBr(after);
  c.b.SetInsertPoint(after);
}

/// What is not copied has its value before anybody reads.
static void fillKept(KernelContext &c, nv::KeepRowOp op, llvm::Value *room) {
  auto slot = llvm::cast<nv::SharedType>(op.getRoom().getType());
  Type element = slot.getElementType();
  llvm::Value *other = op.getOther() ? c.scalar(op.getOther()) : c.lanes.zero(element, 1);
  other = c.lanes.toMemory(other, element);
  llvm::Value *end = c.b.getInt32(slot.getShape()[0] * op.getSlots());
  llvm::Value *start = c.b.CreateAdd(c.scalar(op.getCount()), c.threads.thread());
  llvm::BasicBlock *before = c.b.GetInsertBlock(), *fills = c.newBlock("fills"),
                   *filled = c.newBlock("filled");
  c.b.CreateCondBr(c.b.CreateICmpULT(start, end), fills, filled);
  c.b.SetInsertPoint(fills);
  llvm::PHINode *at = c.b.CreatePHI(c.b.getInt32Ty(), 2);
  llvm::Value *offset = c.b.CreateMul(at, c.b.getInt32(tile::byteSizeOf(element)));
  c.shared.store(other, c.b.CreateAdd(room, offset), nullptr);
  llvm::Value *next = c.b.CreateAdd(at, c.b.getInt32(c.threads.count()));
  at->addIncoming(start, before);
  at->addIncoming(next, fills);
  c.b.CreateCondBr(c.b.CreateICmpULT(next, end), fills, filled);
  c.b.SetInsertPoint(filled);
}

void emitKeepRow(KernelContext &c, nv::KeepRowOp op) {
  awaitReads(c); // of scratch that was there
  llvm::Value *room =
      c.shared.allocate(keptBytes(op) + barrierBytes * op.getSlots(), op.getReserved());
  beginKeeping(c, op, room);
  fillKept(c, op, room);
  c.shared.barrier();
  c.values[op] = {room};
}

/// A slot is filled once, so that its barrier's first phase is over for good.
void emitReadKept(KernelContext &c, nv::ReadKeptOp op) {
  auto slot = llvm::cast<nv::SharedType>(op.getRoom().getType());
  llvm::Value *room = c.scalar(op.getRoom()), *index = c.scalar(op.getIndex());
  llvm::Value *barriers =
      c.b.CreateAdd(room, c.b.getInt32(keptBytes(op.getRoom().getDefiningOp<nv::KeepRowOp>())));
  awaitPhase(c.b, c.b.CreateAdd(barriers, c.b.CreateMul(index, c.b.getInt32(barrierBytes))),
             c.b.getInt32(0));
  llvm::Value *at = c.b.CreateAdd(room, c.b.CreateMul(index, c.b.getInt32(slot.getSlotBytes())));
  c.values[op] = readShared(c, op.getType(), slot, at);
}

} // namespace nereid::backend::nvptx
