// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints: each execution asks for room in the launch's buffer (runtime/PrintRecord.h), and all
// threads write what they hold there.
#include "backend/llvm/PrintSites.h"
#include "backend/nvptx/ptx/GlobalAccess.h"
#include "backend/nvptx/emit/KernelEmitter.h"
#include "runtime/PrintRecord.h"

using namespace mlir;

namespace nereid::backend::nvptx {

/// The first thread adds up what all executions have asked for; all get the sum before.
llvm::Value *KernelEmitter::askForPrints(uint64_t bytes) {
  if (isOfThreads()) // each asks for itself
    return b.CreateAtomicRMW(llvm::AtomicRMWInst::Add, printBuffer, b.getInt64(bytes),
                             llvm::Align(8), llvm::AtomicOrdering::Monotonic);
  llvm::Type *i64 = b.getInt64Ty();
  llvm::AllocaInst *sum = lanes.stackSlot(i64);
  llvm::BasicBlock *ask = newBlock("print"), *rest = newBlock("printed");
  b.CreateStore(llvm::ConstantInt::get(i64, 0), sum);
  b.CreateCondBr(threads.isFirstThread(), ask, rest);
  b.SetInsertPoint(ask);
  b.CreateStore(b.CreateAtomicRMW(llvm::AtomicRMWInst::Add, printBuffer, b.getInt64(bytes),
                                  llvm::Align(8), llvm::AtomicOrdering::Monotonic),
                sum);
  b.CreateBr(rest);
  b.SetInsertPoint(rest);
  return fromFirstThread(b.CreateLoad(i64, sum));
}

void KernelEmitter::emitPrint(tile::PrintOp op) {
  runtime::PrintSite site = printSiteOf(op);
  runtime::PrintRecord record = runtime::recordOf(site);
  llvm::Value *at = askForPrints(record.bytes);
  uint64_t last = runtime::printBufferBytes - runtime::printHeaderBytes;
  llvm::Value *fits = b.CreateICmpULE(b.CreateAdd(at, b.getInt64(record.bytes)), b.getInt64(last));
  llvm::Value *base = b.CreateGEP(b.getInt8Ty(), printBuffer,
                                  b.CreateAdd(at, b.getInt64(runtime::printHeaderBytes)));
  llvm::SmallVector<llvm::Value *, 4> head = {b.getInt32(prints.size() + 1)};
  for (llvm::Value *id : programIds())
    head.push_back(id);
  GlobalAccess(lanes, IntegerType::get(op.getContext(), 32), head.size())
      .store(base, isOfThreads() ? fits : b.CreateAnd(fits, threads.isFirstThread()), head);
  for (auto [i, value] : llvm::enumerate(op.getValues())) {
    Type type = value.getType(), element = tile::elementOf(type);
    llvm::Value *isActing = actor(type);
    for (auto [r, lane] : llvm::enumerate(registersOf(value))) {
      llvm::Value *number = b.getInt32(0), *predicate = fits;
      if (tile::isTile(type))
        number = elementNumber(type, coordinatesOf(type, r));
      for (llvm::Value *condition : {isActing, tile::isTile(type) ? isInside(type, r) : nullptr})
        if (condition)
          predicate = b.CreateAnd(predicate, condition);
      llvm::Value *offset = b.CreateMul(number, b.getInt32(tile::byteSizeOf(element)));
      llvm::Value *address = b.CreateGEP(
          b.getInt8Ty(), base,
          b.CreateAdd(b.CreateZExt(offset, b.getInt64Ty()), b.getInt64(record.operands[i])));
      GlobalAccess(lanes, element, 1).store(address, predicate, lane);
    }
  }
  prints.push_back(std::move(site));
}

} // namespace nereid::backend::nvptx
