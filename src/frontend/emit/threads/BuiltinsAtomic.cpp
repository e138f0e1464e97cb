// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cuda.atomic: ary[idx] = f(ary[idx], val) in one step.
#include "frontend/emit/Arguments.h"
#include "frontend/emit/Atomics.h"
#include "frontend/emit/threads/Arrays.h"
#include "frontend/emit/threads/Operators.h"

namespace nereid::emit {

using namespace threads;

static const ArrayView &arrayOf(const Arguments &arguments) {
  const auto *array = arguments["ary"].as<ArrayView>();
  if (!array)
    arguments.failType("ary", "an array");
  return *array;
}

static Tensor operand(Emitter &emitter, const Arguments &arguments, const char *name,
                      DType element) {
  if (!isNumber(arguments[name]) || isPointer(arguments[name]))
    arguments.failType(name, "a number");
  return castNumber(emitter, arguments[name], element, arguments.range(name));
}

static Value atomic(Emitter &emitter, const Arguments &arguments, AtomicAction action,
                    bool isNegated = false) {
  SourceRange range = arguments.callRange();
  Tensor pointer = elementAddress(emitter, arrayOf(arguments), arguments["idx"], range);
  if (!isAtomic(action, pointer.dtype()))
    arguments.failType("ary", "an array of " + std::string(atomicElements(action)));
  Tensor value = operand(emitter, arguments, "val", pointer.dtype());
  if (isNegated)
    value = emitter.cast(*unary(emitter, ast::UnaryOp::Minus, value, range).as<Tensor>(),
                         {pointer.dtype()}, range);
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
Value cudaAtomicMinBuiltin(Emitter &emitter, const Arguments &arguments) {
  return atomic(emitter, arguments, AtomicAction::Min);
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

static Value compareAndSwap(Emitter &emitter, const Arguments &arguments, const Value &index) {
  SourceRange range = arguments.callRange();
  Tensor pointer = elementAddress(emitter, arrayOf(arguments), index, range);
  Tensor old = operand(emitter, arguments, "old", pointer.dtype());
  Tensor value = operand(emitter, arguments, "val", pointer.dtype());
  auto op = tile::AtomicCasOp::create(emitter.builder, emitter.locate(range), value.value.getType(),
                                      pointer.value, old.value, value.value,
                                      tile::MemoryOrder::Relaxed, tile::MemoryScope::Device);
  return Tensor{op.getResult(), value.type};
}

Value cudaAtomicCasBuiltin(Emitter &emitter, const Arguments &arguments) {
  return compareAndSwap(emitter, arguments, arguments["idx"]);
}

Value cudaAtomicCompareAndSwapBuiltin(Emitter &emitter, const Arguments &arguments) {
  return compareAndSwap(emitter, arguments, integerValue(0));
}

} // namespace nereid::emit
