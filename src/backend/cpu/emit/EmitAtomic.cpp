// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomics, one lane at a time, and the order among accesses (docs/memory-model.md).
#include "backend/cpu/emit/KernelEmitter.h"
#include "backend/llvm/AtomicLoads.h"

#include "support/Check.h"

#include "llvm/Transforms/Utils/LowerAtomic.h"

using namespace mlir;

namespace nereid::backend::cpu {

static llvm::AtomicOrdering orderingOf(const tile::Access &access) {
  if (access.acquires)
    return access.releases ? llvm::AtomicOrdering::AcquireRelease : llvm::AtomicOrdering::Acquire;
  return access.releases ? llvm::AtomicOrdering::Release : llvm::AtomicOrdering::Monotonic;
}

static llvm::AtomicRMWInst::BinOp instructionOf(tile::AtomicKind kind) {
  using enum llvm::AtomicRMWInst::BinOp;
  switch (kind) {
  case tile::AtomicKind::Add:
    return Add;
  case tile::AtomicKind::FAdd:
    return FAdd;
  case tile::AtomicKind::SignedMax:
    return Max;
  case tile::AtomicKind::SignedMin:
    return Min;
  case tile::AtomicKind::UnsignedMax:
    return UMax;
  case tile::AtomicKind::UnsignedMin:
    return UMin;
  case tile::AtomicKind::And:
    return And;
  case tile::AtomicKind::Or:
    return Or;
  case tile::AtomicKind::Xor:
    return Xor;
  case tile::AtomicKind::Exchange:
    return Xchg;
  case tile::AtomicKind::CountUp:
    return UIncWrap;
  case tile::AtomicKind::CountDown:
    return UDecWrap;
  }
  NEREID_UNREACHABLE("atomic kind");
}

/// A 16-bit float has no atomic addition in hardware: try until nobody came between.
llvm::Value *KernelEmitter::atomicAddSmallFloat(tile::AtomicRmwOp op, llvm::Value *address,
                                                llvm::Value *value) {
  Type element = tile::elementOf(op.getValue().getType());
  llvm::Align align(tile::byteSizeOf(element));
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
  llvm::Value *exchange =
      b.CreateAtomicCmpXchg(address, expected, desired, align, orderingOf(op.getAccess()),
                            llvm::AtomicOrdering::Monotonic);
  llvm::Value *found = b.CreateExtractValue(exchange, 0);
  expected->addIncoming(found, attempt);
  b.CreateCondBr(b.CreateExtractValue(exchange, 1), done, attempt);
  b.SetInsertPoint(done);
  return found;
}

llvm::Value *KernelEmitter::atomicCombine(tile::AtomicRmwOp op, llvm::Value *address,
                                          llvm::Value *value) {
  Type element = tile::elementOf(op.getValue().getType());
  bool isSmallFloat = op.getKind() == tile::AtomicKind::FAdd && tile::byteSizeOf(element) == 2;
  // Memory of the program is seen by one thread of the machine alone: nobody comes between.
  bool isOwn = tile::ownMemoryOf(op.getPointer()) && !isSmallFloat;
  if (isLoad(op) || isOwn) {
    llvm::LoadInst *load =
        b.CreateAlignedLoad(value->getType(), address, llvm::Align(tile::byteSizeOf(element)));
    if (!isOwn)
      load->setAtomic(orderingOf(op.getAccess()));
    if (!isLoad(op))
      b.CreateStore(llvm::buildAtomicRMWValue(instructionOf(op.getKind()), b, load, value),
                    address);
    return load;
  }
  if (isSmallFloat)
    return atomicAddSmallFloat(op, address, value);
  return b.CreateAtomicRMW(instructionOf(op.getKind()), address, value,
                           llvm::Align(tile::byteSizeOf(element)), orderingOf(op.getAccess()));
}

/// Bits are compared, not numbers: floats go through integers.
llvm::Value *KernelEmitter::atomicSwap(tile::AtomicCasOp op, llvm::Value *address,
                                       llvm::Value *expected, llvm::Value *value) {
  unsigned bytes = tile::byteSizeOf(tile::elementOf(op.getValue().getType()));
  llvm::Type *type = value->getType(), *bits = b.getIntNTy(8 * bytes);
  if (tile::ownMemoryOf(op.getPointer())) {
    llvm::Value *found = b.CreateAlignedLoad(bits, address, llvm::Align(bytes));
    llvm::Value *isExpected = b.CreateICmpEQ(found, b.CreateBitCast(expected, bits));
    b.CreateAlignedStore(b.CreateSelect(isExpected, b.CreateBitCast(value, bits), found), address,
                         llvm::Align(bytes));
    return b.CreateBitCast(found, type);
  }
  llvm::AtomicOrdering order = orderingOf(op.getAccess());
  llvm::Value *exchange = b.CreateAtomicCmpXchg(
      address, b.CreateBitCast(expected, bits), b.CreateBitCast(value, bits), llvm::Align(bytes),
      order, llvm::AtomicCmpXchgInst::getStrongestFailureOrdering(order));
  return b.CreateBitCast(b.CreateExtractValue(exchange, 0), type);
}

/// Lane after lane. `act` gets the lane of each operand, the pointer first, and gives the element
/// that was there; where the mask is false, the pointer leads to nothing that anybody reads.
void KernelEmitter::emitAtomicLanes(
    Operation *op, llvm::function_ref<llvm::Value *(llvm::ArrayRef<llvm::Value *>)> act) {
  tile::Access access = tile::accessOf(op);
  Value result = op->getResult(0);
  llvm::ArrayRef<int64_t> shape = tile::shapeOf(result.getType());
  Type element = tile::elementOf(result.getType());
  llvm::SmallVector<unsigned, 4> order(
      llvm::to_vector_of<unsigned>(llvm::seq<unsigned>(0, shape.size())));
  Nest nest(*this, shape, order, shape.empty() ? 0 : shape.size() - 1, /*width=*/1);
  nest.emit([&] {
    Coordinates at = nest.identity();
    llvm::SmallVector<llvm::Value *, 4> operands;
    for (Value operand : op->getOperands())
      operands.push_back(nest.evaluate(operand, at).base);
    llvm::Value *mask = access.mask ? nest.evaluate(access.mask, at).base : nullptr;
    if (mask)
      operands[0] = b.CreateSelect(mask, operands[0], sink);
    llvm::Value *old = act(operands);
    if (mask)
      old = b.CreateSelect(mask, old, laneBuilder.zero(element, 1));
    if (shape.empty())
      scalars[result] = old;
    else if (!result.use_empty())
      nest.writeScratch(plan.offsetOf(result), shape, element, at, old);
  });
}

void KernelEmitter::emitAtomic(tile::AtomicRmwOp op) {
  emitAtomicLanes(op, [&](llvm::ArrayRef<llvm::Value *> operands) {
    return atomicCombine(op, operands[0], operands[1]);
  });
}

void KernelEmitter::emitAtomicCas(tile::AtomicCasOp op) {
  emitAtomicLanes(op, [&](llvm::ArrayRef<llvm::Value *> operands) {
    return atomicSwap(op, operands[0], operands[1], operands[2]);
  });
}

/// The runtime runs other programs, and comes back when all have come to such a place.
void KernelEmitter::emitSyncGrid(tile::SyncThreadsOp) {
  auto *type = llvm::FunctionType::get(b.getVoidTy(), {}, false);
  b.CreateCall(module.getOrInsertFunction("nereidSyncGrid", type), {});
}

void KernelEmitter::emitBarrier(Operation *) {
  b.CreateFence(llvm::AtomicOrdering::AcquireRelease);
}

} // namespace nereid::backend::cpu
