// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/emit/control/LoopBounds.h"

#include "frontend/sema/Promotion.h"

#include "mlir/IR/Matchers.h"

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

static sema::Integer greatestOf(DType type) {
  return (sema::Integer(1) << (bitWidth(type) - 1)) - 1;
}

/// Whether a step cannot go backwards, as far as it can be seen: that of most loops.
static bool isPositive(mlir::Value step) {
  mlir::Operation *op = step.getDefiningOp();
  if (!op)
    return false;
  llvm::APInt constant;
  if (mlir::matchPattern(step, mlir::m_ConstantInt(&constant)))
    return constant.isStrictlyPositive();
  if (llvm::isa<tile::NumProgramsOp>(op))
    return true;
  if (llvm::isa<mlir::arith::ExtSIOp, mlir::arith::ExtUIOp, tile::HintOp>(op))
    return isPositive(op->getOperand(0));
  if (llvm::isa<mlir::arith::MulIOp, mlir::arith::AddIOp>(op))
    return isPositive(op->getOperand(0)) && isPositive(op->getOperand(1));
  return llvm::isa<mlir::arith::MaxSIOp>(op) &&
         (isPositive(op->getOperand(0)) || isPositive(op->getOperand(1)));
}

/// range(a, b, -s) runs over a, a - s ...; counting i from b up to a, that is a + b - i.
static void reverse(Emitter &emitter, LoopBounds &bounds, SourceRange where) {
  bounds.isReversed = true;
  std::swap(bounds.lower, bounds.upper);
  bounds.first = emitter.like<mlir::arith::AddIOp>(where, bounds.lower, bounds.upper);
}

/// The same, if the step is negative when the loop begins.
static void reverseIfNegative(Emitter &emitter, LoopBounds &bounds, SourceRange where) {
  namespace arith = mlir::arith;
  Tensor zero = emitter.integer(0, bounds.step.dtype(), where);
  bounds.isBackwards =
      emitter.make<arith::CmpIOp>(where, arith::CmpIPredicate::slt, bounds.step.value, zero.value);
  auto choose = [&](const Tensor &ifBackwards, const Tensor &otherwise) {
    mlir::Value chosen = emitter.make<arith::SelectOp>(where, bounds.isBackwards, ifBackwards.value,
                                                       otherwise.value);
    return Tensor{chosen, otherwise.type};
  };
  bounds.first = emitter.like<arith::AddIOp>(where, bounds.lower, bounds.upper);
  Tensor lower = choose(bounds.upper, bounds.lower), upper = choose(bounds.lower, bounds.upper);
  // The least number has no counterpart; by the greatest one such a loop gets as far.
  Tensor least = emitter.constant(ConstantValue(-greatestOf(bounds.step.dtype())),
                                  {bounds.step.dtype()}, where);
  Tensor negative = emitter.like<arith::MaxSIOp>(where, bounds.step, least);
  bounds.step = choose(emitter.like<arith::SubIOp>(where, zero, negative), bounds.step);
  bounds.lower = lower;
  bounds.upper = upper;
}

LoopBounds loopBounds(Emitter &emitter, const RangeValue &range, SourceRange where) {
  LoopBounds bounds;
  bounds.lower = boundOf(emitter, *range.lower, where);
  bounds.upper = boundOf(emitter, *range.upper, where);
  bounds.step = boundOf(emitter, *range.step, where);
  bool mayBeNegative = isSigned(bounds.step.dtype()) && !isBool(bounds.step.dtype());
  bounds.variableType = sema::promoteIntegers(
      sema::promoteIntegers(bounds.lower.dtype(), bounds.upper.dtype()), bounds.step.dtype());
  if (isBool(bounds.variableType))
    bounds.variableType = DType::Int32;
  auto step = asConstant(*range.step);
  if (step && sema::asInteger(*step) == sema::Integer(0))
    fail(where, DiagnosticId::argument_value, "step", "range", "a number other than 0", "0");
  // scf.for compares as signed, so unsigned bounds count in int64. So do constant bounds further
  // apart than their type can say: MLIR folds such loops away.
  // So does the least step, whose size its type cannot say.
  bool isLeast = step && -*sema::asInteger(*step) > greatestOf(bounds.variableType);
  bool isNarrow =
      isSigned(bounds.variableType) && !areFarApart(*range.lower, *range.upper) && !isLeast;
  sema::ScalarType counted{isNarrow ? bounds.variableType : DType::Int64};
  for (Tensor *bound : {&bounds.lower, &bounds.upper, &bounds.step})
    *bound = emitter.cast(emitter.cast(*bound, {bounds.variableType}, where), counted, where);
  if (step && *sema::asInteger(*step) < 0) {
    sema::Integer size = std::min(-*sema::asInteger(*step), greatestOf(counted.dtype));
    bounds.step = emitter.constant(ConstantValue(size), counted, where);
    reverse(emitter, bounds, where);
  } else if (mayBeNegative && !isPositive(bounds.step.value)) {
    reverseIfNegative(emitter, bounds, where);
  }
  return bounds;
}

Tensor loopVariable(Emitter &emitter, const LoopBounds &bounds, mlir::Value counter,
                    SourceRange where) {
  Tensor variable{counter, bounds.lower.type};
  if (bounds.isReversed || bounds.isBackwards) {
    Tensor reversed = emitter.like<mlir::arith::SubIOp>(where, bounds.first, variable);
    variable.value = bounds.isBackwards
                         ? emitter.make<mlir::arith::SelectOp>(where, bounds.isBackwards,
                                                               reversed.value, variable.value)
                         : reversed.value;
  }
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
