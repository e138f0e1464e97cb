// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Python's operators on constants and on run-time values.
#include "frontend/emit/threads/Operators.h"
#include "dialect/tile/Exact.h"
#include "frontend/emit/Emitter.h"
#include "frontend/emit/threads/Complex.h"
#include "frontend/emit/threads/Texts.h"
#include "frontend/emit/threads/Times.h"

namespace nereid::emit {

using namespace mlir;
using ast::BinaryOp;
using ast::CompareOp;
using sema::ConstantValue;
using sema::ScalarType;

namespace {

bool isBitwise(BinaryOp op) {
  return op == BinaryOp::Shl || op == BinaryOp::Shr || op == BinaryOp::And || op == BinaryOp::Or ||
         op == BinaryOp::Xor;
}

bool isDivision(BinaryOp op) {
  return op == BinaryOp::Div || op == BinaryOp::FloorDiv || op == BinaryOp::Mod;
}

/// Tuples join with + and repeat with *.
std::optional<Value> combineTuples(Emitter &emitter, BinaryOp op, const Value &lhs,
                                   const Value &rhs, SourceRange range) {
  const auto *left = lhs.as<Tuple>(), *right = rhs.as<Tuple>();
  Tuple result;
  if (op == BinaryOp::Add && left && right) {
    result = *left;
    result.elements.insert(result.elements.end(), right->elements.begin(), right->elements.end());
    return emitter.checkedTuple(std::move(result), range);
  }
  auto count = left ? asConstant(rhs) : asConstant(lhs);
  auto repeats = count ? sema::asInteger(*count) : std::nullopt;
  const Tuple *tuple = left ? left : right;
  if (op != BinaryOp::Mul || !tuple || !repeats)
    return std::nullopt;
  for (sema::Integer i = 0; i < *repeats && !tuple->elements.empty(); ++i) {
    result.elements.insert(result.elements.end(), tuple->elements.begin(), tuple->elements.end());
    emitter.checkTupleSize(result.elements.size(), range);
  }
  return emitter.checkedTuple(std::move(result), range);
}

} // namespace

/// pointer + integer, integer + pointer and pointer - integer.
static Tensor movePointer(Emitter &emitter, BinaryOp op, const Value &lhs, const Value &rhs,
                          SourceRange range) {
  bool isLeft = isPointer(lhs);
  const Value &pointer = isLeft ? lhs : rhs, &steps = isLeft ? rhs : lhs;
  bool isMove = op == BinaryOp::Add || (op == BinaryOp::Sub && isLeft);
  if (!isMove || !isNumber(steps) || isPointer(steps))
    failOperands(spelling(op), lhs, rhs, range);
  Tensor amount = emitter.toTensor(steps, range);
  if (isFloat(amount.dtype()))
    failOperands(spelling(op), lhs, rhs, range);
  return emitter.offset(*pointer.as<Tensor>(), amount, op == BinaryOp::Sub, range);
}

Value Emitter::binary(BinaryOp op, const Value &lhs, const Value &rhs, SourceRange range) {
  const auto *left = lhs.as<ConstantValue>(), *right = rhs.as<ConstantValue>();
  if (left && right)
    return sema::fold(op, *left, *right, range);
  if (isOfThreads())
    for (auto compute : {threads::complexBinary, threads::timeBinary})
      if (auto result = compute(*this, op, lhs, rhs, range))
        return *result;
  if (lhs.is<Tuple>() || rhs.is<Tuple>())
    if (auto tuple = combineTuples(*this, op, lhs, rhs, range))
      return *tuple;
  if (isPointer(lhs) || isPointer(rhs))
    return movePointer(*this, op, lhs, rhs, range);
  if (isOfThreads())
    return threads::binary(*this, op, lhs, rhs, range);
  if (op == BinaryOp::Pow || op == BinaryOp::MatMul)
    failOperands(spelling(op), lhs, rhs, range);
  OperandPair pair = promoteOperands(lhs, rhs, isDivision(op), spelling(op), range);
  bool needsIntegers = isBitwise(op) || op == BinaryOp::FloorDiv;
  if (needsIntegers && isFloat(pair.lhs.dtype()))
    failOperands(spelling(op), lhs, rhs, range);
  if (isBitwise(op)) {
    const auto *shifted = lhs.as<Tensor>();
    return combineBits(op, pair, isSigned(shifted ? shifted->dtype() : pair.lhs.dtype()), range);
  }
  if (isDivision(op))
    return divide(op, pair, frame->function && frame->function->floorsDivision, range);
  if (op == BinaryOp::Add)
    return arithmetic<arith::AddFOp, arith::AddIOp>(pair, range);
  if (op == BinaryOp::Sub)
    return arithmetic<arith::SubFOp, arith::SubIOp>(pair, range);
  Tensor product = arithmetic<arith::MulFOp, arith::MulIOp>(pair, range);
  // The library's functions say themselves where they round.
  if (frame->isLibrary)
    tile::makeExact(product.value);
  return product;
}

Value Emitter::unary(ast::UnaryOp op, const Value &operand, SourceRange range) {
  if (op == ast::UnaryOp::Not)
    return logicalNot(operand, range);
  if (const auto *constant = operand.as<ConstantValue>())
    return sema::fold(op, *constant, range);
  const auto *tensor = operand.as<Tensor>();
  if (tensor && isOfThreads())
    return threads::unary(*this, op, *tensor, range);
  for (auto compute : {threads::complexUnary, threads::timeUnary})
    if (auto result = compute(*this, op, operand, range))
      return *result;
  bool isRefused =
      !tensor || tensor->isPointer() || (op == ast::UnaryOp::Invert && isFloat(tensor->dtype()));
  if (isRefused)
    fail(range, DiagnosticId::operand_type, spelling(op), describe(operand));
  if (op == ast::UnaryOp::Plus)
    return operand;
  if (op == ast::UnaryOp::Minus && isFloat(tensor->dtype()))
    return like<arith::NegFOp>(range, *tensor);
  bool isInvert = op == ast::UnaryOp::Invert;
  Tensor other = splat(integer(isInvert ? -1 : 0, tensor->dtype(), range), tensor->shape(), range);
  return isInvert ? like<arith::XOrIOp>(range, *tensor, other)
                  : like<arith::SubIOp>(range, other, *tensor);
}

namespace {

bool isFalse(const Value &value) {
  auto constant = asConstant(value);
  return constant && !sema::isTrue(*constant);
}

/// As Python orders tuples: by the first elements that differ, or else by their number. Nothing if
/// these are no constants.
std::optional<Value> compareOrder(CompareOp op, const Tuple &lhs, const Tuple &rhs,
                                  SourceRange range) {
  auto [left, right] =
      std::ranges::mismatch(lhs.elements, rhs.elements, [](const Value &one, const Value &other) {
        const auto *x = one.as<ConstantValue>(), *y = other.as<ConstantValue>();
        return x && y && sema::isEqual(*x, *y);
      });
  bool isWithin = left != lhs.elements.end() && right != rhs.elements.end();
  if (!isWithin)
    return boolValue(sema::fold(op, sema::Integer(lhs.elements.size()),
                                sema::Integer(rhs.elements.size()), range));
  const auto *x = left->as<ConstantValue>(), *y = right->as<ConstantValue>();
  return x && y ? std::optional(boolValue(sema::fold(op, *x, *y, range))) : std::nullopt;
}

/// Whether both are True or False, of which the run may decide which.
bool areTruths(const Value &lhs, const Value &rhs) {
  auto isTruth = [](const Value &value) {
    const auto *constant = value.as<ConstantValue>();
    const auto *tensor = value.as<Tensor>();
    return (constant && std::holds_alternative<bool>(*constant)) ||
           (tensor && tensor->type.scalar == ScalarType{DType::Int1});
  };
  return isTruth(lhs) && isTruth(rhs);
}

/// Whether both are tuples of one class with names.
bool areOfOneClass(const Value &lhs, const Value &rhs) {
  const auto *left = lhs.as<Tuple>(), *right = rhs.as<Tuple>();
  return left && right && left->record && left->record == right->record;
}

/// `is`, `in` and comparisons of what is not a number; nothing if both may be numbers.
std::optional<Value> compareIdentity(Emitter &emitter, CompareOp op, const Value &lhs,
                                     const Value &rhs, SourceRange range) {
  if (op == CompareOp::Is || op == CompareOp::IsNot) {
    // Of True and False there is one each, and of each member of an enumeration.
    if (emitter.isOfThreads() && (areTruths(lhs, rhs) || areOfOneClass(lhs, rhs)))
      return emitter.compare(op == CompareOp::Is ? CompareOp::Eq : CompareOp::Ne, lhs, rhs, range);
    return boolValue(isSame(lhs, rhs) == (op == CompareOp::Is));
  }
  const auto *tuple = rhs.as<Tuple>();
  if (const auto *dictionary = rhs.as<Dictionary>();
      dictionary && (op == CompareOp::In || op == CompareOp::NotIn))
    return boolValue((dictionary->find(lhs) != nullptr) == (op == CompareOp::In));
  if ((op == CompareOp::In || op == CompareOp::NotIn) && tuple) {
    Value found = boolValue(false);
    for (const Value &element : tuple->elements)
      found = emitter.logical(ast::BoolOp::Or, found,
                              emitter.compare(CompareOp::Eq, lhs, element, range), range);
    return op == CompareOp::In ? found : emitter.logicalNot(found, range);
  }
  bool isEquality = op == CompareOp::Eq || op == CompareOp::Ne;
  bool isForgottenCall = (isCallable(lhs) && isNumber(rhs)) || (isNumber(lhs) && isCallable(rhs));
  if (isEquality && isForgottenCall)
    failWithNote(range, {{}, "a function is called with (...); `is` compares what it is"},
                 DiagnosticId::operand_types, spelling(op), describe(lhs), describe(rhs));
  if (const auto *left = lhs.as<Tuple>(); left && tuple && isEquality) {
    Value isEqual = boolValue(left->elements.size() == tuple->elements.size());
    for (size_t i = 0; i < left->elements.size() && !isFalse(isEqual); ++i)
      isEqual = emitter.logical(
          ast::BoolOp::And, isEqual,
          emitter.compare(CompareOp::Eq, left->elements[i], tuple->elements[i], range), range);
    return op == CompareOp::Eq ? isEqual : emitter.logicalNot(isEqual, range);
  }
  if (isEquality && (!isNumber(lhs) || !isNumber(rhs)))
    return boolValue(isSame(lhs, rhs) == (op == CompareOp::Eq));
  if (const auto *left = lhs.as<Tuple>(); left && tuple)
    return compareOrder(op, *left, *tuple, range);
  return std::nullopt;
}

} // namespace

Value Emitter::compare(CompareOp op, const Value &lhs, const Value &rhs, SourceRange range) {
  const auto *left = lhs.as<ConstantValue>(), *right = rhs.as<ConstantValue>();
  if (left && right)
    return boolValue(sema::fold(op, *left, *right, range));
  if (isOfThreads() && op != CompareOp::Is && op != CompareOp::IsNot)
    for (auto ask : {threads::complexCompare, threads::timeCompare, threads::textCompare})
      if (auto result = ask(*this, op, lhs, rhs, range))
        return *result;
  if (auto result = compareIdentity(*this, op, lhs, rhs, range))
    return *result;
  if (op == CompareOp::In || op == CompareOp::NotIn)
    failOperands(spelling(op), lhs, rhs, range);
  if (isOfThreads())
    return threads::compare(*this, op, lhs, rhs, range);
  // Unlike in arithmetic, a number becomes a scalar first and takes part in promotion, so that a
  // tile is compared with the number that the author wrote and not with what its type makes of it.
  auto scalarOf = [&](const Value &value) {
    return isNumber(value) ? Value(toTensor(value, range)) : value;
  };
  return compareSame(op, promoteOperands(scalarOf(lhs), scalarOf(rhs), false, spelling(op), range),
                     range);
}

Value Emitter::logical(ast::BoolOp op, const Value &lhs, const Value &rhs, SourceRange range) {
  // A constant decides, or has no part in it; two run-time values are combined bit by bit.
  bool decides = op == ast::BoolOp::Or;
  if (auto left = knownTruth(lhs))
    return *left == decides ? lhs : rhs;
  if (const auto *right = rhs.as<ConstantValue>())
    return sema::isTrue(*right) == decides ? rhs : lhs;
  const auto *left = lhs.as<Tensor>(), *right = rhs.as<Tensor>();
  auto isBoolean = [](const Tensor *tensor) {
    return tensor && tensor->type.scalar == ScalarType{DType::Int1};
  };
  if (!isBoolean(left) || !isBoolean(right))
    failWithNote(range, {{}, "both sides must be int1; compare with != 0"},
                 DiagnosticId::operand_types, spelling(op), describe(lhs), describe(rhs));
  OperandPair pair = broadcast(*left, *right, range);
  return op == ast::BoolOp::And ? like<arith::AndIOp>(range, pair.lhs, pair.rhs)
                                : like<arith::OrIOp>(range, pair.lhs, pair.rhs);
}

Value Emitter::logicalNot(const Value &operand, SourceRange range) {
  if (const auto *constant = operand.as<ConstantValue>())
    return boolValue(!sema::isTrue(*constant));
  if (threads::complexOf(operand))
    return *threads::complexCompare(*this, CompareOp::Eq, operand, integerValue(0), range);
  if (const auto *tuple = operand.as<Tuple>())
    return boolValue(tuple->elements.empty());
  const auto *tensor = operand.as<Tensor>();
  if (!tensor)
    fail(range, DiagnosticId::operand_type, "not", describe(operand));
  Tensor truth = notZero(*tensor, range);
  Tensor ones = splat(constant(ConstantValue(true), {DType::Int1}, range), truth.shape(), range);
  return like<arith::XOrIOp>(range, truth, ones);
}

} // namespace nereid::emit
