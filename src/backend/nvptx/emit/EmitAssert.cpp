// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Assertions: each thread looks at what it holds, and who finds something wrong writes a record of
// a failure (runtime/PrintRecord.h) and goes on. A launch that nobody waits for gives no buffer for
// that: there a failure traps, as CUDA's own assertions do.
#include "backend/llvm/PrintSites.h"
#include "backend/nvptx/emit/Emit.h"
#include "backend/nvptx/ptx/GlobalAccess.h"
#include "runtime/PrintRecord.h"

using namespace mlir;

namespace nereid::backend::nvptx {

/// A text with its end, in global memory.
static llvm::Value *textInMemory(KernelContext &c, llvm::StringRef text) {
  constexpr unsigned globalMemory = 1;
  llvm::Constant *bytes = llvm::ConstantDataArray::getString(c.b.getContext(), text);
  auto *variable = new llvm::GlobalVariable(
      c.module, bytes->getType(), /*isConstant=*/true, llvm::GlobalValue::InternalLinkage, bytes,
      "text", nullptr, llvm::GlobalValue::NotThreadLocal, globalMemory);
  return c.b.CreateAddrSpaceCast(variable, c.b.getPtrTy());
}

/// The driver writes "FILE:LINE: KERNEL: block: ..., thread: ... Assertion `MESSAGE` failed." and
/// ends what the process does on the device, as `assert` does in CUDA (CUDA C++ Programming Guide,
/// "Assertion"; the function is the driver's).
static void trap(KernelContext &c, tile::AssertOp op) {
  llvm::Type *pointer = c.b.getPtrTy(), *line = c.b.getInt32Ty(), *size = c.b.getInt64Ty();
  llvm::FunctionCallee fail = c.module.getOrInsertFunction(
      "__assertfail",
      llvm::FunctionType::get(c.b.getVoidTy(), {pointer, pointer, line, pointer, size}, false));
  auto place = op.getLoc()->findInstanceOf<FileLineColRange>();
  llvm::Value *arguments[] = {textInMemory(c, op.getMessage()),
                              textInMemory(c, place ? place.getFilename().getValue() : ""),
                              c.b.getInt32(place ? place.getStartLine() : 0),
                              textInMemory(c, c.kernel.getName()),
                              llvm::ConstantInt::get(size, 1)}; // bytes of a letter
  c.b.CreateCall(fail, arguments);
  c.b.CreateUnreachable();
}

/// By the thread alone that comes here.
static void writeRecord(KernelContext &c, tile::AssertOp op) {
  runtime::PrintSite site = failureSiteOf(op);
  const uint64_t bytes = runtime::recordOf(site).bytes;
  llvm::Value *at =
      c.b.CreateAtomicRMW(llvm::AtomicRMWInst::Add, c.printBuffer, c.b.getInt64(bytes),
                          llvm::Align(8), llvm::AtomicOrdering::Monotonic);
  const uint64_t last = runtime::printBufferBytes - runtime::printHeaderBytes;
  llvm::Value *fits = c.b.CreateICmpULE(c.b.CreateAdd(at, c.b.getInt64(bytes)), c.b.getInt64(last));
  llvm::Value *base = c.b.CreateGEP(c.b.getInt8Ty(), c.printBuffer,
                                    c.b.CreateAdd(at, c.b.getInt64(runtime::printHeaderBytes)));
  llvm::SmallVector<llvm::Value *, 4> head = {c.b.getInt32(c.prints.size() + 1)};
  llvm::append_range(head, programIds(c));
  GlobalAccess(c.lanes, IntegerType::get(op.getContext(), 32), head.size()).store(base, fits, head);
  c.prints.push_back(std::move(site));
}

/// Whether one of the truths that this thread answers for is none.
static llvm::Value *findsFailure(KernelContext &c, tile::AssertOp op) {
  const Type type = op.getCondition().getType();
  llvm::Value *isActing = actor(c, type), *found = c.b.getFalse();
  for (auto [r, truth] : llvm::enumerate(c.registersOf(op.getCondition()))) {
    llvm::Value *fails = c.b.CreateNot(truth);
    if (llvm::Value *inside = tile::isTile(type) ? isInside(c, type, r) : nullptr)
      fails = c.b.CreateAnd(fails, inside);
    found = c.b.CreateOr(found, fails);
  }
  return isActing ? c.b.CreateAnd(found, isActing) : found;
}

void emitAssert(KernelContext &c, tile::AssertOp op) {
  llvm::BasicBlock *failed = c.newBlock("failed"), *trapping = c.newBlock("trap"),
                   *reporting = c.newBlock("report"), *rest = c.newBlock("asserted");
  c.b.CreateCondBr(findsFailure(c, op), failed, rest);
  c.b.SetInsertPoint(failed);
  llvm::Type *address = c.b.getInt64Ty();
  llvm::Value *hasBuffer = c.b.CreateICmpNE(c.b.CreatePtrToInt(c.printBuffer, address),
                                            llvm::ConstantInt::get(address, 0));
  c.b.CreateCondBr(hasBuffer, reporting, trapping);
  c.b.SetInsertPoint(trapping);
  trap(c, op);
  c.b.SetInsertPoint(reporting);
  writeRecord(c, op);
  c.b.CreateBr(rest);
  c.b.SetInsertPoint(rest);
}

} // namespace nereid::backend::nvptx
