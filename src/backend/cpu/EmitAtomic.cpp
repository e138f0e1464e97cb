// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomics, one lane at a time, and the order among accesses (docs/memory-model.md).
#include "backend/cpu/KernelEmitter.h"

using namespace mlir;

namespace nereid::backend::cpu {

static llvm::AtomicOrdering orderingOf(const tile::Access &access) {
  if (access.acquires)
    return access.releases ? llvm::AtomicOrdering::AcquireRelease : llvm::AtomicOrdering::Acquire;
  return access.releases ? llvm::AtomicOrdering::Release : llvm::AtomicOrdering::Monotonic;
}

/// A 16-bit float has no atomic addition in hardware: try until nobody came between.
llvm::Value *KernelEmitter::atomicAdd(tile::AtomicRmwOp op, llvm::Value *address,
                                      llvm::Value *value) {
  Type element = tile::elementOf(op.getValue().getType());
  llvm::AtomicOrdering order = orderingOf(op.getAccess());
  llvm::Align align(tile::byteSizeOf(element));
  bool isFloat = op.getKind() == tile::AtomicKind::FAdd;
  bool isSmallFloat = isFloat && element.getIntOrFloatBitWidth() == 16;
  if (!isSmallFloat) {
    auto operation = isFloat ? llvm::AtomicRMWInst::FAdd : llvm::AtomicRMWInst::Add;
    return b.CreateAtomicRMW(operation, address, value, align, order);
  }
  llvm::BasicBlock *before = b.GetInsertBlock(), *attempt = newBlock("atomic"),
                   *done = newBlock("atomic.end");
  llvm::LoadInst *first = b.CreateAlignedLoad(b.getInt16Ty(), address, align);
  first->setAtomic(llvm::AtomicOrdering::Monotonic);
  b.CreateBr(attempt);
  b.SetInsertPoint(attempt);
  llvm::PHINode *expected = b.CreatePHI(b.getInt16Ty(), 2);
  expected->addIncoming(first, before);
  llvm::Value *sum =
      b.CreateFAdd(laneBuilder.toFloat32(expected, element), laneBuilder.toFloat32(value, element));
  llvm::Value *desired = laneBuilder.fromFloat32(sum, element);
  llvm::Value *exchange = b.CreateAtomicCmpXchg(address, expected, desired, align, order,
                                                llvm::AtomicOrdering::Monotonic);
  llvm::Value *found = b.CreateExtractValue(exchange, 0);
  expected->addIncoming(found, attempt);
  b.CreateCondBr(b.CreateExtractValue(exchange, 1), done, attempt);
  b.SetInsertPoint(done);
  return found;
}

void KernelEmitter::emitAtomic(Operation *op) {
  auto atomic = llvm::cast<tile::AtomicRmwOp>(op);
  llvm::ArrayRef<int64_t> shape = tile::shapeOf(atomic.getPointer().getType());
  Type element = tile::elementOf(atomic.getValue().getType());
  llvm::SmallVector<unsigned, 4> order(
      llvm::to_vector_of<unsigned>(llvm::seq<unsigned>(0, shape.size())));
  Nest nest(*this, shape, order, shape.empty() ? 0 : shape.size() - 1, /*width=*/1);
  nest.emit([&] {
    Coordinates at = nest.identity();
    llvm::Value *address = nest.evaluate(atomic.getPointer(), at).base;
    llvm::Value *value = nest.evaluate(atomic.getValue(), at).base;
    llvm::Value *mask = atomic.getMask() ? nest.evaluate(atomic.getMask(), at).base : nullptr;
    if (mask)
      address = b.CreateSelect(mask, address, sink);
    llvm::Value *old = atomicAdd(atomic, address, value);
    if (mask)
      old = b.CreateSelect(mask, old, laneBuilder.zero(element, 1));
    if (shape.empty())
      scalars[atomic.getResult()] = old;
    else if (!atomic.getResult().use_empty())
      nest.writeScratch(plan.offsetOf(atomic.getResult()), shape, element, at, old);
  });
}

void KernelEmitter::emitBarrier(Operation *) {
  b.CreateFence(llvm::AtomicOrdering::AcquireRelease);
}

} // namespace nereid::backend::cpu
