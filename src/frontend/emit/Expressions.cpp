// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/emit/Advice.h"
#include "frontend/emit/threads/Arrays.h"
#include "frontend/emit/threads/Complex.h"
#include "frontend/emit/threads/Operators.h"
#include "frontend/sema/FormatSpec.h"

namespace nereid::emit {

using sema::ConstantValue;

/// How much a value is to make and to hand on, in elements.
static uint64_t weightOf(const Value &value) {
  constexpr size_t charactersOfAnElement = 100;
  if (const auto *tuple = value.as<Tuple>())
    return tuple->elements.size();
  const auto *constant = value.as<ConstantValue>();
  const auto *text = constant ? std::get_if<std::string>(constant) : nullptr;
  return text ? text->size() / charactersOfAnElement : 0;
}

Value Emitter::evaluate(const ast::Expr &expr) {
  countStep(expr.range);
  DepthGuard guard(*this, expr.range);
  Value value = evaluateKind(expr);
  if (uint64_t weight = weightOf(value))
    countStep(expr.range, weight);
  return value;
}

Value Emitter::evaluateKind(const ast::Expr &expr) {
  if (frame->isHost)
    if (auto given = definition(expr))
      return *given;
  using Kind = ast::ExprKind;
  switch (expr.kind) {
  case Kind::Name:
    return lookUp(llvm::cast<ast::Name>(expr));
  case Kind::Constant:
    if (auto value = literalOfThreads(llvm::cast<ast::Constant>(expr)))
      return *value;
    return sema::valueOf(llvm::cast<ast::Constant>(expr));
  case Kind::FString:
    return evaluateFString(llvm::cast<ast::FString>(expr));
  case Kind::Tuple:
    return evaluateElements(llvm::cast<ast::Tuple>(expr).elements, expr.range);
  case Kind::List:
    return evaluateElements(llvm::cast<ast::List>(expr).elements, expr.range);
  case Kind::Dictionary:
    return evaluateDictionary(llvm::cast<ast::Dictionary>(expr));
  case Kind::ListComprehension:
    return evaluateComprehension(llvm::cast<ast::ListComprehension>(expr));
  case Kind::Attribute:
    return evaluateAttribute(llvm::cast<ast::Attribute>(expr));
  case Kind::Subscript:
    return evaluateSubscript(llvm::cast<ast::Subscript>(expr));
  case Kind::Slice:
    return evaluateSlice(llvm::cast<ast::Slice>(expr));
  case Kind::Call:
    return evaluateCall(llvm::cast<ast::Call>(expr));
  case Kind::Unary: {
    const auto &unaryExpr = llvm::cast<ast::Unary>(expr);
    return unary(unaryExpr.op, evaluate(*unaryExpr.operand), expr.range);
  }
  case Kind::Binary:
    return evaluateBinary(llvm::cast<ast::Binary>(expr));
  case Kind::Bool:
    return evaluateBool(llvm::cast<ast::Bool>(expr));
  case Kind::Compare:
    return evaluateCompare(llvm::cast<ast::Compare>(expr));
  case Kind::Conditional:
    return conditional(llvm::cast<ast::Conditional>(expr));
  case Kind::NamedExpr: {
    const auto &named = llvm::cast<ast::NamedExpr>(expr);
    assignName(named.name, evaluate(*named.value), expr.range);
    return frame->scope.values[named.name];
  }
  }
  NEREID_UNREACHABLE("an expression of unknown kind");
}

void Emitter::checkTupleSize(size_t size, SourceRange range) {
  constexpr size_t longest = 65536;
  if (size > longest)
    fail(range, DiagnosticId::constant_too_long, size, longest);
}

static size_t totalSize(const Value &value) {
  const auto *tuple = value.as<Tuple>();
  size_t size = 1;
  for (size_t i = 0; tuple && i < tuple->elements.size(); ++i)
    size += totalSize(tuple->elements[i]);
  return size;
}

Value Emitter::checkedTuple(Tuple tuple, SourceRange range) {
  Value value = std::move(tuple);
  size_t size = totalSize(value);
  checkTupleSize(size, range);
  countStep(range, size);
  return value;
}

Value Emitter::evaluateElements(const ast::ExprList &elements, SourceRange range) {
  Tuple tuple;
  for (const ast::ExprPtr &element : elements)
    tuple.elements.push_back(evaluate(*element));
  return checkedTuple(std::move(tuple), range);
}

/// `{value:format}`, of what is known.
static Value formatted(const Value &value, const ast::FString::Piece &piece) {
  SourceRange range = piece.value->range;
  auto constant = asConstant(value);
  if (!constant)
    failWithNote(range,
                 {{}, "a value of the run is printed in full: {" + std::string(range.text()) + "}"},
                 DiagnosticId::not_constexpr, "what is formatted by ':" + piece.format + "'");
  if (piece.conversion != 's')
    constant = sema::ConstantValue(sema::repr(*constant));
  auto text = sema::format(*constant, piece.format);
  if (!text)
    fail(range, DiagnosticId::argument_value, "format", "an f-string",
         "one that Python knows for " + sema::typeName(*constant), "'" + piece.format + "'");
  return stringValue(*text);
}

Value Emitter::evaluateFString(const ast::FString &expr) {
  FormattedText text;
  std::string current;
  for (const ast::FString::Piece &piece : expr.pieces) {
    current += piece.literal;
    if (!piece.value)
      continue;
    Value value = evaluate(*piece.value);
    if (!piece.format.empty())
      value = formatted(value, piece);
    sema::checkTextSize(sema::Integer(current.size()), expr.range);
    if (const auto *tensor = value.as<Tensor>()) {
      text.texts.push_back(std::exchange(current, ""));
      text.values.push_back(*tensor);
    } else if (const auto *constant = value.as<ConstantValue>()) {
      bool isText = piece.conversion == 's' || !piece.format.empty();
      current += isText ? sema::str(*constant) : sema::repr(*constant);
    } else {
      current += toText(value);
    }
  }
  if (text.values.empty())
    return stringValue(current);
  text.texts.push_back(current);
  return text;
}

std::optional<Value> Emitter::literalOfThreads(const ast::Constant &literal) {
  if (literal.valueKind == ast::Constant::Kind::Ellipsis && isOfThreads())
    return Value(ClassReference{std::string(threads::ellipsis)});
  if (literal.valueKind == ast::Constant::Kind::Bytes && isOfThreads())
    return stringValue(literal.stringValue);
  if (literal.valueKind != ast::Constant::Kind::Imaginary || !isOfThreads())
    return std::nullopt;
  auto part = [&](double value) {
    return threads::castNumber(*this, ConstantValue(value), DType::Float64, literal.range);
  };
  return threads::complexValue({part(0), part(literal.floatValue)});
}

Value Emitter::evaluateBinary(const ast::Binary &chain) {
  Value value = evaluate(*chain.first);
  for (const ast::Binary::Step &step : chain.steps) {
    countStep(step.range);
    Value operand = evaluate(*step.operand);
    SourceRange before{step.range.file, step.range.begin, step.opRange.begin};
    SourceRange after{step.range.file, step.opRange.end, step.range.end};
    if (!isOfThreads())
      refuseOperator(step.op, llvm::StringRef(before.text()).trim(), value,
                     llvm::StringRef(after.text()).trim(), operand, step.range);
    value = binary(step.op, value, operand, step.range);
  }
  return value;
}

Value Emitter::evaluateSubscript(const ast::Subscript &expr) {
  Value object = evaluate(*expr.object);
  refuseElement(expr, object);
  return subscript(object, evaluate(*expr.index), expr.range);
}

Value Emitter::evaluateBool(const ast::Bool &expr) {
  if (isOfThreads())
    return threads::evaluateBool(*this, expr);
  Value result = evaluate(*expr.operands[0]);
  for (size_t i = 1; i < expr.operands.size(); ++i) {
    if (knownTruth(result) == (expr.op == ast::BoolOp::Or))
      return result;
    result = logical(expr.op, result, evaluate(*expr.operands[i]), expr.range);
  }
  return result;
}

Value Emitter::evaluateCompare(const ast::Compare &expr) {
  Value lhs = evaluate(*expr.operands[0]);
  Value result;
  for (size_t i = 0; i < expr.ops.size(); ++i) {
    Value rhs = evaluate(*expr.operands[i + 1]);
    Value holds = compare(expr.ops[i], lhs, rhs, expr.range);
    result = i == 0 ? holds : logical(ast::BoolOp::And, result, holds, expr.range);
    const auto *constant = result.as<ConstantValue>();
    if (constant && !sema::isTrue(*constant))
      return result;
    lhs = std::move(rhs);
  }
  return result;
}

Value Emitter::evaluateComprehension(const ast::ListComprehension &expr) {
  Value iterable = evaluate(*expr.iterable);
  std::vector<Value> elements;
  if (const auto *tuple = iterable.as<Tuple>())
    elements = tuple->elements;
  else if (const auto *range = iterable.as<RangeValue>())
    elements = staticElements(*range, expr.iterable->range);
  else if (const auto *dictionary = iterable.as<Dictionary>())
    elements = dictionary->keys;
  else
    fail(expr.iterable->range, DiagnosticId::cannot_iterate, describe(iterable));
  Scope outer = frame->scope;
  Tuple result;
  for (const Value &element : elements) {
    if (const auto *name = llvm::dyn_cast<ast::Name>(expr.target.get()))
      frame->scope.define(name->name, element); // stays a constexpr
    else
      assign(*expr.target, element);
    bool isWanted = llvm::all_of(expr.conditions, [&](const ast::ExprPtr &filter) {
      return constantCondition(evaluate(*filter), "the filter of a list", filter->range);
    });
    if (isWanted)
      result.elements.push_back(evaluate(*expr.element));
  }
  frame->scope = std::move(outer);
  return checkedTuple(std::move(result), expr.range);
}

Value Emitter::evaluateSlice(const ast::Slice &expr) {
  auto part = [&](const ast::ExprPtr &bound) {
    return bound ? share(evaluate(*bound)) : std::shared_ptr<const Value>();
  };
  SliceValue slice;
  slice.lower = part(expr.lower);
  slice.upper = part(expr.upper);
  slice.step = part(expr.step);
  return slice;
}

std::variant<bool, mlir::Value> Emitter::condition(const Value &value, SourceRange range) {
  if (auto constant = asConstant(value))
    return sema::isTrue(*constant);
  if (auto truth = threads::complexTruth(*this, value, range))
    return *truth;
  if (value.is<Tuple>() || value.is<Dictionary>())
    return *knownTruth(value);
  const auto *tensor = value.as<Tensor>();
  if (isCallable(value))
    failWithNote(range, {{}, "a function is called with (...)"}, DiagnosticId::not_a_value,
                 describe(value));
  if (!tensor)
    fail(range, DiagnosticId::not_a_value, describe(value));
  if (tensor->type.elements() != 1)
    failWithNote(range,
                 {{},
                  "to choose lane by lane, write tl.where(condition, x, y); to ask once for all, "
                  "reduce it with tl.max or tl.min"},
                 DiagnosticId::condition_not_scalar, sema::toString(tensor->shape()));
  Tensor truth = notZero(*tensor, range);
  return truth.isTile() ? reshape(truth, {}, range).value : truth.value;
}

bool Emitter::constantCondition(const Value &value, std::string_view what, SourceRange range) {
  auto truth = condition(value, range);
  if (const bool *constant = std::get_if<bool>(&truth))
    return *constant;
  fail(range, DiagnosticId::not_constexpr, what);
}

} // namespace nereid::emit
