// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/emit/LoopBounds.h"

#include "frontend/sema/Promotion.h"

namespace nereid::emit {

using sema::ConstantValue;

static Tensor boundOf(Emitter &emitter, const Value &value, SourceRange range) {
  const auto *constant = value.as<ConstantValue>();
  bool isInteger = constant && sema::asInteger(*constant);
  if (const auto *tensor = value.as<Tensor>())
    isInteger = !tensor->isTile() && !tensor->isPointer() && nereid::isInteger(tensor->dtype());
  bool isQuotient = constant ? std::holds_alternative<double>(*constant)
                             : value.is<Tensor>() && isFloat(value.as<Tensor>()->dtype());
  if (!isInteger && isQuotient)
    failWithNote(range, {{}, "'//' divides integers without a fraction"},
                 DiagnosticId::argument_type, "bound", "range", "an integer scalar",
                 describe(value));
  if (!isInteger)
    fail(range, DiagnosticId::argument_type, "bound", "range", "an integer scalar",
         describe(value));
  return emitter.toTensor(value, range);
}

static bool areFarApart(const Value &lower, const Value &upper) {
  auto first = asConstant(lower), last = asConstant(upper);
  auto from = first ? sema::asInteger(*first) : std::nullopt;
  auto to = last ? sema::asInteger(*last) : std::nullopt;
  if (!from || !to)
    return false;
  sema::Integer distance = *from < *to ? *to - *from : *from - *to;
  return distance > std::numeric_limits<int32_t>::max();
}

LoopBounds loopBounds(Emitter &emitter, const RangeValue &range, SourceRange where) {
  LoopBounds bounds;
  bounds.lower = boundOf(emitter, *range.lower, where);
  bounds.upper = boundOf(emitter, *range.upper, where);
  bounds.step = boundOf(emitter, *range.step, where);
  bounds.variableType = sema::promoteIntegers(
      sema::promoteIntegers(bounds.lower.dtype(), bounds.upper.dtype()), bounds.step.dtype());
  if (isBool(bounds.variableType))
    bounds.variableType = DType::Int32;
  auto step = asConstant(*range.step);
  if (step && sema::asInteger(*step) == sema::Integer(0))
    fail(where, DiagnosticId::argument_value, "step", "range", "a number other than 0", "0");
  // scf.for compares as signed, so unsigned bounds count in int64. So do constant bounds further
  // apart than their type can say: MLIR folds such loops away.
  bool isNarrow = isSigned(bounds.variableType) && !areFarApart(*range.lower, *range.upper);
  sema::ScalarType counted{isNarrow ? bounds.variableType : DType::Int64};
  for (Tensor *bound : {&bounds.lower, &bounds.upper, &bounds.step})
    *bound = emitter.cast(emitter.cast(*bound, {bounds.variableType}, where), counted, where);
  if (step && *sema::asInteger(*step) < 0) {
    // range(a, b, -s) runs over a, a - s ...; counting i from b up to a, that is a + b - i.
    bounds.isReversed = true;
    bounds.step = emitter.constant(ConstantValue(-*sema::asInteger(*step)), counted, where);
    std::swap(bounds.lower, bounds.upper);
    bounds.first = emitter.like<mlir::arith::AddIOp>(where, bounds.lower, bounds.upper);
  }
  return bounds;
}

Tensor loopVariable(Emitter &emitter, const LoopBounds &bounds, mlir::Value counter,
                    SourceRange where) {
  Tensor variable{counter, bounds.lower.type};
  if (bounds.isReversed)
    variable = emitter.like<mlir::arith::SubIOp>(where, bounds.first, variable);
  return emitter.cast(variable, {bounds.variableType}, where);
}

Tensor lastTurn(Emitter &emitter, const LoopBounds &bounds, SourceRange where) {
  namespace arith = mlir::arith;
  Tensor one = emitter.integer(1, bounds.lower.dtype(), where);
  Tensor step = emitter.like<arith::MaxSIOp>(where, bounds.step, one); // no division by 0
  Tensor distance = emitter.like<arith::SubIOp>(
      where, emitter.like<arith::SubIOp>(where, bounds.upper, one), bounds.lower);
  Tensor turns = emitter.like<arith::DivUIOp>(where, distance, step);
  Tensor last = emitter.like<arith::AddIOp>(where, bounds.lower,
                                            emitter.like<arith::MulIOp>(where, turns, step));
  mlir::Value runs = emitter.make<arith::CmpIOp>(where, arith::CmpIPredicate::slt,
                                                 bounds.lower.value, bounds.upper.value);
  mlir::Value counter = emitter.make<arith::SelectOp>(where, runs, last.value, bounds.lower.value);
  return loopVariable(emitter, bounds, counter, where);
}

} // namespace nereid::emit
