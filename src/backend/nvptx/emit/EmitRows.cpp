// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows that come through a ring in pieces, or are asked for beforehand.
#include "backend/nvptx/emit/KernelEmitter.h"
#include "backend/nvptx/ptx/PtxAsm.h"
#include "support/Check.h"

using namespace mlir;

namespace nereid::backend::nvptx {

void KernelEmitter::emitFetchRow(nv::FetchRowOp op) {
  auto type = llvm::cast<nv::SharedType>(op.getRing().getType());
  unsigned elementBytes = tile::byteSizeOf(type.getElementType());
  uint64_t length = type.getBytes() / elementBytes; // of a piece
  Registers rest = {scalar(op.getCount()), scalar(op.getFirst())};
  emitRounds(op.getSlots(), rest, [&](llvm::Value *) {
    llvm::Value *count =
        b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, rest[0], b.getInt32(length));
    llvm::Value *bytes = b.CreateMul(count, b.getInt32(elementBytes));
    EmptySlot slot = awaitEmptySlot(op.getRing(), bytes);
    emitPtx(b,
            "@$4 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [$0], [$1], $2, "
            "[$3];",
            nullptr, "r,l,r,r,b",
            {slot.address, rest[1], bytes, slot.full, b.CreateICmpNE(bytes, b.getInt32(0))});
    rest[0] = b.CreateSub(rest[0], count);
    rest[1] = b.CreateGEP(b.getInt8Ty(), rest[1], b.getInt64(type.getBytes()));
  });
}

void KernelEmitter::emitPrefetchRow(nv::PrefetchRowOp op) {
  unsigned elementBytes = tile::byteSizeOf(tile::pointeeOf(op.getFirst().getType()));
  llvm::Value *bytes = b.CreateMul(scalar(op.getCount()), b.getInt32(elementBytes));
  llvm::Value *isThere =
      b.CreateAnd(scalar(op.getCondition()), b.CreateICmpNE(bytes, b.getInt32(0)));
  shared.beforeNextBarrier([this, bytes, first = scalar(op.getFirst()),
                            asks = b.CreateAnd(isThere, threads.isFirstThread())] {
    emitPtx(b, "@$2 cp.async.bulk.prefetch.L2.global [$0], $1;", nullptr, "l,r,b",
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
void KernelEmitter::fillBehind(nv::ReadRowOp op, unsigned together,
                               llvm::MutableArrayRef<llvm::Value *> piece, unsigned first) {
  auto slot = llvm::cast<nv::SharedType>(op.getRing().getType());
  llvm::Value *count = scalar(op.getCount());
  int64_t end = (first / piece.size() + 1) * slot.getShape()[0];
  llvm::BasicBlock *before = b.GetInsertBlock(), *partly = newBlock("partly_fetched"),
                   *filled = newBlock("filled");
  b.CreateCondBr(b.CreateICmpSLT(count, b.getInt32(end)), partly, filled);
  b.SetInsertPoint(partly);
  Registers values;
  llvm::Value *isFetched = nullptr;
  for (unsigned i = 0; i < piece.size(); ++i) {
    if (i % together == 0)
      isFetched =
          b.CreateICmpSLT(threads.coordinate(nv::layoutOf(op.getType()), 0, first + i), count);
    llvm::Value *other = op.getOther() ? registersOf(op.getOther())[first + i]
                                       : lanes.zero(slot.getElementType(), 1);
    values.push_back(b.CreateSelect(isFetched, piece[i], other));
  }
  llvm::BasicBlock *last = b.GetInsertBlock();
  b.CreateBr(filled);
  b.SetInsertPoint(filled);
  for (auto [value, own] : llvm::zip(values, piece)) {
    llvm::PHINode *phi = b.CreatePHI(value->getType(), 2);
    phi->addIncoming(own, before);
    phi->addIncoming(value, last);
    own = phi;
  }
}

void KernelEmitter::emitReadRow(nv::ReadRowOp op) {
  auto slot = llvm::cast<nv::SharedType>(op.getRing().getType());
  const RingState &ring = rings.find(op.getRing())->second;
  Type element = slot.getElementType();
  unsigned bytes = tile::byteSizeOf(element);
  layout::SharedAccess access = layout::vectorAccess(
      pieceLayout(nv::layoutOf(op.getType()), slot.getShape()[0]), slot.getLayout(), bytes);
  unsigned ofPiece = registerCount(op.getType()) / op.getSlots();
  Registers row, slots;
  for (unsigned piece = 0; piece < op.getSlots(); ++piece) {
    slots.push_back(awaitSlot(ring));
    llvm::Value *at = b.CreateAdd(scalar(op.getRing()),
                                  b.CreateMul(slots.back(), b.getInt32(slot.getSlotBytes())));
    row.append(loadShared(access, at, ofPiece, element));
    // While later pieces are on their way.
    fillBehind(op, access.elements, llvm::MutableArrayRef(row).take_back(ofPiece), piece * ofPiece);
  }
  // All at once: waiting for what was read takes longer than slots behind the row are filled in.
  awaitReads();
  for (llvm::Value *index : slots)
    arriveAtEmpty(ring, index, b.getTrue());
  values[op] = std::move(row);
}

} // namespace nereid::backend::nvptx
