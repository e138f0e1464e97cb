// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads and stores of global memory: neighbouring registers of a thread whose addresses are
// neighbours travel together, up to 16 bytes, under one predicate.
#include "backend/gpu/emit/TileEmitter.h"

#include "analysis/Aliasing.h"
#include "backend/gpu/layouts/AccessWidth.h"
#include "backend/gpu/emit/DecidesBranches.h"
#include "backend/gpu/emit/RegisterAddresses.h"

using namespace mlir;

namespace nereid::backend::gpu {

unsigned TileEmitter::registersTogether(Value pointer, Value mask) {
  return gpu::registersTogether(axes, pointer, mask);
}

void TileEmitter::emitLoad(tile::LoadOp op) {
  Type element = tile::elementOf(op.getType());
  unsigned count = registerCount(op.getType());
  unsigned together = registersTogether(op.getPointer(), op.getMask());
  RegisterAddresses addresses(b, op.getPointer(), registersOf(op.getPointer()));
  unsigned alike = registersOfOneLoad(axes, op);
  Registers result;
  for (unsigned first = 0; first < count; first += together) {
    if (together == 1 && first % alike) {
      result.push_back(result.back());
      continue;
    }
    llvm::Value *predicate = op.getMask() ? registersOf(op.getMask())[first] : nullptr;
    if (llvm::Value *inside = isInside(op.getType(), first))
      predicate = predicate ? b.CreateAnd(predicate, inside) : inside;
    Registers others;
    for (unsigned i = 0; i < together; ++i)
      others.push_back(op.getOther() ? registersOf(op.getOther())[first + i]
                                     : lanes.zero(element, 1));
    result.append(instructions->loadGlobal(
        lanes, {element, together, op.getIsVolatile()}, addresses[first], predicate, others));
  }
  if (mayBeSeenDifferently(op))
    result = agreedUpon(op.getType(), std::move(result));
  if (op.getIsVolatile())
    acquire();
  values[op.getResult()] = std::move(result);
}

/// Whether other programs may write meanwhile what several threads read, and it matters that they
/// find the same.
bool TileEmitter::mayBeSeenDifferently(tile::LoadOp op) {
  return op.getIsVolatile() || (!analysis::Aliasing(kernel).isUnwritten(op, kernel) &&
                                decidesBranches(op.getResult()));
}

/// What threads hold of one element, from the first of them.
Registers TileEmitter::agreedUpon(Type type, Registers held) {
  if (!tile::isTile(type))
    return {fromFirstThread(held[0])};
  llvm::Value *isFirst = threads.isFirstHolder(nv::layoutOf(type));
  return isFirst ? fromFirstHolders(nv::layoutOf(type), held, isFirst) : held;
}

llvm::Value *TileEmitter::actor(Type type) {
  if (tile::isTile(type))
    return threads.isFirstHolder(nv::layoutOf(type));
  return isOfThreads() ? nullptr : threads.isFirstThread();
}

void TileEmitter::emitStore(tile::StoreOp op) {
  Type type = op.getValue().getType();
  unsigned count = registerCount(type);
  unsigned together = registersTogether(op.getPointer(), op.getMask());
  RegisterAddresses addresses(b, op.getPointer(), registersOf(op.getPointer()));
  llvm::Value *isActing = actor(type);
  for (unsigned first = 0; first < count; first += together) {
    llvm::Value *predicate = isActing;
    auto require = [&](llvm::Value *condition) {
      if (condition)
        predicate = predicate ? b.CreateAnd(predicate, condition) : condition;
    };
    require(op.getMask() ? registersOf(op.getMask())[first] : nullptr);
    require(isInside(type, first));
    instructions->storeGlobal(lanes, {tile::elementOf(type), together}, addresses[first], predicate,
                              llvm::ArrayRef(registersOf(op.getValue())).slice(first, together));
  }
}

/// Before this, all threads have done what stands before, for everybody to see.
void TileEmitter::release() {
  if (!isOfThreads())
    shared.barrier();
  b.CreateFence(llvm::AtomicOrdering::AcquireRelease);
}

/// After this, what others have released is seen by all threads.
void TileEmitter::acquire() {
  b.CreateFence(llvm::AtomicOrdering::AcquireRelease);
  if (!isOfThreads())
    shared.barrier();
}

/// Whether an operation may tell other programs, or hear from them, that something is done.
static bool mayHandOver(Operation *op) {
  if (auto load = llvm::dyn_cast<tile::LoadOp>(op))
    return load.getIsVolatile();
  return llvm::isa<tile::AtomicRmwOp, tile::AtomicCasOp>(op) ||
         (llvm::isa<tile::AssemblyOp>(op) && tile::accessOf(op).touchesMemory());
}

/// Other programs see what stands before by an atomic that follows; where there is none, only this
/// program's threads wait for each other.
void TileEmitter::emitBarrier(tile::BarrierOp) {
  bool isForOthers = isOfThreads() || kernel
                                          .walk([](Operation *op) {
                                            return mayHandOver(op) ? WalkResult::interrupt()
                                                                   : WalkResult::advance();
                                          })
                                          .wasInterrupted();
  if (!isForOthers)
    return shared.barrier();
  release();
  b.CreateFence(llvm::AtomicOrdering::AcquireRelease);
}

void TileEmitter::emitSync(nv::SyncOp) { shared.barrier(); }

} // namespace nereid::backend::gpu
