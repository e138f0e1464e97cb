// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/cpu/Lanewise.h"

#include "dialect/tile/Tile.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace nereid::backend::cpu {

/// From here on, reading a tile back is no dearer than computing it again.
static constexpr size_t mostCheapOperations = 32;

bool isUnitReshape(Operation *op) {
  auto reshape = llvm::dyn_cast<tile::ReshapeOp>(op);
  if (!reshape)
    return false;
  auto nonUnit = [](Type type) {
    llvm::SmallVector<int64_t> dims;
    for (int64_t dim : tile::shapeOf(type))
      if (dim != 1)
        dims.push_back(dim);
    return dims;
  };
  return nonUnit(reshape.getSource().getType()) == nonUnit(reshape.getType());
}

bool isLanewise(Operation *op) {
  if (llvm::isa<tile::ReshapeOp>(op))
    return isUnitReshape(op);
  if (llvm::isa<tile::SplatOp, tile::RangeOp, tile::ExpandDimsOp, tile::BroadcastOp,
                tile::PermuteOp, tile::LoadOp, tile::OffsetOp, tile::HintOp, tile::PointerCastOp,
                tile::PointerToIntOp, tile::IntToPointerOp>(op))
    return true;
  return llvm::isa_and_present<arith::ArithDialect, math::MathDialect>(op->getDialect());
}

static bool isAddressArithmetic(Operation *op) {
  return llvm::isa<tile::RangeOp, tile::SplatOp, arith::ConstantOp, tile::ExpandDimsOp,
                   tile::BroadcastOp, tile::PermuteOp, tile::OffsetOp, tile::HintOp, arith::AddIOp,
                   arith::SubIOp, arith::MulIOp, arith::AndIOp, arith::OrIOp, arith::XOrIOp,
                   arith::CmpIOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op) ||
         isUnitReshape(op);
}

bool isCheap(Value value) {
  llvm::SmallSetVector<Value, 8> work;
  work.insert(value);
  for (size_t i = 0; i < work.size(); ++i) {
    Operation *op = work[i].getDefiningOp();
    if (!op || !isAddressArithmetic(op) || work.size() > mostCheapOperations)
      return false;
    for (Value operand : op->getOperands())
      if (tile::isTile(operand.getType()))
        work.insert(operand);
  }
  return true;
}

} // namespace nereid::backend::cpu
