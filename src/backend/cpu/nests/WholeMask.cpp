// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/cpu/nests/WholeMask.h"

#include "dialect/tile/Elements.h"
#include "dialect/tile/Lanes.h"

using namespace mlir;

namespace nereid::backend::cpu {

bool WholeMask::canTest(Value mask) {
  if (!mask || !tile::isTile(mask.getType()))
    return true;
  if (Operation *op = mask.getDefiningOp()) {
    if (llvm::isa<arith::AndIOp>(op))
      return llvm::all_of(op->getOperands(), canTest);
    if (tile::movesLanes(op))
      return canTest(op->getOperand(0));
  }
  return llvm::count_if(tile::shapeOf(mask.getType()), [](int64_t size) { return size > 1; }) < 2;
}

llvm::Value *WholeMask::testUpTo(llvm::Value *newEnd, Value mask, Coordinates at) {
  end = newEnd;
  return test(mask, std::move(at));
}

llvm::Value *WholeMask::test(Value mask, Coordinates at) {
  if (!mask)
    return b.getTrue();
  if (!tile::isTile(mask.getType()))
    return kernel.scalar(mask);
  if (Operation *op = mask.getDefiningOp(); op && !kernel.storage().isStored(mask)) {
    if (llvm::isa<arith::AndIOp>(op)) {
      llvm::Value *first = test(op->getOperand(0), at);
      return b.CreateAnd(first, test(op->getOperand(1), at));
    }
    if (tile::movesLanes(op)) {
      // A reshape that is not lane for lane has no map.
      if (!at.empty())
        at = tile::isLanewise(op) ? tile::mapThrough(tile::laneMapOf(op->getOpOperand(0)), at)
                                  : Coordinates();
      return test(op->getOperand(0), at);
    }
  }
  return testLine(mask, at);
}

/// Whether what is false lies from `end` on.
llvm::Value *WholeMask::hasNoGap(Nest &nest, unsigned along, llvm::Value *lanes) {
  llvm::Value *bits = b.CreateBitCast(lanes, b.getIntNTy(nest.width()));
  llvm::Value *gaps = b.CreateNot(b.CreateZExt(bits, b.getInt64Ty()));
  llvm::Value *first = b.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, gaps, b.getFalse());
  llvm::Value *isFull = b.CreateICmpEQ(first, b.getInt64(nest.width()));
  return b.CreateOr(isFull, b.CreateICmpSGE(b.CreateAdd(nest.index(along), first), end));
}

llvm::Value *WholeMask::testLine(Value mask, const Coordinates &at) {
  llvm::ArrayRef<int64_t> shape = tile::shapeOf(mask.getType());
  unsigned along = std::distance(shape.begin(), llvm::max_element(shape));
  unsigned width = kernel.widthFor(mask, shape[along], 1);
  llvm::AllocaInst *all = kernel.lanes().stackSlot(b.getInt1Ty());
  b.CreateStore(b.getTrue(), all);
  Nest nest(kernel, shape, innermostLast(shape.size(), along), along, width);
  nest.expect(mask, nest.identity());
  nest.emit([&] {
    llvm::Value *lanes = nest.vector(nest.evaluate(mask, nest.identity()));
    if (!at.empty() && at[along] == 0)
      lanes = hasNoGap(nest, along, lanes);
    else if (lanes->getType()->isVectorTy())
      lanes = b.CreateAndReduce(lanes);
    b.CreateStore(b.CreateAnd(b.CreateLoad(b.getInt1Ty(), all), lanes), all);
  });
  return b.CreateLoad(b.getInt1Ty(), all);
}

} // namespace nereid::backend::cpu
