// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stores that pass the caches by: a plain store first reads the line that it overwrites, a third of
// what a sum of two arrays moves. Worth it where a launch writes more than caches keep for a
// reader; what the kernel itself reads again is left in them.
#include "analysis/Aliasing.h"
#include "analysis/Strides.h"
#include "backend/cpu/emit/KernelEmitter.h"
#include "backend/llvm/TripCount.h"
#include "dialect/tile/Access.h"
#include "dialect/tile/Remark.h"
#include "dialect/tile/SourcePlace.h"

#include "llvm/IR/IntrinsicsX86.h"

using namespace mlir;

namespace nereid::backend::cpu {

/// What a launch must write by a store. On 16 cores of a Xeon (2 MiB of second-level cache each)
/// copies and sums took 0.8 of the time from 8 MiB on and 0.7 from 32 MiB on, and more below 4 MiB;
/// on one core 0.6 from 16 MiB on. Twice what gained at least, for the sake of a kernel that comes
/// next and reads it.
static constexpr int64_t leastStreamed = int64_t(16) << 20;

/// What a row of a tile that begins anywhere must have at least. Each end that lies within a line
/// is written by itself, and memory reads the line for it: a product of 16 x 512 x 500 x 128 in
/// tiles of 128 columns took 36 ms so, and 20 by plain stores, on one core. With this much two of
/// 64 lines are such.
static constexpr int64_t leastRow = 4096;

/// Of the longest row, neighbours in memory.
static int64_t rowBytes(Value pointer, int64_t elementBytes) {
  int64_t longest = 1;
  for (auto [dim, size] : llvm::enumerate(tile::shapeOf(pointer.getType())))
    if (analysis::strideAlong(pointer, dim) == 1)
      longest = std::max(longest, size);
  return longest * elementBytes;
}

/// Kernels with more loads than this are not looked through for each of their stores.
static constexpr size_t mostReads = 64;

/// Nobody in the kernel may read what is written, and nothing may be ordered behind it before the
/// fence at the kernel's end: these stores are seen in any order.
bool KernelEmitter::mayStream(tile::StoreOp store) {
  if (!readers) {
    readers.emplace();
    function.getBody().walk([&](Operation *op) {
      tile::Access access = tile::accessOf(op);
      if (access.isOrdered() || access.reads)
        readers->push_back(op);
    });
  }
  if (readers->size() > mostReads) {
    tile::remark(store, RemarkId::store_not_streamed,
                 llvm::formatv("the kernel has more than {0} loads", mostReads).str());
    return false;
  }
  analysis::Aliasing aliasing(function);
  for (Operation *reader : *readers) {
    tile::Access access = tile::accessOf(reader);
    if (!access.isOrdered() && !aliasing.mayMeet(access.pointer, store.getPointer()))
      continue;
    std::string place = tile::placeText(reader->getLoc());
    tile::remark(store, RemarkId::store_not_streamed,
                 access.isOrdered() ? "others may wait for what stands at " + place
                                    : "what stands at " + place + " may read what it writes");
    return false;
  }
  return true;
}

/// The bits of an address that must be zero for a store to stream: those inside a small register,
/// or a line where rows are short, or, where the launch writes too little, all, which no address
/// is.
Nest::Streaming KernelEmitter::streamingOf(tile::StoreOp store) {
  Type type = store.getPointer().getType(), element = tile::elementOf(store.getValue().getType());
  if (!tile::isTile(type))
    return {};
  int64_t bytes = tile::elementCount(type) * tile::byteSizeOf(element);
  // Of short rows whole lines alone, which are what a register of AVX-512 holds. What has one row
  // goes on where the program before ended.
  bool isShort = tile::shapeOf(type).size() > 1 &&
                 rowBytes(store.getPointer(), tile::byteSizeOf(element)) < leastRow;
  if (bytes < target.vectorBytes || (isShort && target.vectorBytes < lineBytes))
    return {};
  auto [answer, isNew] = mayBeStreamed.try_emplace(store, false);
  if (isNew)
    answer->second = mayStream(store);
  if (!answer->second)
    return {};
  llvm::Value *written = b.getInt64(bytes);
  for (llvm::Value *extent : gridSize)
    written = b.CreateMul(written, b.CreateZExt(extent, b.getInt64Ty()));
  for (Operation *parent = store->getParentOp(); parent != function.getOperation();
       parent = parent->getParentOp())
    if (auto loop = llvm::dyn_cast<scf::ForOp>(parent)) {
      llvm::Value *rounds = tripCount(b, scalar(loop.getLowerBound()), scalar(loop.getUpperBound()),
                                      scalar(loop.getStep()), loop.getUnsignedCmp());
      written = b.CreateMul(written, b.CreateZExtOrTrunc(rounds, b.getInt64Ty()));
    }
  llvm::Value *isLarge = b.CreateICmpUGE(written, b.getInt64(leastStreamed));
  if (!hasStreamed) {
    hasStreamed = laneBuilder.stackSlot(b.getInt1Ty());
    llvm::IRBuilder<> atEntry(hasStreamed->getNextNode());
    atEntry.CreateStore(atEntry.getFalse(), hasStreamed);
  }
  b.CreateStore(b.CreateOr(b.CreateLoad(b.getInt1Ty(), hasStreamed), isLarge), hasStreamed);
  unsigned unit = isShort ? lineBytes : Nest::leastStreamedBytes;
  return {b.CreateSelect(isLarge, b.getInt64(unit - 1), b.getInt64(-1)), unit};
}

/// Before anybody is told that the programs are done. Where nothing passed the caches by there is
/// nothing to wait for: the fence would drain the stores of a launch of few elements, a sixth of
/// its time.
void KernelEmitter::emitStreamFence() {
  if (!hasStreamed)
    return;
  llvm::BasicBlock *fence = newBlock("fence"), *done = newBlock("done");
  b.CreateCondBr(b.CreateLoad(b.getInt1Ty(), hasStreamed), fence, done);
  b.SetInsertPoint(fence);
  b.CreateIntrinsic(b.getVoidTy(), llvm::Intrinsic::x86_sse_sfence, {});
  b.CreateBr(done);
  b.SetInsertPoint(done);
}

} // namespace nereid::backend::cpu
