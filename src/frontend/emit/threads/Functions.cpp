// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/emit/threads/Functions.h"

#include "frontend/emit/threads/Operators.h"
#include "frontend/sema/ThreadTypes.h"

namespace nereid::emit::threads {

using namespace mlir;

/// Defaults are evaluated when the function is called, so they are such as never change.
static void requireConstantDefaults(const ast::Function &function) {
  for (const ast::Parameter &parameter : function.parameters) {
    const ast::Expr *given = parameter.defaultValue.get();
    if (const auto *sign = llvm::dyn_cast_or_null<ast::Unary>(given))
      given = sign->operand.get();
    if (given && !llvm::isa<ast::Constant>(given))
      failWithNote(parameter.defaultValue->range, {{}, "hand it on as an argument"},
                   DiagnosticId::not_constexpr, "a default of a function inside of another");
  }
}

void defineFunction(Emitter &emitter, const ast::Definition &stmt) {
  requireConstantDefaults(*stmt.function);
  emitter.frame->scope.define(
      stmt.function->name, JitFunction{stmt.function.get(), &emitter.frame->module, emitter.frame});
}

void refuseLeaving(const Value &result, const Frame &frame, SourceRange range) {
  if (const auto *function = result.as<JitFunction>(); function && function->around == &frame)
    failWithNote(range, {function->function->nameRange, "it stands here"},
                 DiagnosticId::unsupported_syntax, "a function that leaves the one it stands in");
  if (const auto *tuple = result.as<Tuple>())
    for (const Value &element : tuple->elements)
      refuseLeaving(element, frame, range);
}

const Value *valueAround(const Frame &frame, const std::string &name) {
  for (const Frame *around = frame.around; around; around = around->around)
    if (auto found = around->scope.values.find(name); found != around->scope.values.end())
      return &found->second;
  return nullptr;
}

/// The launch ends where it is come to; Python reads the message (python/nereid/threads/raised.py).
static void failLaunch(Emitter &emitter, const Tensor &holds, const std::string &exception,
                       SourceRange range) {
  tile::AssertOp::create(emitter.builder, emitter.locate(range), holds.value,
                         "raises " + exception);
}

/// "ValueError: too small", of a class or of a call of one.
static std::string exceptionOf(Emitter &emitter, const ast::Raise &stmt) {
  if (!stmt.value)
    return "an exception";
  const auto *call = llvm::dyn_cast<ast::Call>(stmt.value.get());
  if (!call)
    return std::string(stmt.value->range.text());
  std::string text(call->callee->range.text());
  for (const ast::Argument &argument : call->arguments) {
    auto constant = asConstant(emitter.evaluate(*argument.value));
    if (!constant)
      fail(argument.value->range, DiagnosticId::not_constexpr, "what an exception is given");
    text += (&argument == call->arguments.data() ? ": " : ", ") + sema::str(*constant);
  }
  return text;
}

Flow raise(Emitter &emitter, const ast::Raise &stmt) {
  failLaunch(emitter, emitter.constant(sema::ConstantValue(false), {DType::Int1}, stmt.range),
             exceptionOf(emitter, stmt), stmt.range);
  emitter.frame->scope.exits[Flow::Return] = boolValue(true);
  return Flow::Return;
}

void checkDivisor(Emitter &emitter, const Tensor &divisor, SourceRange range) {
  if (emitter.checksAsserts)
    failLaunch(emitter, emitter.notZero(divisor, range), "ZeroDivisionError: division by zero",
               range);
}

std::optional<Value> chooseElement(Emitter &emitter, const Tuple &tuple, const Tensor &index,
                                   SourceRange range) {
  auto isPlain = [](const Value &element) { return isNumber(element) && !isPointer(element); };
  if (tuple.elements.empty() || index.isPointer() || !isInteger(index.dtype()) ||
      !llvm::all_of(tuple.elements, isPlain))
    return std::nullopt;
  Value first = tuple.elements.front();
  DType type = emitter.toTensor(first, range).dtype();
  for (const Value &element : tuple.elements)
    type = sema::unifyThreadTypes(type, emitter.toTensor(element, range).dtype());
  auto integer = [&](size_t value) {
    return emitter.integer(static_cast<int64_t>(value), DType::Int64, range);
  };
  auto compare = [&](ast::CompareOp op, const Tensor &lhs, const Tensor &rhs) {
    return emitter.compareSame(op, {lhs, rhs}, range);
  };
  Tensor at = emitter.cast(index, {DType::Int64}, range), size = integer(tuple.elements.size());
  Tensor fromEnd = emitter.like<arith::AddIOp>(range, at, size);
  Tensor isBehind = compare(ast::CompareOp::Lt, at, integer(0));
  at.value = emitter.make<arith::SelectOp>(range, isBehind.value, fromEnd.value, at.value);
  if (emitter.checksAsserts) {
    Tensor isWithin = emitter.like<arith::AndIOp>(
        range, compare(ast::CompareOp::Ge, at, integer(0)), compare(ast::CompareOp::Lt, at, size));
    failLaunch(emitter, isWithin, "IndexError: tuple index out of range", range);
  }
  Tensor chosen = castNumber(emitter, first, type, range);
  for (size_t i = 1; i < tuple.elements.size(); ++i) {
    Tensor element = castNumber(emitter, tuple.elements[i], type, range);
    Tensor isThis = compare(ast::CompareOp::Eq, at, integer(i));
    chosen.value = emitter.make<arith::SelectOp>(range, isThis.value, element.value, chosen.value);
  }
  return Value(chosen);
}

} // namespace nereid::emit::threads
