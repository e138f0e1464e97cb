// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/AxisRules.h"

#include "dialect/tile/Tile.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;

namespace nereid::analysis::axis {
namespace {

using Operands = llvm::ArrayRef<AxisInfo>;

constexpr int64_t mostDivisibility = int64_t(1) << 40;

/// Bytes between neighbours, for pointers, whose divisors count bytes; else 1.
int64_t unitOf(Type type) {
  Type pointee = tile::pointeeOf(type);
  return pointee ? tile::byteSizeOf(tile::elementOf(pointee)) : 1;
}

/// What the values at multiples of `run` divide by: inside a contiguous run, they have gone on by a
/// multiple of what the two lengths share.
int64_t divisibilityAt(const Axis &axis, int64_t run, int64_t unit) {
  if (run % axis.contiguity == 0)
    return axis.divisibility;
  return std::gcd(axis.divisibility, powerOfTwoIn(std::gcd(run, axis.contiguity) * unit));
}

int64_t cappedProduct(int64_t a, int64_t b) {
  return a >= mostDivisibility / b ? mostDivisibility : a * b;
}

AxisInfo constantInfo(Type type, int64_t value) {
  AxisInfo info = unknown(type);
  for (auto [axis, size] : llvm::zip(info.axes, tile::shapeOf(type)))
    axis.constancy = size;
  for (Axis &axis : info.axes)
    axis.divisibility = powerOfTwoIn(value);
  info.constant = value;
  info.isNonNegative = value >= 0;
  info.isCount = value >= 0;
  return info;
}

/// Narrower sums wrap by right (docs/decisions/0007).
bool mayNotWrap(Type type) {
  auto number = llvm::dyn_cast<IntegerType>(tile::elementOf(type));
  return !number || number.getWidth() >= 32;
}

/// `a + b`, where b's divisors are multiplied by `scale` (an offset counts elements, a pointer's
/// divisor bytes), or `a - b`.
AxisInfo sum(Type type, Operands operands, int64_t scale, bool isDifference) {
  AxisInfo info = unknown(type);
  int64_t unit = unitOf(type);
  for (auto [result, a, b] : llvm::zip(info.axes, operands[0].axes, operands[1].axes)) {
    int64_t followsA = std::gcd(a.contiguity, b.constancy);
    int64_t followsB = isDifference ? 1 : std::gcd(a.constancy, b.contiguity);
    result.contiguity = std::max(followsA, followsB);
    result.constancy = std::gcd(a.constancy, b.constancy);
    result.divisibility = std::gcd(divisibilityAt(a, result.contiguity, unit),
                                   cappedProduct(divisibilityAt(b, result.contiguity, 1), scale));
  }
  const bool grows = !isDifference && mayNotWrap(type);
  info.isNonNegative = grows && operands[0].isNonNegative && operands[1].isNonNegative;
  info.isCount = grows && operands[0].isCount && operands[1].isCount;
  return info;
}

AxisInfo product(Type type, Operands operands) {
  for (unsigned side : {0, 1})
    if (operands[side].constant == 1)
      return operands[1 - side];
  AxisInfo info = unknown(type);
  for (auto [result, a, b] : llvm::zip(info.axes, operands[0].axes, operands[1].axes)) {
    result.constancy = std::gcd(a.constancy, b.constancy);
    result.divisibility = cappedProduct(divisibilityAt(a, 1, 1), divisibilityAt(b, 1, 1));
  }
  info.isNonNegative = mayNotWrap(type) && operands[0].isNonNegative && operands[1].isNonNegative;
  info.isCount = mayNotWrap(type) && operands[0].isCount && operands[1].isCount;
  return info;
}

/// Of values from zero up, rounded down: a run that starts at a multiple of the divisor stays at
/// one value until the next. (The divisor's sign makes no difference.) Dividends below zero are
/// taken not to be there where they are counted from parameters (docs/decisions/0007).
AxisInfo quotient(Type type, Operands operands) {
  AxisInfo info = unknown(type);
  const AxisInfo &dividend = operands[0], &divisor = operands[1];
  if (divisor.constant == 1)
    return dividend;
  info.isNonNegative = dividend.isNonNegative && divisor.isNonNegative;
  info.isCount = dividend.isCount && divisor.isCount;
  for (auto [result, a, b] : llvm::zip(info.axes, dividend.axes, divisor.axes)) {
    result.constancy = std::gcd(a.constancy, b.constancy);
    int64_t run = 1;
    if (dividend.isCount) {
      int64_t period = divisibilityAt(b, 1, 1);
      run = std::gcd(std::gcd(a.contiguity, b.constancy), std::gcd(a.divisibility, period));
      result.constancy = std::max(result.constancy, run);
    }
    // Of a run, its first element divides without a rest, and the others are rounded down to it.
    const int64_t first = divisibilityAt(a, run, 1);
    if (divisor.constant && *divisor.constant > 0 && first % *divisor.constant == 0)
      result.divisibility = first / *divisor.constant;
  }
  return info;
}

/// A run that starts at a multiple of its length, which also divides the divisor, does not meet the
/// end of a period. (The divisor's sign makes no difference. By zero, all remainders are defined as
/// zero, which nobody uses as addresses.) Below zero the remainder of a run's first element is 0
/// and those of the rest are negative; `(pid * BLOCK + range) % n` is taken not to be there,
/// whatever pid was computed from (docs/decisions/0007).
AxisInfo remainder(Type type, Operands operands) {
  AxisInfo info = unknown(type);
  const AxisInfo &dividend = operands[0], &divisor = operands[1];
  info.isNonNegative = dividend.isNonNegative;
  info.isCount = dividend.isCount;
  for (auto [result, a, b] : llvm::zip(info.axes, dividend.axes, divisor.axes)) {
    result.constancy = std::gcd(a.constancy, b.constancy);
    int64_t period = divisibilityAt(b, 1, 1);
    int64_t run = std::gcd(std::gcd(a.contiguity, b.constancy), std::gcd(a.divisibility, period));
    result.contiguity = run;
    result.divisibility = std::gcd(divisibilityAt(a, run, 1), period);
  }
  return info;
}

/// A run of v, v + 1, ... against a value that stays: where both are multiples of the run's length,
/// the whole run lies on one side of `<` and `>=`.
AxisInfo comparison(arith::CmpIOp op, Operands operands) {
  using P = arith::CmpIPredicate;
  P predicate = op.getPredicate();
  bool growsLeft = llvm::is_contained({P::slt, P::sge, P::ult, P::uge}, predicate);
  bool growsRight = llvm::is_contained({P::sgt, P::sle, P::ugt, P::ule}, predicate);
  AxisInfo info = unknown(op.getType());
  auto sideOf = [](const Axis &grows, const Axis &stays) {
    int64_t run = std::gcd(grows.contiguity, stays.constancy);
    return std::gcd(run, std::gcd(grows.divisibility, divisibilityAt(stays, 1, 1)));
  };
  for (auto [result, a, b] : llvm::zip(info.axes, operands[0].axes, operands[1].axes)) {
    result.constancy = std::gcd(a.constancy, b.constancy);
    if (growsLeft)
      result.constancy = std::max(result.constancy, sideOf(a, b));
    if (growsRight)
      result.constancy = std::max(result.constancy, sideOf(b, a));
  }
  return info;
}

/// `a ^ b` and `a | b`: of bits that no element of a run has of its own, the same for all of it.
AxisInfo flipped(Type type, Operands operands) {
  AxisInfo info = unknown(type);
  auto runOf = [](const Axis &grows, const Axis &stays) {
    return std::gcd(std::gcd(grows.contiguity, grows.divisibility),
                    std::gcd(stays.constancy, divisibilityAt(stays, 1, 1)));
  };
  for (auto [result, a, b] : llvm::zip(info.axes, operands[0].axes, operands[1].axes)) {
    result.contiguity = std::max(runOf(a, b), runOf(b, a));
    result.constancy = std::gcd(a.constancy, b.constancy);
    result.divisibility =
        std::gcd(divisibilityAt(a, result.contiguity, 1), divisibilityAt(b, result.contiguity, 1));
  }
  info.isNonNegative = operands[0].isNonNegative && operands[1].isNonNegative;
  info.isCount = operands[0].isCount && operands[1].isCount;
  return info;
}

/// Runs where all operands are constant stay constant.
AxisInfo elementwise(Type type, Operands operands) {
  AxisInfo info = unknown(type);
  for (auto [dim, result] : llvm::enumerate(info.axes)) {
    result.constancy = operands.empty() ? 1 : operands[0].axes[dim].constancy;
    for (const AxisInfo &operand : operands)
      result.constancy = std::gcd(result.constancy, operand.axes[dim].constancy);
  }
  return info;
}

AxisInfo selection(Type type, Operands operands) {
  AxisInfo info = meet(operands[1], operands[2], type);
  llvm::ArrayRef<Axis> condition = operands[0].axes;
  for (auto [dim, result] : llvm::enumerate(info.axes)) {
    int64_t unit = unitOf(type);
    int64_t chosen = condition[condition.size() == 1 ? 0 : dim].constancy;
    if (condition.size() == 1 && info.axes.size() > 1)
      chosen = result.contiguity; // one condition for the tile
    int64_t run = std::gcd(result.contiguity, chosen);
    result.divisibility = divisibilityAt(result, run, unit);
    result.contiguity = run;
    result.constancy = std::gcd(result.constancy, chosen);
  }
  return info;
}

/// The smaller or larger of two numbers is one of them, for all elements that have the same two.
AxisInfo extreme(Operation *op, Type type, Operands operands) {
  AxisInfo info = meet(operands[0], operands[1], type);
  for (Axis &result : info.axes) {
    int64_t run = std::gcd(result.contiguity, result.constancy);
    result.divisibility = divisibilityAt(result, run, unitOf(type));
    result.contiguity = run;
  }
  if (llvm::isa<arith::MaxSIOp>(op)) {
    info.isNonNegative = operands[0].isNonNegative || operands[1].isNonNegative;
    info.isCount = operands[0].isCount || operands[1].isCount;
  }
  return info;
}

/// A run that starts at a multiple of its length meets no end of the narrow type; numbers of 32
/// bits and more are taken not to wrap inside a run (docs/decisions/0007).
AxisInfo widening(Operation *op, const AxisInfo &source) {
  AxisInfo info = source;
  bool isSigned = llvm::isa<arith::ExtSIOp>(op);
  unsigned width = tile::elementOf(op->getOperand(0).getType()).getIntOrFloatBitWidth();
  for (Axis &axis : info.axes)
    if (!isSigned || width < 32)
      axis.contiguity = std::gcd(axis.contiguity, axis.divisibility);
  return info;
}

AxisInfo movement(Operation *op, const AxisInfo &source) {
  Type type = op->getResult(0).getType();
  if (!tile::isLanewise(op))
    return unknown(type);
  AxisInfo info = unknown(type);
  info.constant = source.constant;
  info.isNonNegative = source.isNonNegative;
  info.isCount = source.isCount;
  int64_t unit = unitOf(type);
  // Along a dimension in which lanes are repeated or alone, only what holds of all elements does.
  int64_t everywhere = mostDivisibility;
  for (const Axis &axis : source.axes)
    everywhere = std::gcd(everywhere, divisibilityAt(axis, 1, unit));
  for (auto [axis, size] : llvm::zip(info.axes, tile::shapeOf(type))) {
    axis.constancy = size;
    axis.divisibility = everywhere;
  }
  if (!tile::isTile(op->getOperand(0).getType()))
    return info;
  for (auto [from, to] : llvm::enumerate(tile::laneMapOf(op->getOpOperand(0))))
    if (to != tile::none)
      info.axes[to] = source.axes[from];
  return info;
}

AxisInfo hint(tile::HintOp op, const AxisInfo &source) {
  AxisInfo info = source;
  for (auto [axis, amount] : llvm::zip(info.axes, op.getAmounts())) {
    switch (op.getKind()) {
    case tile::HintKind::Divisibility:
      axis.divisibility = std::max(axis.divisibility, powerOfTwoIn(amount));
      break;
    case tile::HintKind::Contiguity:
      axis.contiguity = std::max(axis.contiguity, amount);
      break;
    case tile::HintKind::Constancy:
      axis.constancy = std::max(axis.constancy, amount);
      break;
    }
  }
  return info;
}

AxisInfo shiftLeft(Type type, Operands operands) {
  std::optional<int64_t> amount = operands[1].constant;
  if (!amount || *amount < 0 || *amount > 40)
    return elementwise(type, operands);
  AxisInfo factor = constantInfo(type, int64_t(1) << *amount);
  return product(type, {operands[0], factor});
}

AxisInfo shiftRight(Type type, Operands operands) {
  std::optional<int64_t> amount = operands[1].constant;
  if (!amount || *amount < 0 || *amount > 40)
    return elementwise(type, operands);
  return quotient(type, {operands[0], constantInfo(type, int64_t(1) << *amount)});
}

std::optional<int64_t> constantOf(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)) && constant.getSignificantBits() <= 64)
    return constant.getSExtValue();
  return std::nullopt;
}

} // namespace

bool isTracked(Type type) {
  return llvm::isa<IntegerType, tile::PointerType>(tile::elementOf(type));
}

AxisInfo unknown(Type type) {
  AxisInfo info;
  info.axes.resize(std::max<size_t>(1, tile::shapeOf(type).size()));
  return info;
}

int64_t powerOfTwoIn(int64_t value) {
  return value == 0 ? mostDivisibility : std::min(mostDivisibility, value & -value);
}

AxisInfo meet(const AxisInfo &a, const AxisInfo &b, Type type) {
  if (a == b)
    return a;
  AxisInfo info = unknown(type);
  int64_t unit = unitOf(type);
  for (auto [result, left, right] : llvm::zip(info.axes, a.axes, b.axes)) {
    result.contiguity = std::gcd(left.contiguity, right.contiguity);
    result.constancy = std::gcd(left.constancy, right.constancy);
    result.divisibility = std::gcd(divisibilityAt(left, result.contiguity, unit),
                                   divisibilityAt(right, result.contiguity, unit));
  }
  info.isNonNegative = a.isNonNegative && b.isNonNegative;
  info.isCount = a.isCount && b.isCount;
  return info;
}

AxisInfo ofInduction(const AxisInfo &lower, const AxisInfo &step) {
  AxisInfo info;
  info.axes.resize(1);
  info.axes[0].divisibility = std::gcd(lower.axes[0].divisibility, step.axes[0].divisibility);
  info.isNonNegative = lower.isNonNegative; // a loop runs while its variable grows
  info.isCount = lower.isCount;
  return info;
}

AxisInfo ofOperation(Operation *op, Operands operands) {
  Type type = op->getResult(0).getType();
  if (std::optional<int64_t> constant = constantOf(op->getResult(0)))
    return constantInfo(type, *constant);
  if (auto promise = llvm::dyn_cast<tile::HintOp>(op))
    return hint(promise, operands[0]);
  if (tile::movesLanes(op))
    return movement(op, operands[0]);
  return llvm::TypeSwitch<Operation *, AxisInfo>(op)
      .Case([&](tile::RangeOp range) {
        AxisInfo info = unknown(type);
        const int64_t start = range.getStart();
        info.axes[0].contiguity = tile::shapeOf(type)[0];
        info.axes[0].divisibility = powerOfTwoIn(start);
        info.isNonNegative = start >= 0;
        info.isCount = start >= 0;
        return info;
      })
      .Case<tile::ProgramIdOp, tile::NumProgramsOp>([&](Operation *) {
        AxisInfo info = unknown(type);
        info.isNonNegative = true;
        info.isCount = true;
        return info;
      })
      .Case(
          [&](tile::OffsetOp) { return sum(type, operands, unitOf(type), /*isDifference=*/false); })
      .Case([&](arith::AddIOp) { return sum(type, operands, 1, /*isDifference=*/false); })
      .Case([&](arith::SubIOp) { return sum(type, operands, 1, /*isDifference=*/true); })
      .Case([&](arith::MulIOp) { return product(type, operands); })
      .Case([&](arith::ShLIOp) { return shiftLeft(type, operands); })
      .Case<arith::ShRSIOp, arith::ShRUIOp>([&](Operation *) { return shiftRight(type, operands); })
      .Case<arith::DivSIOp, arith::DivUIOp>([&](Operation *) { return quotient(type, operands); })
      .Case<arith::RemSIOp, arith::RemUIOp>([&](Operation *) { return remainder(type, operands); })
      .Case<arith::XOrIOp, arith::OrIOp>([&](Operation *) { return flipped(type, operands); })
      .Case([&](arith::CmpIOp compare) { return comparison(compare, operands); })
      .Case([&](arith::SelectOp) { return selection(type, operands); })
      .Case<arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp, arith::MaxUIOp>(
          [&](Operation *) { return extreme(op, type, operands); })
      .Case<arith::ExtSIOp, arith::ExtUIOp>([&](Operation *) { return widening(op, operands[0]); })
      .Default([&](Operation *) {
        return tile::isElementwise(op) ? elementwise(type, operands) : unknown(type);
      });
}

} // namespace nereid::analysis::axis
