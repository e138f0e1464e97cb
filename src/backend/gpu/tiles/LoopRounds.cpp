// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/gpu/tiles/LoopRounds.h"

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

} // namespace nereid::backend::gpu
