// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stores that pass the caches by: a plain store first reads the line that it overwrites, a third of what a
// sum of two arrays moves. Worth it where a launch writes more than caches keep for a reader; what the
// kernel itself reads again is left in them.
#include "analysis/Aliasing.h"
#include "backend/cpu/KernelEmitter.h"
#include "backend/llvm/TripCount.h"
#include "dialect/tile/Access.h"

#include "llvm/IR/IntrinsicsX86.h"

using namespace mlir;

namespace nereid::backend::cpu {

/// What a launch must write by a store. On 16 cores of a Xeon (2 MiB of second-level cache each) copies and
/// sums took 0.8 of the time from 8 MiB on and 0.7 from 32 MiB on, and more below 4 MiB; on one core 0.6 from
/// 16 MiB on. Twice what gained at least, for the sake of a kernel that comes next and reads it.
static constexpr int64_t leastStreamed = int64_t(16) << 20;

/// Kernels with more loads than this are not looked through for each of their stores.
static constexpr size_t mostReads = 64;

/// Nobody in the kernel may read what is written, and nothing may be ordered behind it before the fence
/// at the kernel's end: these stores are seen in any order.
bool KernelEmitter::mayStream(tile::StoreOp store) {
  if (!reads) {
    reads.emplace();
    function.getBody().walk([&](Operation *op) {
      tile::Access access = tile::accessOf(op);
      if (access.isOrdered())
        reads->push_back(nullptr); // meets any pointer
      else if (access.reads)
        reads->push_back(access.pointer);
    });
  }
  analysis::Aliasing aliasing(function);
  return reads->size() <= mostReads && llvm::none_of(*reads, [&](Value read) {
    return aliasing.mayMeet(read, store.getPointer());
  });
}

/// The bits of an address that must be zero for a store to stream: those inside a small register, or, where
/// the launch writes too little, all, which no address is.
llvm::Value *KernelEmitter::streamedBits(tile::StoreOp store) {
  Type type = store.getPointer().getType(), element = tile::elementOf(store.getValue().getType());
  if (!tile::isTile(type) || !mayStream(store))
    return nullptr;
  int64_t bytes = tile::elementCount(type) * tile::byteSizeOf(element);
  llvm::Value *written = b.getInt64(bytes);
  for (llvm::Value *extent : gridSize)
    written = b.CreateMul(written, b.CreateZExt(extent, b.getInt64Ty()));
  for (Operation *parent = store->getParentOp(); parent != function.getOperation(); parent = parent->getParentOp())
    if (auto loop = llvm::dyn_cast<scf::ForOp>(parent)) {
      llvm::Value *rounds =
          tripCount(b, scalar(loop.getLowerBound()), scalar(loop.getUpperBound()),
                    scalar(loop.getStep()), loop.getUnsignedCmp());
      written = b.CreateMul(written, b.CreateZExtOrTrunc(rounds, b.getInt64Ty()));
    }
  streams = true;
  return b.CreateSelect(b.CreateICmpUGE(written, b.getInt64(leastStreamed)),
                        b.getInt64(Nest::leastStreamedBytes - 1), b.getInt64(-1));
}

/// Before anybody is told that the programs are done.
void KernelEmitter::emitStreamFence() {
  if (streams)
    b.CreateIntrinsic(b.getVoidTy(), llvm::Intrinsic::x86_sse_sfence, {});
}

} // namespace nereid::backend::cpu
