// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/gpu/tiles/RowEnds.h"

#include "analysis/AxisRules.h"
#include "dialect/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace nereid::backend::gpu {
namespace {

/// `less` is below `more`, or not above it.
struct Order {
  Value less, more;
  bool isStrict;
};

std::optional<Order> orderOf(arith::CmpIOp compare) {
  using P = arith::CmpIPredicate;
  const Value lhs = compare.getLhs(), rhs = compare.getRhs();
  switch (compare.getPredicate()) {
  case P::slt:
  case P::ult:
    return Order{lhs, rhs, true};
  case P::sle:
  case P::ule:
    return Order{lhs, rhs, false};
  case P::sgt:
  case P::ugt:
    return Order{rhs, lhs, true};
  case P::sge:
  case P::uge:
    return Order{rhs, lhs, false};
  default:
    return std::nullopt;
  }
}

bool isUnsigned(arith::CmpIOp compare) {
  using P = arith::CmpIPredicate;
  return llvm::is_contained({P::ult, P::ule, P::ugt, P::uge}, compare.getPredicate());
}

/// Masks of runs of `run` elements.
class RunMasks {
public:
  RunMasks(int64_t run, const analysis::AxisAnalysis &axes) : run(run), axes(axes) {}

  bool areAlike(Value mask, unsigned dimension) const {
    return isLong(axes.of(mask).axes[dimension].constancy);
  }

  /// Numbers without sign that wrap within a run are first above the end and then below it.
  bool isEnd(arith::CmpIOp compare, unsigned dimension) const {
    std::optional<Order> order = orderOf(compare);
    if (!order)
      return false;
    const analysis::Axis less = axes.of(order->less).axes[dimension];
    const bool mayWrap = less.divisibility % run != 0 && isUnsigned(compare);
    return !mayWrap && isLong(less.contiguity) &&
           isLong(axes.of(order->more).axes[dimension].constancy);
  }

  /// The dimension of what is moved that becomes this one; none if its elements are repeated.
  static std::optional<unsigned> sourceDimension(Operation *movement, unsigned dimension) {
    if (!tile::isTile(movement->getOperand(0).getType()))
      return std::nullopt;
    for (auto [from, to] : llvm::enumerate(tile::laneMapOf(movement->getOpOperand(0))))
      if (to == static_cast<int>(dimension))
        return from;
    return std::nullopt;
  }

private:
  bool isLong(int64_t length) const { return analysis::axis::powerOfTwoIn(length) >= run; }

  int64_t run;
  const analysis::AxisAnalysis &axes;
};

bool isMovement(Operation *op) {
  return tile::movesLanes(op) && tile::isLanewise(op) && op->getNumOperands() == 1;
}

bool endsRows(Value mask, unsigned dimension, const RunMasks &masks) {
  if (masks.areAlike(mask, dimension))
    return true;
  Operation *op = mask.getDefiningOp();
  if (!op)
    return false;
  if (auto both = llvm::dyn_cast<arith::AndIOp>(op))
    return endsRows(both.getLhs(), dimension, masks) && endsRows(both.getRhs(), dimension, masks);
  if (auto compare = llvm::dyn_cast<arith::CmpIOp>(op))
    return masks.isEnd(compare, dimension);
  if (!isMovement(op))
    return false;
  std::optional<unsigned> source = RunMasks::sourceDimension(op, dimension);
  return source && endsRows(op->getOperand(0), *source, masks);
}

class LeftBuilder {
public:
  LeftBuilder(int64_t run, const RunMasks &masks, const IRMapping &map, OpBuilder &builder)
      : run(run), masks(masks), map(map), builder(builder) {}

  Value of(Value mask, unsigned dimension) {
    if (masks.areAlike(mask, dimension))
      return {};
    Operation *op = mask.getDefiningOp();
    if (auto both = llvm::dyn_cast<arith::AndIOp>(op)) {
      Value left = of(both.getLhs(), dimension), other = of(both.getRhs(), dimension);
      if (!left || !other)
        return left ? left : other;
      return arith::MinUIOp::create(builder, op->getLoc(), left, other);
    }
    if (auto compare = llvm::dyn_cast<arith::CmpIOp>(op))
      return ofCompare(*orderOf(compare), op->getLoc());
    Value source = of(op->getOperand(0), *RunMasks::sourceDimension(op, dimension));
    auto type = llvm::cast<RankedTensorType>(mask.getType()).clone(builder.getI32Type());
    OperationState state(op->getLoc(), op->getName(), source, type, op->getAttrs());
    return builder.create(state)->getResult(0);
  }

private:
  /// Where the comparison holds, the difference is right as a number without sign, whatever wraps.
  Value ofCompare(const Order &order, Location loc) {
    Value less = map.lookupOrDefault(order.less), more = map.lookupOrDefault(order.more);
    auto type = llvm::cast<RankedTensorType>(less.getType());
    auto constant = [&](RankedTensorType of, int64_t value) -> Value {
      auto attribute = builder.getIntegerAttr(of.getElementType(), value);
      return arith::ConstantOp::create(builder, loc,
                                       DenseElementsAttr::get(of, Attribute(attribute)));
    };
    Value left = arith::SubIOp::create(builder, loc, more, less);
    left = arith::MinUIOp::create(builder, loc, left, constant(type, run));
    RankedTensorType narrow = type.clone(builder.getI32Type());
    const unsigned width = type.getElementTypeBitWidth();
    if (width > 32)
      left = arith::TruncIOp::create(builder, loc, narrow, left);
    else if (width < 32)
      left = arith::ExtUIOp::create(builder, loc, narrow, left);
    return order.isStrict
               ? left
               : arith::AddIOp::create(builder, loc, left, constant(narrow, 1)).getResult();
  }

  int64_t run;
  const RunMasks &masks;
  const IRMapping &map;
  OpBuilder &builder;
};

} // namespace

bool endsRows(Value mask, unsigned dimension, int64_t run, const analysis::AxisAnalysis &axes) {
  return endsRows(mask, dimension, RunMasks(run, axes));
}

Value buildLeft(Value mask, unsigned dimension, int64_t run, const analysis::AxisAnalysis &axes,
                const IRMapping &map, OpBuilder &builder) {
  const RunMasks masks(run, axes);
  return LeftBuilder(run, masks, map, builder).of(mask, dimension);
}

} // namespace nereid::backend::gpu
