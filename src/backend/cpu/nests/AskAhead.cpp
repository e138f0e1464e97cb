// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a vector is loaded or stored, the lines that the next program or round will touch there.
#include "backend/cpu/emit/KernelEmitter.h"
#include "backend/cpu/nests/Nest.h"
#include "dialect/tile/Elements.h"

using namespace mlir;

namespace nereid::backend::cpu {

/// Once before the loops.
llvm::Value *Nest::stepAhead(Value pointer, Type element) {
  auto [found, isNew] = stepsAhead.try_emplace(pointer, nullptr);
  if (!isNew)
    return found->second;
  llvm::IRBuilderBase::InsertPointGuard guard(b);
  llvm::BasicBlock *before = levels.front().block;
  if (llvm::Instruction *end = before->getTerminator())
    b.SetInsertPoint(end);
  else
    b.SetInsertPoint(before);
  return stepsAhead[pointer] = kernel.stepAhead(pointer, element, place);
}

void Nest::askFor(Value pointer, Type element, llvm::Value *address, bool isWritten) {
  if (!place || currentWidth != fullWidth || isNoneActive)
    return;
  llvm::Value *step = stepAhead(pointer, element);
  if (!step)
    return;
  llvm::Value *next = b.CreateGEP(b.getInt8Ty(), address, step);
  // What passes the caches by is not fetched before; whatever is on the stack is there.
  if (isWritten && streaming.bits)
    next = b.CreateSelect(b.CreateIsNotNull(b.CreateNot(streaming.bits)), kernel.sinkSlot(), next);
  int64_t bytes = currentWidth * tile::byteSizeOf(element);
  for (int64_t at = 0; at < bytes; at += lineBytes)
    b.CreateIntrinsic(llvm::Intrinsic::prefetch, {b.getPtrTy()},
                      {b.CreateConstGEP1_64(b.getInt8Ty(), next, at), b.getInt32(isWritten),
                       b.getInt32(2), b.getInt32(1)});
}

} // namespace nereid::backend::cpu
