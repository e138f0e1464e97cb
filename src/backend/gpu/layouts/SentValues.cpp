// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/gpu/layouts/SentValues.h"

#include "layout/Conversion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace nereid::backend::gpu {

using layout::LinearLayout;

Value sentBefore(Operation *user, Value tile, const LinearLayout &layout) {
  for (Operation *other : tile.getUsers())
    if (auto sent = llvm::dyn_cast<nv::ConvertOp>(other);
        sent && sent->getBlock() == user->getBlock() && sent->isBeforeInBlock(user) &&
        nv::layoutOf(sent.getResult()) == layout)
      return sent;
  return {};
}

bool followsFromSent(Value mask, const LinearLayout &layout, Operation *user, IsSettled isSettled) {
  Operation *op = mask.getDefiningOp();
  if (!llvm::isa_and_present<arith::CmpIOp, arith::CmpFOp, arith::AndIOp, arith::OrIOp>(op) ||
      !tile::elementOf(mask.getType()).isInteger(1))
    return false;
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    return !isSettled(operand) || sentBefore(user, operand, layout) ||
           followsFromSent(operand, layout, user, isSettled);
  });
}

static Value sourceOf(Operation *op, IsSettled isSettled) {
  if (llvm::isa_and_present<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp, arith::SIToFPOp,
                            arith::UIToFPOp>(op))
    return op->getOperand(0);
  auto place = llvm::dyn_cast_if_present<tile::OffsetOp>(op);
  return place && !isSettled(place.getPointer()) ? place.getOffset() : Value();
}

Value shorterSource(Value value, const LinearLayout &layout, const Target &target,
                    IsSettled isSettled) {
  Value source = sourceOf(value.getDefiningOp(), isSettled);
  const LinearLayout &own = nv::layoutOf(value);
  const LinearLayout *before =
      source && tile::isTile(source.getType()) ? nv::findLayout(source.getType()) : nullptr;
  if (!before || *before != own)
    return {};
  auto cost = [&](Value sent) {
    return layout::planConversion(own, layout, tile::byteSizeOf(tile::elementOf(sent.getType())),
                                  {.matrices = target.matrixInstructions()})
        .cost;
  };
  return cost(source) < cost(value) ? source : Value();
}

} // namespace nereid::backend::gpu
