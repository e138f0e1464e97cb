// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints: each execution asks for room in the launch's buffer (runtime/PrintRecord.h), and all
// threads write what they hold there.
#include "backend/llvm/PrintSites.h"
#include "backend/nvptx/emit/Emit.h"
#include "backend/nvptx/ptx/GlobalAccess.h"
#include "runtime/PrintRecord.h"

using namespace mlir;

namespace nereid::backend::nvptx {

/// The first thread adds up what all executions have asked for; all get the sum before.
static llvm::Value *askForPrints(KernelContext &c, uint64_t bytes) {
  if (c.isOfThreads()) // each asks for itself
    return c.b.CreateAtomicRMW(llvm::AtomicRMWInst::Add, c.printBuffer, c.b.getInt64(bytes),
                               llvm::Align(8), llvm::AtomicOrdering::Monotonic);
  llvm::Type *i64 = c.b.getInt64Ty();
  llvm::AllocaInst *sum = c.lanes.stackSlot(i64);
  llvm::BasicBlock *ask = c.newBlock("print"), *rest = c.newBlock("printed");
  c.b.CreateStore(llvm::ConstantInt::get(i64, 0), sum);
  c.b.CreateCondBr(c.threads.isFirstThread(), ask, rest);
  c.b.SetInsertPoint(ask);
  c.b.CreateStore(c.b.CreateAtomicRMW(llvm::AtomicRMWInst::Add, c.printBuffer, c.b.getInt64(bytes),
                                      llvm::Align(8), llvm::AtomicOrdering::Monotonic),
                  sum);
  c.b.CreateBr(rest);
  c.b.SetInsertPoint(rest);
  return fromFirstThread(c, c.b.CreateLoad(i64, sum));
}

void emitPrint(KernelContext &c, tile::PrintOp op) {
  runtime::PrintSite site = printSiteOf(op);
  runtime::PrintRecord record = runtime::recordOf(site);
  llvm::Value *at = askForPrints(c, record.bytes);
  uint64_t last = runtime::printBufferBytes - runtime::printHeaderBytes;
  llvm::Value *fits =
      c.b.CreateICmpULE(c.b.CreateAdd(at, c.b.getInt64(record.bytes)), c.b.getInt64(last));
  llvm::Value *base = c.b.CreateGEP(c.b.getInt8Ty(), c.printBuffer,
                                    c.b.CreateAdd(at, c.b.getInt64(runtime::printHeaderBytes)));
  llvm::SmallVector<llvm::Value *, 4> head = {c.b.getInt32(c.prints.size() + 1)};
  for (llvm::Value *id : programIds(c))
    head.push_back(id);
  GlobalAccess(c.lanes, IntegerType::get(op.getContext(), 32), head.size())
      .store(base, c.isOfThreads() ? fits : c.b.CreateAnd(fits, c.threads.isFirstThread()), head);
  for (auto [i, value] : llvm::enumerate(op.getValues())) {
    Type type = value.getType(), element = tile::elementOf(type);
    llvm::Value *isActing = actor(c, type);
    for (auto [r, lane] : llvm::enumerate(c.registersOf(value))) {
      llvm::Value *number = c.b.getInt32(0), *predicate = fits;
      if (tile::isTile(type))
        number = elementNumber(c, type, coordinatesOf(c, type, r));
      for (llvm::Value *condition : {isActing, tile::isTile(type) ? isInside(c, type, r) : nullptr})
        if (condition)
          predicate = c.b.CreateAnd(predicate, condition);
      llvm::Value *offset = c.b.CreateMul(number, c.b.getInt32(tile::byteSizeOf(element)));
      llvm::Value *address = c.b.CreateGEP(c.b.getInt8Ty(), base,
                                           c.b.CreateAdd(c.b.CreateZExt(offset, c.b.getInt64Ty()),
                                                         c.b.getInt64(record.operands[i])));
      GlobalAccess(c.lanes, element, 1).store(address, predicate, lane);
    }
  }
  c.prints.push_back(std::move(site));
}

} // namespace nereid::backend::nvptx
