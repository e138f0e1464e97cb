// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies from global into shared memory, past registers (cp.async).
#include "backend/gpu/emit/RegisterAddresses.h"
#include "backend/nvptx/emit/Emit.h"
#include "backend/nvptx/ptx/GlobalAccess.h"
#include "backend/nvptx/ptx/PtxAsm.h"
#include "support/Check.h"

using namespace mlir;

namespace nereid::backend::nvptx {

static void emitAsyncCopy(KernelContext &c, llvm::Value *target, llvm::Value *source,
                          llvm::Value *inside, unsigned bytes, llvm::Value *isActing);

/// What is sent from a room is on its way until it is read.
void emitFree(KernelContext &c, nv::FreeOp op) {
  if (llvm::any_of(op.getRoom().getDefiningOp()->getUsers(), llvm::IsaPred<nv::SendOp>))
    awaitSent(c, 0, /*isRead=*/true);
  gpu::emitFree(c, op);
}

void publish(KernelContext &c) { c.instructions->publishShared(c.b); }

void emitCopy(KernelContext &c, nv::CopyOp op) {
  auto room = llvm::cast<nv::SharedType>(op.getTarget().getType());
  const layout::LinearLayout &layout = nv::layoutOf(op.getPointer());
  Type element = room.getElementType();
  unsigned bytes = tile::byteSizeOf(element);
  const unsigned together = std::min(registersTogether(c, op.getPointer(), op.maskOfRuns()),
                                     unsigned(op.getTogether().value_or(UINT32_MAX)));
  layout::LinearLayout offsets = layout.then(room.getLayout().inverse());
  auto over = [&](const char *space) {
    return std::vector(offsets.bases(space).begin(), offsets.bases(space).end());
  };
  layout::ThreadMap ofThread = layout::scaled({over(layout::Lane), over(layout::Warp)}, bytes);
  llvm::Value *isActing = c.threads.isFirstHolder(layout);
  RegisterAddresses addresses(c.b, op.getPointer(), c.registersOf(op.getPointer()));
  for (unsigned reg = 0; reg < registerCount(op.getPointer().getType()); reg += together) {
    auto [place, rest] = c.threads.applyAndOffset(ofThread, offsets(reg) * bytes);
    llvm::Value *target = c.b.CreateAdd(c.scalar(op.getTarget()), place);
    llvm::Value *inside = c.b.getInt32(together * bytes);
    if (op.getLeft())
      inside = c.b.CreateMul(c.b.CreateBinaryIntrinsic(llvm::Intrinsic::umin,
                                                       c.registersOf(op.getLeft())[reg],
                                                       c.b.getInt32(together)),
                             c.b.getInt32(bytes));
    inside = c.b.CreateSelect(c.registersOf(op.getMask())[reg], inside, c.b.getInt32(0));
    emitAsyncCopy(c, c.b.CreateAdd(target, c.b.getInt32(rest)), addresses[reg], inside,
                  together * bytes, isActing);
  }
}

/// So many bytes as are `inside`, and zeros behind; nothing where `isActing`, which may be null, is
/// false.
static void emitAsyncCopy(KernelContext &c, llvm::Value *target, llvm::Value *source,
                          llvm::Value *inside, unsigned bytes, llvm::Value *isActing) {
  NEREID_CHECK(bytes == 4 || bytes == 8 || bytes == 16, "cp.async copies 4, 8 or 16 bytes");
  llvm::SmallVector<llvm::Value *, 4> operands = {target, source, inside};
  std::string text = std::string("cp.async.") + (bytes == 16 ? "cg" : "ca") +
                     ".shared.global [$0], [$1], " + std::to_string(bytes) + ", $2;";
  std::string constraints = "r,l,r";
  if (isActing) {
    text = "@$3 " + text;
    constraints += ",b";
    operands.push_back(isActing);
  }
  emitPtx(c.b, text, nullptr, constraints, operands);
}

void emitCommitCopies(KernelContext &c, nv::CommitCopiesOp) {
  emitPtx(c.b, "cp.async.commit_group;");
}

void emitAwaitCopies(KernelContext &c, nv::AwaitCopiesOp op) {
  emitPtx(c.b, "cp.async.wait_group " + std::to_string(op.getPending()) + ";");
  publish(c);
  c.shared.barrier();
}

} // namespace nereid::backend::nvptx
