// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Strides.h"

#include "dialect/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nereid::analysis {
namespace {

using Stride = std::optional<int64_t>;

Stride sum(Stride lhs, Stride rhs, int64_t sign = 1) {
  return lhs && rhs ? Stride(*lhs + sign * *rhs) : std::nullopt;
}

/// The one value of a tile that is the same everywhere and known.
Stride uniformConstant(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)) && constant.getSignificantBits() <= 64)
    return constant.getSExtValue();
  if (auto splat = value.getDefiningOp<tile::SplatOp>())
    return uniformConstant(splat.getValue());
  if (auto broadcast = value.getDefiningOp<tile::BroadcastOp>())
    return uniformConstant(broadcast.getSource());
  if (auto expand = value.getDefiningOp<tile::ExpandDimsOp>())
    return uniformConstant(expand.getSource());
  return std::nullopt;
}

Stride ofProduct(arith::MulIOp op, unsigned dim) {
  Stride lhs = strideAlong(op.getLhs(), dim), rhs = strideAlong(op.getRhs(), dim);
  if (lhs == 0 && rhs == 0)
    return 0;
  if (Stride factor = uniformConstant(op.getRhs()); factor && lhs)
    return *factor * *lhs;
  if (Stride factor = uniformConstant(op.getLhs()); factor && rhs)
    return *factor * *rhs;
  return std::nullopt;
}

Stride ofExpandDims(tile::ExpandDimsOp op, unsigned dim) {
  if (dim == op.getAxis())
    return 0;
  return strideAlong(op.getSource(), dim - (dim > op.getAxis()));
}

} // namespace

Stride strideAlong(Value value, unsigned dim) {
  llvm::ArrayRef<int64_t> shape = tile::shapeOf(value.getType());
  if (shape.empty() || shape[dim] == 1)
    return 0;
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  return llvm::TypeSwitch<Operation *, Stride>(op)
      .Case([&](tile::RangeOp) { return 1; })
      .Case([&](tile::SplatOp) { return 0; })
      .Case([&](arith::ConstantOp constant) {
        return llvm::isa<SplatElementsAttr>(constant.getValue()) ? Stride(0) : std::nullopt;
      })
      .Case([&](tile::ExpandDimsOp expand) { return ofExpandDims(expand, dim); })
      .Case([&](tile::BroadcastOp broadcast) { return strideAlong(broadcast.getSource(), dim); })
      .Case([&](tile::PermuteOp permute) {
        return strideAlong(permute.getSource(), permute.getOrder()[dim]);
      })
      .Case([&](tile::OffsetOp offset) {
        return sum(strideAlong(offset.getPointer(), dim), strideAlong(offset.getOffset(), dim));
      })
      .Case([&](arith::AddIOp add) {
        return sum(strideAlong(add.getLhs(), dim), strideAlong(add.getRhs(), dim));
      })
      .Case([&](arith::SubIOp sub) {
        return sum(strideAlong(sub.getLhs(), dim), strideAlong(sub.getRhs(), dim), -1);
      })
      .Case([&](arith::MulIOp mul) { return ofProduct(mul, dim); })
      .Case<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, tile::HintOp>(
          [&](Operation *cast) { return strideAlong(cast->getOperand(0), dim); })
      .Default([](Operation *) { return std::nullopt; });
}

} // namespace nereid::analysis
