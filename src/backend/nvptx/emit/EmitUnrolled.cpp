// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Four rounds of a thread's loop at a time where they are short: what they load is on its way together,
// and counting costs a quarter. What is left over goes round by round.
#include "backend/nvptx/emit/KernelEmitter.h"

#include "dialect/tile/Tile.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/IR/Metadata.h"

using namespace mlir;

namespace nereid::backend::nvptx {

static constexpr unsigned together = 4; // as nvcc does it

/// What may be written several times over: no memory, no meeting, no output.
static bool isRepeatable(Operation *op) {
  if (!llvm::isa<scf::IfOp>(op) && op->getNumRegions() != 0)
    return false;
  return !llvm::isa<tile::SharedOp, tile::LocalOp, tile::TableOp, tile::SyncThreadsOp,
                    tile::SyncThreadsCountOp, tile::SyncWarpOp, tile::ShuffleOp, tile::BallotOp,
                    tile::ActiveMaskOp, tile::PrintOp, tile::AssertOp, tile::AssemblyOp>(op);
}

bool KernelEmitter::goesTogether(scf::ForOp op) const {
  constexpr unsigned mostOperations = 60, ofFunction = 10;
  unsigned count = 0;
  auto visited = op.getBody()->walk([&](Operation *each) {
    count += each->getName().getDialectNamespace() == "math" ? ofFunction : 1;
    return isRepeatable(each) && count <= mostOperations ? WalkResult::advance()
                                                         : WalkResult::interrupt();
  });
  return isOfThreads() && !visited.wasInterrupted();
}

/// A count that is known and small is LLVM's to unroll whole; it leaves over what others do.
void KernelEmitter::askForUnrolling(scf::ForOp op, llvm::Value *count, llvm::Instruction *back) {
  constexpr uint64_t mostUnrolledWhole = 32;
  auto *known = llvm::dyn_cast<llvm::ConstantInt>(count);
  if (!goesTogether(op) || (known && known->getValue().ule(mostUnrolledWhole)))
    return;
  llvm::LLVMContext &context = b.getContext();
  llvm::Metadata *often[] = {
      llvm::MDString::get(context, "llvm.loop.unroll.count"),
      llvm::ConstantAsMetadata::get(b.getInt32(together))};
  llvm::MDNode *hint = llvm::MDNode::get(context, often);
  llvm::MDNode *loop = llvm::MDNode::getDistinct(context, {nullptr, hint});
  loop->replaceOperandWith(0, loop);
  back->setMetadata(llvm::LLVMContext::MD_loop, loop);
}

/// `left` is what is left up to the bound, positive; the step is far from wrapping when it is taken
/// several times. Branches to `single` with the counter where fewer rounds are left than go
/// together, and to `after` where none is.
KernelEmitter::Resumed KernelEmitter::emitTogether(llvm::Value *lower, llvm::Value *upper,
                                                   llvm::Value *step, llvm::BasicBlock *single,
                                                   llvm::BasicBlock *after,
                                                   llvm::function_ref<void(llvm::Value *)> emitRound) {
  auto times = [&](unsigned count) {
    return b.CreateMul(step, llvm::ConstantInt::get(step->getType(), count));
  };
  llvm::BasicBlock *before = b.GetInsertBlock(), *inside = newBlock("together"),
                   *rest = newBlock("rest");
  llvm::APInt farthest = llvm::APInt::getOneBitSet(step->getType()->getIntegerBitWidth(),
                                                   step->getType()->getIntegerBitWidth() - 4);
  llvm::Value *isFar = b.CreateICmpULT(step, llvm::ConstantInt::get(step->getType(), farthest));
  llvm::Value *isLong = b.CreateICmpUGT(b.CreateSub(upper, lower), times(together - 1));
  b.CreateCondBr(b.CreateAnd(isFar, isLong), inside, single);
  b.SetInsertPoint(inside);
  shared.forget();
  llvm::PHINode *counter = b.CreatePHI(lower->getType(), 2, "counter");
  counter->addIncoming(lower, before);
  llvm::Value *round = counter;
  for (unsigned i = 0; i < together; ++i) {
    emitRound(round);
    round = b.CreateAdd(round, step);
  }
  llvm::Value *left = b.CreateSub(upper, counter);
  counter->addIncoming(round, b.GetInsertBlock());
  b.CreateCondBr(b.CreateICmpUGT(left, times(2 * together - 1)), inside, rest);
  b.SetInsertPoint(rest);
  b.CreateCondBr(b.CreateICmpUGT(left, times(together)), single, after);
  return {round, rest};
}

} // namespace nereid::backend::nvptx
