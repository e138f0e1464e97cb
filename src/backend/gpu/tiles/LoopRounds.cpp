// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/gpu/tiles/LoopRounds.h"

#include "llvm/ADT/SetVector.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace nereid::backend::gpu {

Value buildHasRounds(scf::ForOp loop, OpBuilder &builder) {
  Location loc = loop.getLoc();
  auto isLess = loop.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
  Value step = loop.getStep();
  Value hasRoom =
      arith::CmpIOp::create(builder, loc, isLess, loop.getLowerBound(), loop.getUpperBound());
  if (APInt known; matchPattern(step, m_ConstantInt(&known)) && known.isStrictlyPositive())
    return hasRoom;
  Value zero = arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(step.getType(), 0));
  Value leadsUpwards = arith::CmpIOp::create(builder, loc, isLess, zero, step);
  return arith::AndIOp::create(builder, loc, hasRoom, leadsUpwards);
}

std::optional<llvm::SmallVector<Operation *, 0>>
madeInEachRound(Value value, Block &round, llvm::function_ref<bool(Operation *)> isSame) {
  llvm::SetVector<Operation *> made;
  llvm::SmallVector<Value> values = {value};
  while (!values.empty()) {
    Value next = values.pop_back_val();
    if (!round.getParentOp()->isAncestor(next.getParentBlock()->getParentOp()))
      continue;
    Operation *maker = next.getDefiningOp();
    if (!maker || maker->getBlock() != &round || maker->getNumRegions() > 0 || !isSame(maker))
      return std::nullopt;
    if (made.insert(maker))
      llvm::append_range(values, maker->getOperands());
  }
  llvm::SmallVector<Operation *, 0> inOrder = made.takeVector();
  llvm::sort(inOrder, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return inOrder;
}

void readOnlyIf(Value condition, tile::LoadOp load, OpBuilder &builder) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(load);
  Type mask = tile::maskOf(load.getPointer().getType());
  if (tile::isTile(mask))
    condition = tile::SplatOp::create(builder, load.getLoc(), mask, condition);
  if (Value own = load.getMask())
    condition = arith::AndIOp::create(builder, load.getLoc(), own, condition);
  load.getMaskMutable().assign(condition);
}

} // namespace nereid::backend::gpu
