// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies from global into shared memory, past registers (cp.async).
#include "backend/gpu/emit/RegisterAddresses.h"
#include "backend/nvptx/emit/KernelEmitter.h"
#include "backend/nvptx/ptx/GlobalAccess.h"
#include "backend/nvptx/ptx/PtxAsm.h"

using namespace mlir;

namespace nereid::backend::nvptx {

/// What is sent from a room is on its way until it is read.
void KernelEmitter::emitFree(nv::FreeOp op) {
  if (llvm::any_of(op.getRoom().getDefiningOp()->getUsers(), llvm::IsaPred<nv::SendOp>))
    awaitSent(0, /*isRead=*/true);
  TileEmitter::emitFree(op);
}

void KernelEmitter::publish() { instructions->publishShared(b); }

void KernelEmitter::emitCopy(nv::CopyOp op) {
  auto room = llvm::cast<nv::SharedType>(op.getTarget().getType());
  const layout::LinearLayout &layout = nv::layoutOf(op.getPointer());
  Type element = room.getElementType();
  unsigned bytes = tile::byteSizeOf(element);
  unsigned together = registersTogether(op.getPointer(), op.getMask());
  layout::LinearLayout offsets = layout.then(room.getLayout().inverse());
  auto over = [&](const char *space) {
    return std::vector(offsets.bases(space).begin(), offsets.bases(space).end());
  };
  layout::ThreadMap ofThread = layout::scaled({over(layout::Lane), over(layout::Warp)}, bytes);
  llvm::Value *isActing = threads.isFirstHolder(layout);
  RegisterAddresses addresses(b, op.getPointer(), registersOf(op.getPointer()));
  for (unsigned reg = 0; reg < registerCount(op.getPointer().getType()); reg += together) {
    auto [place, rest] = threads.applyAndOffset(ofThread, offsets(reg) * bytes);
    llvm::Value *target = b.CreateAdd(scalar(op.getTarget()), place);
    emitAsyncCopy(b.CreateAdd(target, b.getInt32(rest)), addresses[reg],
                  registersOf(op.getMask())[reg], together * bytes, isActing);
  }
}

/// Zeros where `mask` is false; nothing where `isActing` is, which may be null.
void KernelEmitter::emitAsyncCopy(llvm::Value *target, llvm::Value *source, llvm::Value *mask,
                                  unsigned bytes, llvm::Value *isActing) {
  NEREID_CHECK(bytes == 4 || bytes == 8 || bytes == 16, "cp.async copies 4, 8 or 16 bytes");
  llvm::SmallVector<llvm::Value *, 4> operands = {
      target, source, b.CreateSelect(mask, b.getInt32(bytes), b.getInt32(0))};
  std::string text = std::string("cp.async.") + (bytes == 16 ? "cg" : "ca") +
                     ".shared.global [$0], [$1], " + std::to_string(bytes) + ", $2;";
  std::string constraints = "r,l,r";
  if (isActing) {
    text = "@$3 " + text;
    constraints += ",b";
    operands.push_back(isActing);
  }
  emitPtx(b, text, nullptr, constraints, operands);
}

void KernelEmitter::emitCommitCopies(nv::CommitCopiesOp) { emitPtx(b, "cp.async.commit_group;"); }

void KernelEmitter::emitAwaitCopies(nv::AwaitCopiesOp op) {
  emitPtx(b, "cp.async.wait_group " + std::to_string(op.getPending()) + ";");
  publish();
  shared.barrier();
}

} // namespace nereid::backend::nvptx
