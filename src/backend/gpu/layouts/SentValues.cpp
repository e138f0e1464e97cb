// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/gpu/layouts/SentValues.h"

#include "dialect/nv/LaneSources.h"
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

Value lyingBefore(Value sent, const LinearLayout &layout) {
  auto convert = sent.getDefiningOp<nv::ConvertOp>();
  return convert && nv::layoutOf(convert.getSource()) == layout ? convert.getSource() : Value();
}

bool followsFromLying(Value tile, const LinearLayout &layout, IsSettled isSettled, unsigned steps) {
  const LinearLayout *own = nv::findLayout(tile.getType());
  if ((own && *own == layout) || lyingBefore(tile, layout))
    return true;
  Operation *op = tile.getDefiningOp();
  if (!op || llvm::isa<nv::ConvertOp>(op))
    return false;
  if (!isSettled(tile))
    return true;
  bool isCheap =
      llvm::isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::ExtSIOp, arith::ExtUIOp,
                arith::TruncIOp, arith::AndIOp, arith::OrIOp, arith::CmpIOp, arith::SelectOp,
                arith::AddFOp, arith::SubFOp, arith::MulFOp, tile::HintOp>(op) ||
      (tile::movesLanes(op) && tile::isLanewise(op));
  return isCheap && steps > 0 && llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
           return !tile::isTile(operand.get().getType()) ||
                  followsFromLying(operand.get(), nv::sourceLayout(operand, layout), isSettled,
                                   steps - 1);
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
