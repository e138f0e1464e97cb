// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What operators make of numbers and tiles, once it is known that their operands are no more than
// these.
#include "frontend/emit/tiles/SoftwareFloat.h"
#include "frontend/emit/tiles/TileBuilder.h"
#include "frontend/sema/Promotion.h"

namespace nereid::emit {

using namespace mlir;
using ast::BinaryOp;
using ast::CompareOp;
using sema::ConstantValue;
using sema::ScalarType;

void failOperands(std::string_view op, const Value &lhs, const Value &rhs, SourceRange range) {
  auto isPointer = [](const Value &value) {
    const auto *tensor = value.as<Tensor>();
    return tensor && tensor->isPointer();
  };
  if (isPointer(lhs) || isPointer(rhs))
    failWithNote(range,
                 {{}, "a pointer moves by integers, which count elements: pointer + offsets"},
                 DiagnosticId::operand_types, op, describe(lhs), describe(rhs));
  fail(range, DiagnosticId::operand_types, op, describe(lhs), describe(rhs));
}

OperandPair TileBuilder::promoteOperands(const Value &lhs, const Value &rhs, bool isDivision,
                                         std::string_view op, SourceRange range) {
  if (!isNumber(lhs) || !isNumber(rhs) || isPointer(lhs) || isPointer(rhs))
    failOperands(op, lhs, rhs, range);
  auto operandOf = [](const Value &value) -> sema::PromotionOperand {
    if (const auto *tensor = value.as<Tensor>())
      return {tensor->type.scalar, nullptr};
    const auto *literal = value.as<ConstantValue>();
    return {{sema::typeOfLiteral(*literal)}, literal};
  };
  ScalarType type{sema::promote(operandOf(lhs), operandOf(rhs), isDivision, op, range)};
  auto convert = [&](const Value &value) {
    const auto *literal = value.as<ConstantValue>();
    return literal ? constant(*literal, type, range) : cast(*value.as<Tensor>(), type, range);
  };
  Tensor left = convert(lhs), right = convert(rhs);
  return broadcast(left, right, range);
}

Tensor TileBuilder::offset(const Tensor &pointer, const Tensor &amount, bool isNegative,
                           SourceRange range) {
  Tensor steps = amount;
  if (!isSigned(steps.dtype())) // tile.offset reads a sign
    steps = cast(steps, {DType::Int64}, range);
  if (isNegative) {
    Tensor zero = splat(integer(0, steps.dtype(), range), steps.shape(), range);
    steps = like<arith::SubIOp>(range, zero, steps);
  }
  OperandPair pair = broadcast(pointer, steps, range);
  return like<tile::OffsetOp>(range, pair.lhs, pair.rhs);
}

/// The quotient of signed integers rounded down, or what it leaves, which has the divisor's sign.
static Tensor divideAsPython(TileBuilder &tiles, BinaryOp op, const OperandPair &pair,
                             SourceRange range) {
  auto all = [&](int64_t value) {
    Tensor scalar = tiles.integer(value, pair.lhs.dtype(), range);
    return tiles.splat(scalar, pair.lhs.shape(), range);
  };
  auto isBelow = [&](const Tensor &lhs, const Tensor &rhs) {
    return Tensor{tiles.make<arith::CmpIOp>(range, arith::CmpIPredicate::slt, lhs.value, rhs.value),
                  lhs.type.with({DType::Int1})};
  };
  Tensor rest = tiles.like<arith::RemSIOp>(range, pair.lhs, pair.rhs), zero = all(0);
  Tensor isNonzero{
      tiles.make<arith::CmpIOp>(range, arith::CmpIPredicate::ne, rest.value, zero.value),
      rest.type.with({DType::Int1})};
  Tensor differ = tiles.like<arith::XOrIOp>(range, isBelow(rest, zero), isBelow(pair.rhs, zero));
  mlir::Value isOff = tiles.like<arith::AndIOp>(range, isNonzero, differ).value;
  Tensor plain = op == BinaryOp::Mod ? rest : tiles.like<arith::DivSIOp>(range, pair.lhs, pair.rhs);
  Tensor moved = op == BinaryOp::Mod ? tiles.like<arith::AddIOp>(range, plain, pair.rhs)
                                     : tiles.like<arith::SubIOp>(range, plain, all(1));
  return {tiles.make<arith::SelectOp>(range, isOff, moved.value, plain.value), plain.type};
}

Tensor TileBuilder::divide(BinaryOp op, OperandPair pair, bool floors, SourceRange range) {
  if (op == BinaryOp::Div) {
    if (isInteger(pair.lhs.dtype()))
      pair = {cast(pair.lhs, {DType::Float32}, range), cast(pair.rhs, {DType::Float32}, range)};
    return like<arith::DivFOp>(range, pair.lhs, pair.rhs);
  }
  if (floors && isInteger(pair.lhs.dtype()) && isSigned(pair.lhs.dtype()))
    return divideAsPython(*this, op, pair, range);
  if (op == BinaryOp::Mod)
    return arithmetic<arith::RemFOp, arith::RemSIOp, arith::RemUIOp>(pair, range);
  return isSigned(pair.lhs.dtype()) ? like<arith::DivSIOp>(range, pair.lhs, pair.rhs)
                                    : like<arith::DivUIOp>(range, pair.lhs, pair.rhs);
}

Tensor TileBuilder::combineBits(BinaryOp op, const OperandPair &pair, bool isArithmetic,
                                SourceRange range) {
  switch (op) {
  case BinaryOp::Shl:
    return like<arith::ShLIOp>(range, pair.lhs, pair.rhs);
  case BinaryOp::Shr:
    return isArithmetic ? like<arith::ShRSIOp>(range, pair.lhs, pair.rhs)
                        : like<arith::ShRUIOp>(range, pair.lhs, pair.rhs);
  case BinaryOp::And:
    return like<arith::AndIOp>(range, pair.lhs, pair.rhs);
  case BinaryOp::Or:
    return like<arith::OrIOp>(range, pair.lhs, pair.rhs);
  default:
    return like<arith::XOrIOp>(range, pair.lhs, pair.rhs);
  }
}

static arith::CmpFPredicate floatPredicate(CompareOp op) {
  switch (op) {
  case CompareOp::Eq:
    return arith::CmpFPredicate::OEQ;
  case CompareOp::Ne:
    return arith::CmpFPredicate::UNE;
  case CompareOp::Lt:
    return arith::CmpFPredicate::OLT;
  case CompareOp::Le:
    return arith::CmpFPredicate::OLE;
  case CompareOp::Gt:
    return arith::CmpFPredicate::OGT;
  default:
    return arith::CmpFPredicate::OGE;
  }
}

static arith::CmpIPredicate integerPredicate(CompareOp op, bool isSigned) {
  using Predicate = arith::CmpIPredicate;
  switch (op) {
  case CompareOp::Eq:
    return Predicate::eq;
  case CompareOp::Ne:
    return Predicate::ne;
  case CompareOp::Lt:
    return isSigned ? Predicate::slt : Predicate::ult;
  case CompareOp::Le:
    return isSigned ? Predicate::sle : Predicate::ule;
  case CompareOp::Gt:
    return isSigned ? Predicate::sgt : Predicate::ugt;
  default:
    return isSigned ? Predicate::sge : Predicate::uge;
  }
}

Tensor TileBuilder::compareSame(CompareOp op, OperandPair pair, SourceRange range) {
  sema::ValueType type = pair.lhs.type.with({DType::Int1});
  if (isSoftwareFloat(pair.lhs.dtype()))
    pair = {cast(pair.lhs, {DType::Float32}, range), cast(pair.rhs, {DType::Float32}, range)};
  if (isFloat(pair.lhs.dtype()))
    return Tensor{make<arith::CmpFOp>(range, floatPredicate(op), pair.lhs.value, pair.rhs.value),
                  type};
  auto predicate = integerPredicate(op, isSigned(pair.lhs.dtype()));
  return Tensor{make<arith::CmpIOp>(range, predicate, pair.lhs.value, pair.rhs.value), type};
}

Tensor TileBuilder::minimumOrMaximum(bool isMaximum, Value lhs, Value rhs, bool propagateNan,
                                     SourceRange range) {
  // Numbers become scalars first, so unlike in `x + 1` they take part in promotion.
  for (Value *operand : {&lhs, &rhs}) {
    Tensor tensor = toTensor(*operand, range);
    bool isNarrow = !tensor.isPointer() && tensor.dtype() == DType::BFloat16;
    *operand = isNarrow ? cast(tensor, {DType::Float32}, range) : tensor;
  }
  std::string_view name = isMaximum ? "maximum" : "minimum";
  OperandPair pair = promoteOperands(lhs, rhs, false, name, range);
  if (!isFloat(pair.lhs.dtype()))
    return isMaximum ? arithmetic<arith::MaxNumFOp, arith::MaxSIOp, arith::MaxUIOp>(pair, range)
                     : arithmetic<arith::MinNumFOp, arith::MinSIOp, arith::MinUIOp>(pair, range);
  if (propagateNan)
    return isMaximum ? like<arith::MaximumFOp>(range, pair.lhs, pair.rhs)
                     : like<arith::MinimumFOp>(range, pair.lhs, pair.rhs);
  return isMaximum ? like<arith::MaxNumFOp>(range, pair.lhs, pair.rhs)
                   : like<arith::MinNumFOp>(range, pair.lhs, pair.rhs);
}

} // namespace nereid::emit
