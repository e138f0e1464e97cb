// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Divisions of single 32-bit numbers beside a producer: each takes a hundred cycles, and all wait
// for the first fetch.
#include "backend/nvptx/emit/Emit.h"
#include "backend/nvptx/ptx/PtxAsm.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace nereid::backend::nvptx {

static void emitDivisionUnlessSmall(KernelContext &c, Operation *op);

static bool isDivision(Operation *op) {
  return llvm::isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op) &&
         op->getResult(0).getType().isInteger(32);
}

/// The quotient and the remainder, if both are computed here.
static llvm::SmallVector<Operation *, 2> divisionsLike(Operation *op) {
  llvm::SmallVector<Operation *, 2> alike;
  for (Operation *next = op; next && next->getNumRegions() == 0 && isMemoryEffectFree(next);
       next = next->getNextNode())
    if (isDivision(next) && llvm::equal(next->getOperands(), op->getOperands()))
      alike.push_back(next);
  return alike;
}

bool isDivisionBesideProducer(KernelContext &c, Operation *op) {
  return c.producerWarps && isDivision(op) && !op->getParentOfType<scf::ForOp>();
}

/// What others than the producer divide is mostly where their sums go. They have time for it until
/// the first slot is full; LLVM would divide when they are done, for the sake of branches that do
/// not get there.
void emitDivisionBesideProducer(KernelContext &c, Operation *op) {
  if (op->getParentOfType<nv::ProduceOp>())
    emitDivisionUnlessSmall(c, op);
  else
    emitLanewise(c, op);
  emitPassing(c.b, "", c.values[op->getResult(0)]);
}

/// What could wrap around mostly does not: of a number below its divisor nothing need be divided.
static void emitDivisionUnlessSmall(KernelContext &c, Operation *op) {
  if (c.values.contains(op->getResult(0)))
    return;
  llvm::Value *number = c.scalar(op->getOperand(0)), *divisor = c.scalar(op->getOperand(1));
  if (llvm::isa<llvm::Constant>(divisor))
    return emitLanewise(c, op);
  llvm::Value *isSmall = c.b.CreateAnd(c.b.CreateICmpULT(number, divisor),
                                       c.b.CreateICmpSGT(divisor, c.b.getInt32(0)));
  llvm::BasicBlock *before = c.b.GetInsertBlock(), *divides = c.newBlock("divides"),
                   *divided = c.newBlock("divided");
  c.b.CreateCondBr(isSmall, divided, divides);
  c.b.SetInsertPoint(divides);
  llvm::SmallVector<Operation *, 2> ops = divisionsLike(op);
  for (Operation *each : ops)
    emitLanewise(c, each);
  llvm::BasicBlock *end = c.b.GetInsertBlock();
  c.b.CreateBr(divided);
  c.b.SetInsertPoint(divided);
  for (Operation *each : ops) {
    bool isRemainder = llvm::isa<arith::RemSIOp, arith::RemUIOp>(each);
    llvm::PHINode *result = c.b.CreatePHI(c.b.getInt32Ty(), 2);
    result->addIncoming(isRemainder ? number : c.b.getInt32(0), before);
    result->addIncoming(c.scalar(each->getResult(0)), end);
    c.values[each->getResult(0)] = {result};
  }
}

} // namespace nereid::backend::nvptx
