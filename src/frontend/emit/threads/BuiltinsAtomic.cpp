// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cuda.atomic: ary[idx] = f(ary[idx], val) in one step.
#include "frontend/emit/Arguments.h"
#include "frontend/emit/builtins/Atomics.h"
#include "frontend/emit/threads/Arrays.h"
#include "frontend/emit/threads/Operators.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <cmath>

namespace nereid::emit {

using namespace mlir;
using namespace threads;

static const ArrayView &arrayOf(const Arguments &arguments) {
  const auto *array = arguments["ary"].as<ArrayView>();
  if (!array || array->isComplex || !array->kind.empty())
    arguments.failType("ary", "an array of real numbers, such as the .real of a complex one");
  return *array;
}

static Tensor operand(Emitter &emitter, const Arguments &arguments, const char *name,
                      DType element) {
  if (!isNumber(arguments[name]) || isPointer(arguments[name]))
    arguments.failType(name, "a number");
  return castNumber(emitter, arguments[name], element, arguments.range(name));
}

/// A value that changes no element, in place of one that is no number.
static Tensor withoutNan(Emitter &emitter, const Tensor &value, AtomicAction action,
                         SourceRange range) {
  Tensor isNumber = *emitter.compare(ast::CompareOp::Eq, value, value, range).as<Tensor>();
  double least = action == AtomicAction::Max ? -HUGE_VAL : HUGE_VAL;
  Tensor neutral = emitter.constant(sema::ConstantValue(least), value.type.scalar, range);
  return {emitter.make<arith::SelectOp>(range, isNumber.value, value.value, neutral.value),
          value.type};
}

static Value atomic(Emitter &emitter, const Arguments &arguments, AtomicAction action,
                    bool isNegated = false) {
  SourceRange range = arguments.callRange();
  Tensor pointer = elementAddress(emitter, arrayOf(arguments), arguments["idx"], range);
  if (!isAtomic(action, pointer.dtype()))
    arguments.failType("ary", "an array of " + std::string(atomicElements(action)));
  bool isOfBits =
      action == AtomicAction::And || action == AtomicAction::Or || action == AtomicAction::Xor;
  if (isOfBits && !isInteger(pointer.dtype()))
    arguments.failType("ary", "an array of integers");
  Tensor value = operand(emitter, arguments, "val", pointer.dtype());
  if (isNegated)
    value = emitter.cast(*unary(emitter, ast::UnaryOp::Minus, value, range).as<Tensor>(),
                         {pointer.dtype()}, range);
  bool isExtremum = action == AtomicAction::Max || action == AtomicAction::Min;
  if (isExtremum && isFloat(pointer.dtype()))
    value = withoutNan(emitter, value, action, range);
  return emitAtomic(emitter, {action, pointer, value, std::nullopt}, range);
}

Value cudaAtomicAddBuiltin(Emitter &emitter, const Arguments &arguments) {
  return atomic(emitter, arguments, AtomicAction::Add);
}
Value cudaAtomicSubBuiltin(Emitter &emitter, const Arguments &arguments) {
  return atomic(emitter, arguments, AtomicAction::Add, /*isNegated=*/true);
}
Value cudaAtomicMaxBuiltin(Emitter &emitter, const Arguments &arguments) {
  return atomic(emitter, arguments, AtomicAction::Max);
}
Value cudaAtomicAndBuiltin(Emitter &emitter, const Arguments &arguments) {
  return atomic(emitter, arguments, AtomicAction::And);
}
Value cudaAtomicOrBuiltin(Emitter &emitter, const Arguments &arguments) {
  return atomic(emitter, arguments, AtomicAction::Or);
}
Value cudaAtomicXorBuiltin(Emitter &emitter, const Arguments &arguments) {
  return atomic(emitter, arguments, AtomicAction::Xor);
}
Value cudaAtomicExchBuiltin(Emitter &emitter, const Arguments &arguments) {
  return atomic(emitter, arguments, AtomicAction::Exchange);
}

static Tensor exchanged(Emitter &emitter, const Tensor &pointer, const Tensor &old,
                        const Tensor &value, SourceRange range) {
  auto op = tile::AtomicCasOp::create(emitter.builder, emitter.locate(range), value.value.getType(),
                                      pointer.value, old.value, value.value,
                                      tile::MemoryOrder::Relaxed, tile::MemoryScope::Device);
  return {op.getResult(), value.type};
}

/// What memory has no step of its own for: the element is exchanged for `replaced` of it until
/// nobody came between. The first try takes it for zero, and finds what it is.
static Value replace(Emitter &emitter, const Tensor &pointer,
                     llvm::function_ref<Tensor(const Tensor &)> replaced, SourceRange range) {
  OpBuilder &builder = emitter.builder;
  OpBuilder::InsertionGuard guard(builder);
  Location loc = emitter.locate(range);
  sema::ValueType type{{pointer.dtype()}, {}};
  Tensor zero = emitter.constant(sema::ConstantValue(sema::Integer(0)), type.scalar, range);
  mlir::Type held = zero.value.getType();
  auto loop = scf::WhileOp::create(builder, loc, TypeRange{held}, ValueRange{zero.value});
  Tensor expected{builder.createBlock(&loop.getBefore(), {}, {held}, {loc})->getArgument(0), type};
  Tensor found = exchanged(emitter, pointer, expected, replaced(expected), range);
  auto bits = [&](const Tensor &value) {
    DType wide = bitWidth(type.scalar.dtype) == 64 ? DType::Int64 : DType::Int32;
    return emitter.bitcast(value, {wide}, range);
  };
  Value isOther = emitter.compare(ast::CompareOp::Ne, bits(found), bits(expected), range);
  scf::ConditionOp::create(builder, loc, isOther.as<Tensor>()->value, ValueRange{found.value});
  Block *again = builder.createBlock(&loop.getAfter(), {}, {held}, {loc});
  scf::YieldOp::create(builder, loc, again->getArguments());
  return Tensor{loop.getResult(0), type};
}

/// An element that is no number stays, which the step for floats would not do.
Value cudaAtomicMinBuiltin(Emitter &emitter, const Arguments &arguments) {
  SourceRange range = arguments.callRange();
  Tensor pointer = elementAddress(emitter, arrayOf(arguments), arguments["idx"], range);
  if (!isFloat(pointer.dtype()) || !isAtomic(AtomicAction::Min, pointer.dtype()))
    return atomic(emitter, arguments, AtomicAction::Min);
  Tensor value = operand(emitter, arguments, "val", pointer.dtype());
  auto smaller = [&](const Tensor &old) {
    Tensor isLess = emitter.compareSame(ast::CompareOp::Lt, {value, old}, range);
    return Tensor{emitter.make<arith::SelectOp>(range, isLess.value, value.value, old.value),
                  old.type};
  };
  return replace(emitter, pointer, smaller, range);
}

/// The greater or smaller of what is there and a float, of which either may be no number.
template <typename Op>
static Value nanAtomic(Emitter &emitter, const Arguments &arguments, AtomicAction action) {
  SourceRange range = arguments.callRange();
  Tensor pointer = elementAddress(emitter, arrayOf(arguments), arguments["idx"], range);
  if (!isFloat(pointer.dtype()))
    return atomic(emitter, arguments, action);
  if (!isAtomic(action, pointer.dtype()))
    arguments.failType("ary", "an array of " + std::string(atomicElements(action)));
  Tensor value = operand(emitter, arguments, "val", pointer.dtype());
  return replace(
      emitter, pointer, [&](const Tensor &old) { return emitter.like<Op>(range, old, value); },
      range);
}
Value cudaAtomicNanMaxBuiltin(Emitter &emitter, const Arguments &arguments) {
  return nanAtomic<arith::MaxNumFOp>(emitter, arguments, AtomicAction::Max);
}
Value cudaAtomicNanMinBuiltin(Emitter &emitter, const Arguments &arguments) {
  return nanAtomic<arith::MinNumFOp>(emitter, arguments, AtomicAction::Min);
}

/// Counts from 0 to `val` and round again, or down.
static Value count(Emitter &emitter, const Arguments &arguments, AtomicAction action) {
  SourceRange range = arguments.callRange();
  Tensor pointer = elementAddress(emitter, arrayOf(arguments), arguments["idx"], range);
  DType element = pointer.dtype();
  if (element != DType::UInt32 && element != DType::UInt64)
    arguments.failType("ary", "an array of uint32 or uint64");
  Tensor last = operand(emitter, arguments, "val", element);
  return emitAtomic(emitter, {action, pointer, last, std::nullopt}, range);
}
Value cudaAtomicIncBuiltin(Emitter &emitter, const Arguments &arguments) {
  return count(emitter, arguments, AtomicAction::CountUp);
}
Value cudaAtomicDecBuiltin(Emitter &emitter, const Arguments &arguments) {
  return count(emitter, arguments, AtomicAction::CountDown);
}

static Value compareAndSwap(Emitter &emitter, const Arguments &arguments, const Value &index) {
  SourceRange range = arguments.callRange();
  Tensor pointer = elementAddress(emitter, arrayOf(arguments), index, range);
  Tensor old = operand(emitter, arguments, "old", pointer.dtype());
  Tensor value = operand(emitter, arguments, "val", pointer.dtype());
  return exchanged(emitter, pointer, old, value, range);
}

Value cudaAtomicCasBuiltin(Emitter &emitter, const Arguments &arguments) {
  return compareAndSwap(emitter, arguments, arguments["idx"]);
}

Value cudaAtomicCompareAndSwapBuiltin(Emitter &emitter, const Arguments &arguments) {
  return compareAndSwap(emitter, arguments, integerValue(0));
}

} // namespace nereid::emit
