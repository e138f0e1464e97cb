// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/emit/threads/Operators.h"

#include "frontend/emit/Advice.h"
#include "frontend/emit/threads/Functions.h"
#include "frontend/sema/DeviceFunctions.h"
#include "frontend/sema/ThreadTypes.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace nereid::emit::threads {

using namespace mlir;
using ast::BinaryOp;

namespace {

DType typeOf(const Value &value) {
  if (const auto *tensor = value.as<Tensor>())
    return tensor->dtype();
  return sema::threadLiteralType(*value.as<sema::ConstantValue>());
}

bool areNumbers(const Value &lhs, const Value &rhs) {
  return isNumber(lhs) && isNumber(rhs) && !isPointer(lhs) && !isPointer(rhs);
}

OperandPair brought(Emitter &emitter, const Value &lhs, const Value &rhs, DType type,
                    SourceRange range) {
  return {castNumber(emitter, lhs, type, range), castNumber(emitter, rhs, type, range)};
}

/// Python's // and %, which round down; by zero the dialect gives 0.
Tensor divideFloor(Emitter &emitter, bool isRemainder, const OperandPair &pair, SourceRange range) {
  const auto &[lhs, rhs] = pair;
  if (isInteger(lhs.dtype()) && !isSigned(lhs.dtype()))
    return isRemainder ? emitter.like<arith::RemUIOp>(range, lhs, rhs)
                       : emitter.like<arith::DivUIOp>(range, lhs, rhs);
  auto compare = [&](ast::CompareOp op, const Tensor &x, const Tensor &y) {
    return *emitter.compare(op, x, y, range).as<Tensor>();
  };
  Tensor zero = emitter.constant(sema::ConstantValue(sema::Integer(0)), lhs.type.scalar, range);
  bool isOfFloats = isFloat(lhs.dtype());
  Tensor remainder = isOfFloats ? emitter.like<arith::RemFOp>(range, lhs, rhs)
                                : emitter.like<arith::RemSIOp>(range, lhs, rhs);
  // A remainder of the other sign than the divisor's is one divisor short.
  Tensor isOther = emitter.like<arith::XOrIOp>(range, compare(ast::CompareOp::Lt, remainder, zero),
                                               compare(ast::CompareOp::Lt, rhs, zero));
  Tensor isShort =
      emitter.like<arith::AndIOp>(range, isOther, compare(ast::CompareOp::Ne, remainder, zero));
  auto choose = [&](const Tensor &x, const Tensor &y) {
    return Tensor{emitter.make<arith::SelectOp>(range, isShort.value, x.value, y.value), lhs.type};
  };
  if (isRemainder)
    return choose(isOfFloats ? emitter.like<arith::AddFOp>(range, remainder, rhs)
                             : emitter.like<arith::AddIOp>(range, remainder, rhs),
                  remainder);
  if (!isOfFloats) {
    Tensor quotient = emitter.like<arith::DivSIOp>(range, lhs, rhs);
    return choose(
        emitter.like<arith::SubIOp>(range, quotient, emitter.integer(1, lhs.dtype(), range)),
        quotient);
  }
  Tensor exact = choose(emitter.like<arith::AddFOp>(range, remainder, rhs), remainder);
  Tensor whole =
      emitter.like<arith::DivFOp>(range, emitter.like<arith::SubFOp>(range, lhs, exact), rhs);
  return emitter.like<math::RoundEvenOp>(range, whole);
}

/// x ** n for a constant n from 0 on, by squaring.
Tensor repeat(Emitter &emitter, Tensor base, uint64_t power, SourceRange range) {
  Tensor result = emitter.constant(sema::ConstantValue(sema::Integer(1)), base.type.scalar, range);
  auto times = [&](const Tensor &x, const Tensor &y) {
    return isFloat(x.dtype()) ? emitter.like<arith::MulFOp>(range, x, y)
                              : emitter.like<arith::MulIOp>(range, x, y);
  };
  bool isFirst = true;
  for (; power; power >>= 1, base = power ? times(base, base) : base)
    if (power & 1) {
      result = isFirst ? base : times(result, base);
      isFirst = false;
    }
  return result;
}

/// x ** n of integers, for a run-time n: by squaring, as often as n has bits. A power below 0 is 0,
/// but of 1 and -1.
Tensor integerPower(Emitter &emitter, const Tensor &base, const Tensor &exponent,
                    SourceRange range) {
  OpBuilder &builder = emitter.builder;
  Location loc = emitter.locate(range);
  mlir::Type type = base.value.getType();
  auto number = [&](int64_t value) { return emitter.integer(value, base.dtype(), range); };
  auto holds = [&](ast::CompareOp op, const Tensor &x, const Tensor &y) {
    return emitter.compareSame(op, {x, y}, range).value;
  };
  auto choose = [&](mlir::Value where, const Tensor &x, const Tensor &y) {
    return Tensor{emitter.make<arith::SelectOp>(range, where, x.value, y.value), base.type};
  };
  Tensor zero = number(0), one = number(1), minus = number(-1);
  bool mayBeBelow = isSigned(exponent.dtype());
  mlir::Value isBelow = mayBeBelow ? holds(ast::CompareOp::Lt, exponent, zero) : mlir::Value();
  Tensor size = exponent;
  if (mayBeBelow)
    size = choose(isBelow, emitter.like<arith::SubIOp>(range, zero, exponent), exponent);
  auto loop = scf::WhileOp::create(builder, loc, TypeRange{type, type, type},
                                   ValueRange{base.value, size.value, one.value});
  {
    OpBuilder::InsertionGuard guard(builder);
    llvm::SmallVector<mlir::Type> types(3, type);
    llvm::SmallVector<Location> locations(3, loc);
    Block *test = builder.createBlock(&loop.getBefore(), {}, types, locations);
    Tensor rest{test->getArgument(1), base.type};
    scf::ConditionOp::create(builder, loc, holds(ast::CompareOp::Ne, rest, zero),
                             test->getArguments());
    Block *turn = builder.createBlock(&loop.getAfter(), {}, types, locations);
    Tensor square{turn->getArgument(0), base.type}, bits{turn->getArgument(1), base.type},
        result{turn->getArgument(2), base.type};
    Tensor isOdd = emitter.like<arith::AndIOp>(range, bits, one);
    Tensor more = choose(holds(ast::CompareOp::Ne, isOdd, zero),
                         emitter.like<arith::MulIOp>(range, result, square), result);
    scf::YieldOp::create(builder, loc,
                         ValueRange{emitter.like<arith::MulIOp>(range, square, square).value,
                                    emitter.like<arith::ShRUIOp>(range, bits, one).value,
                                    more.value});
  }
  Tensor result{loop.getResult(2), base.type};
  if (!mayBeBelow)
    return result;
  mlir::Value isUnit = emitter.make<arith::OrIOp>(range, holds(ast::CompareOp::Eq, base, one),
                                                  holds(ast::CompareOp::Eq, base, minus));
  return choose(isBelow, choose(isUnit, result, zero), result);
}

Value power(Emitter &emitter, const Value &lhs, const Value &rhs, SourceRange range) {
  DType type = *sema::threadOperandType(BinaryOp::Pow, typeOf(lhs), typeOf(rhs));
  Tensor base = castNumber(emitter, lhs, type, range);
  auto constant = asConstant(rhs);
  auto integer = constant ? sema::asInteger(*constant) : std::nullopt;
  constexpr sema::Integer mostUnrolled = 64;
  if (integer && *integer >= 0 && *integer <= mostUnrolled)
    return repeat(emitter, base, static_cast<uint64_t>(*integer), range);
  if (isInteger(type))
    return integerPower(emitter, base, castNumber(emitter, rhs, type, range), range);
  Tensor exponent = castNumber(emitter, rhs, type, range);
  return emitter.callDevice(*sema::findDeviceFunction("pow"),
                            {{"", base, range}, {"", exponent, range}}, range);
}

template <typename FloatOp, typename IntegerOp>
Tensor arithmetic(Emitter &emitter, const OperandPair &pair, SourceRange range) {
  return isFloat(pair.lhs.dtype()) ? emitter.like<FloatOp>(range, pair.lhs, pair.rhs)
                                   : emitter.like<IntegerOp>(range, pair.lhs, pair.rhs);
}

/// A shift by as many bits as its own type has, or more, gives what the dialect says.
Tensor combineBits(Emitter &emitter, BinaryOp op, const OperandPair &pair, SourceRange range) {
  const auto &[lhs, rhs] = pair;
  switch (op) {
  case BinaryOp::And:
    return emitter.like<arith::AndIOp>(range, lhs, rhs);
  case BinaryOp::Or:
    return emitter.like<arith::OrIOp>(range, lhs, rhs);
  case BinaryOp::Xor:
    return emitter.like<arith::XOrIOp>(range, lhs, rhs);
  case BinaryOp::Shl:
    return emitter.like<arith::ShLIOp>(range, lhs, rhs);
  default:
    return isSigned(lhs.dtype()) ? emitter.like<arith::ShRSIOp>(range, lhs, rhs)
                                 : emitter.like<arith::ShRUIOp>(range, lhs, rhs);
  }
}

} // namespace

Tensor castNumber(Emitter &emitter, const Value &value, DType type, SourceRange range) {
  const auto *number = value.as<sema::ConstantValue>();
  bool isExact = number && (isFloat(type) || (sema::asInteger(*number) && !isBool(type)));
  return isExact ? emitter.constant(*number, {type}, range)
                 : emitter.cast(emitter.toTensor(value, range), {type}, range);
}

Value binary(Emitter &emitter, BinaryOp op, const Value &lhs, const Value &rhs, SourceRange range) {
  if (!areNumbers(lhs, rhs))
    failOperands(spelling(op), lhs, rhs, range);
  auto type = sema::threadOperandType(op, typeOf(lhs), typeOf(rhs));
  if (!type)
    failOperands(spelling(op), lhs, rhs, range);
  if (op == BinaryOp::Pow)
    return power(emitter, lhs, rhs, range);
  OperandPair pair = brought(emitter, lhs, rhs, *type, range);
  if (op == BinaryOp::Div || op == BinaryOp::FloorDiv || op == BinaryOp::Mod)
    checkDivisor(emitter, pair.rhs, range);
  switch (op) {
  case BinaryOp::Add:
    return arithmetic<arith::AddFOp, arith::AddIOp>(emitter, pair, range);
  case BinaryOp::Sub:
    return arithmetic<arith::SubFOp, arith::SubIOp>(emitter, pair, range);
  case BinaryOp::Mul:
    return arithmetic<arith::MulFOp, arith::MulIOp>(emitter, pair, range);
  case BinaryOp::Div:
    return emitter.like<arith::DivFOp>(range, pair.lhs, pair.rhs);
  case BinaryOp::FloorDiv:
  case BinaryOp::Mod:
    return divideFloor(emitter, op == BinaryOp::Mod, pair, range);
  default:
    return combineBits(emitter, op, pair, range);
  }
}

Value unary(Emitter &emitter, ast::UnaryOp op, const Tensor &operand, SourceRange range) {
  auto type = operand.isPointer() ? std::nullopt : sema::threadOperandType(op, operand.dtype());
  if (!type)
    fail(range, DiagnosticId::operand_type, spelling(op), describe(operand));
  Tensor wide = emitter.cast(operand, {*type}, range);
  if (op == ast::UnaryOp::Plus)
    return wide;
  if (isFloat(*type))
    return emitter.like<arith::NegFOp>(range, wide);
  bool isInvert = op == ast::UnaryOp::Invert;
  if (isBool(*type))
    return emitter.logicalNot(wide, range);
  Tensor other = emitter.integer(isInvert ? -1 : 0, *type, range);
  return isInvert ? emitter.like<arith::XOrIOp>(range, wide, other)
                  : emitter.like<arith::SubIOp>(range, other, wide);
}

std::optional<OperandPair> unify(Emitter &emitter, const Value &lhs, const Value &rhs,
                                 SourceRange range) {
  if (!areNumbers(lhs, rhs))
    return std::nullopt;
  return brought(emitter, lhs, rhs, sema::unifyThreadTypes(typeOf(lhs), typeOf(rhs)), range);
}

Value compare(Emitter &emitter, ast::CompareOp op, const Value &lhs, const Value &rhs,
              SourceRange range) {
  if (!areNumbers(lhs, rhs))
    failOperands(spelling(op), lhs, rhs, range);
  DType type = sema::threadComparisonType(typeOf(lhs), typeOf(rhs));
  OperandPair pair = brought(emitter, lhs, rhs, type, range);
  return emitter.compareSame(op, pair, range);
}

/// The operand as it stands, or `result` where that decides.
static Value evaluateUnlessDecided(Emitter &emitter, ast::BoolOp op, const Value &result,
                                   const ast::Expr &operand) {
  SourceRange range = operand.range;
  auto truth = emitter.condition(result, range);
  if (const bool *known = std::get_if<bool>(&truth))
    return *known == (op == ast::BoolOp::Or) ? result : emitter.evaluate(operand);
  const char *name = "the operand";
  auto define = [&](const Value &value) {
    emitter.frame->scope.define(name, emitter.decay(value, range));
    return Flow::Next;
  };
  emitter.enterRegion(range);
  Emitter::Branch asked = emitter.traceBranch([&] { return define(emitter.evaluate(operand)); });
  Emitter::Branch spared = emitter.traceBranch([&] { return define(result); });
  --emitter.regionDepth;
  bool isAnd = op == ast::BoolOp::And;
  emitter.mergeBranches(std::get<mlir::Value>(truth), isAnd ? asked : spared,
                        isAnd ? spared : asked, range);
  return std::move(emitter.frame->scope.values.extract(name).mapped());
}

Value evaluateBool(Emitter &emitter, const ast::Bool &expr) {
  Value result = emitter.evaluate(*expr.operands[0]);
  for (size_t i = 1; i < expr.operands.size(); ++i)
    result = evaluateUnlessDecided(emitter, expr.op, result, *expr.operands[i]);
  return result;
}

} // namespace nereid::emit::threads
