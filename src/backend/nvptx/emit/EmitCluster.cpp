// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the blocks of a program tell one another: each writes what it has into the shared memory of
// all of them, where a barrier counts the bytes. No block waits for more than what it reads: a
// barrier of the cluster would have every thread wait until all that it wrote is seen by the whole
// GPU.
#include "backend/nvptx/emit/Emit.h"
#include "backend/nvptx/ptx/PtxAsm.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace mlir;

namespace nereid::backend::nvptx {

namespace {

constexpr uint64_t partBytes = 4, readBytes = 16; // the least that is sent, the most that is read

/// Where the parts of one value lie, behind one another.
uint64_t slotBytes(Value part) {
  return std::max<uint64_t>(partBytes, tile::byteSizeOf(part.getType()));
}
uint64_t roomBytes(Value part, unsigned blocks) {
  return llvm::alignTo(blocks * slotBytes(part), readBytes);
}
uint64_t roomBytes(nv::GatherBlocksOp op) {
  uint64_t bytes = 0;
  for (Value part : op.getParts())
    bytes += roomBytes(part, op.getBlocks());
  return bytes;
}

/// A block that has all parts of a round sends the next one's, which others may get before they
/// have all of this one: rounds take turns in two rooms with a barrier each. Two rounds ahead no
/// block is, since for the next one it needs the parts of all.
bool isRepeated(nv::GatherBlocksOp op) {
  return op->getParentOfType<LoopLikeOpInterface>() != nullptr;
}

unsigned rooms(nv::GatherBlocksOp op) { return isRepeated(op) ? 2 : 1; }

/// What the blocks send to one of them.
void expectParts(KernelContext &c, nv::GatherBlocksOp op, llvm::Value *barrier) {
  uint64_t bytes = 0;
  for (Value part : op.getParts())
    bytes += op.getBlocks() * slotBytes(part);
  emitPtx(c.b, "@$2 mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;", nullptr, "r,r,b",
          {barrier, c.b.getInt32(bytes), c.threads.isFirstThread()});
}

llvm::Type *wordType(KernelContext &c, Value part) { return c.b.getIntNTy(8 * slotBytes(part)); }

llvm::Value *toWord(KernelContext &c, Value part) {
  llvm::Value *value = c.lanes.toMemory(c.scalar(part), part.getType());
  const unsigned bits = value->getType()->getPrimitiveSizeInBits();
  return c.b.CreateZExt(c.b.CreateBitCast(value, c.b.getIntNTy(bits)), wordType(c, part));
}

llvm::Value *fromWord(KernelContext &c, llvm::Value *word, Type type) {
  llvm::Type *memory = c.lanes.memoryType(type);
  llvm::Value *bits = c.b.CreateTrunc(word, c.b.getIntNTy(memory->getPrimitiveSizeInBits()));
  return c.lanes.fromMemory(c.b.CreateBitCast(bits, memory), type);
}

llvm::Value *rankInCluster(KernelContext &c) {
  return c.b.CreateIntrinsic(c.b.getInt32Ty(), llvm::Intrinsic::nvvm_read_ptx_sreg_cluster_ctarank,
                             {});
}

void awaitBlocks(KernelContext &c) {
  c.b.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier_cluster_wait_aligned, {});
}

} // namespace

/// The rooms are below all that the block has for itself, which others must not write to. That its
/// barriers are there a block says at once, and others wait for it where they first send something,
/// if they surely do.
void beginCluster(KernelContext &c) {
  uint64_t bytes = 0;
  c.kernel.walk([&](nv::GatherBlocksOp op) {
    c.clusterRooms[op] = {bytes, nullptr};
    bytes += (readBytes + roomBytes(op)) * rooms(op);
    if (isRepeated(op)) {
      llvm::AllocaInst *round = c.lanes.stackSlot(c.b.getInt32Ty());
      c.b.CreateStore(c.b.getInt32(0), round);
      c.clusterRooms[op].turn = round;
    }
  });
  c.clusterRoom = c.shared.keep(bytes);
  c.kernel.walk([&](nv::GatherBlocksOp op) {
    for (unsigned room = 0; room < rooms(op); ++room) {
      const uint64_t at = c.clusterRooms.lookup(op).offset + room * (readBytes + roomBytes(op));
      llvm::Value *barrier = c.b.CreateAdd(c.clusterRoom, c.b.getInt32(at));
      emitPtx(c.b, "@$2 mbarrier.init.shared::cta.b64 [$0], $1;", nullptr, "r,r,b",
              {barrier, c.b.getInt32(1), c.threads.isFirstThread()});
      expectParts(c, op, barrier);
    }
  });
  emitPtx(c.b, "fence.mbarrier_init.release.cluster;");
  c.b.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier_cluster_arrive_relaxed_aligned, {});
  Block &body = c.kernel.getBody().front();
  auto gathers = body.getOps<nv::GatherBlocksOp>();
  c.clusterBegins = gathers.empty() ? nullptr : (*gathers.begin()).getOperation();
  c.kernel.walk<WalkOrder::PreOrder>([&](nv::GatherBlocksOp first) {
    if (first != c.clusterBegins)
      c.clusterBegins = nullptr;
    return WalkResult::interrupt();
  });
  if (!c.clusterBegins)
    awaitBlocks(c);
}

void emitBlockOfProgram(KernelContext &c, nv::BlockOfProgramOp op) {
  c.values[op.getResult()] = {rankInCluster(c)};
}

/// One thread for each block sends it this block's parts.
void emitGatherBlocks(KernelContext &c, nv::GatherBlocksOp op) {
  const unsigned blocks = op.getBlocks();
  auto [offset, round] = c.clusterRooms.lookup(op);
  llvm::Value *barrier = c.b.CreateAdd(c.clusterRoom, c.b.getInt32(offset));
  llvm::Value *parity = c.b.getInt32(0);
  if (round) {
    llvm::Value *now = c.b.CreateLoad(c.b.getInt32Ty(), round);
    barrier = c.b.CreateAdd(
        barrier, c.b.CreateMul(c.b.CreateAnd(now, 1), c.b.getInt32(readBytes + roomBytes(op))));
    parity = c.b.CreateAnd(c.b.CreateLShr(now, 1), 1);
    c.b.CreateStore(c.b.CreateAdd(now, c.b.getInt32(1)), round);
  }
  llvm::Value *room = c.b.CreateAdd(barrier, c.b.getInt32(readBytes));
  if (op == c.clusterBegins)
    awaitBlocks(c);
  llvm::Value *own = rankInCluster(c);
  llvm::Value *sends = c.b.CreateICmpULT(c.threads.thread(), c.b.getInt32(blocks));
  llvm::Value *place = room;
  for (Value part : op.getParts()) {
    const bool isLong = slotBytes(part) > partBytes;
    llvm::Value *at = c.b.CreateAdd(place, c.b.CreateMul(own, c.b.getInt32(slotBytes(part))));
    emitPtx(c.b,
            std::string("{\n\t.reg .b32 a, m;\n\tmapa.shared::cluster.u32 a, $0, $2;\n\t"
                        "mapa.shared::cluster.u32 m, $1, $2;\n\t@$4 "
                        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.") +
                (isLong ? "b64" : "b32") + " [a], $3, [m];\n\t}",
            nullptr, isLong ? "r,r,r,l,b" : "r,r,r,r,b",
            {at, barrier, c.threads.thread(), toWord(c, part), sends});
    place = c.b.CreateAdd(place, c.b.getInt32(roomBytes(part, blocks)));
  }
  c.shared.countBarrier();
  emitPtx(c.b,
          "{\n\t.reg .pred p;\nWAIT:\n\tmbarrier.try_wait.parity.shared::cta.b64 p, [$0], $1;\n\t"
          "@!p bra WAIT;\n\t}",
          nullptr, "r,r", {barrier, parity});
  if (round)
    expectParts(c, op, barrier);
  place = room;
  auto result = op.getResults().begin();
  for (Value part : op.getParts()) {
    const unsigned together = std::min<unsigned>(blocks, readBytes / slotBytes(part));
    llvm::Type *several = llvm::FixedVectorType::get(wordType(c, part), together);
    c.shared.countAccesses(blocks / together);
    for (unsigned first = 0; first < blocks; first += together) {
      llvm::Value *read =
          c.b.CreateAlignedLoad(several, c.shared.pointer(place, first * slotBytes(part)),
                                llvm::Align(together * slotBytes(part)));
      for (unsigned i = 0; i < together; ++i)
        c.values[*result++] = {fromWord(c, c.b.CreateExtractElement(read, i), part.getType())};
    }
    place = c.b.CreateAdd(place, c.b.getInt32(roomBytes(part, blocks)));
  }
}

} // namespace nereid::backend::nvptx
