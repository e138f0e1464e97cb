// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The atomics on pointers.
#include "frontend/emit/Atomics.h"
#include "frontend/emit/Pointers.h"

namespace nereid::emit {

using namespace mlir;

static tile::MemoryOrder orderOf(const Arguments &arguments) {
  std::string text = arguments.text("sem");
  auto order = tile::symbolizeMemoryOrder(text.empty() ? "acq_rel" : text);
  if (!order)
    arguments.failValue("sem", "'relaxed', 'acquire', 'release' or 'acq_rel'");
  return *order;
}

static tile::MemoryScope scopeOf(const Arguments &arguments) {
  std::string text = arguments.text("scope");
  auto scope = tile::symbolizeMemoryScope(text.empty() ? "gpu" : text);
  if (!scope)
    arguments.failValue("scope", "'cta', 'gpu' or 'sys'");
  return *scope;
}

/// An argument as an element for each pointer.
static Tensor elementsFor(Emitter &emitter, const Arguments &arguments, const Tensor &pointer,
                          std::string_view name) {
  Tensor value = besidePointer(emitter, arguments, pointer, arguments.tensor(name), name);
  return emitter.cast(value, {pointer.dtype()}, arguments.range(name));
}

static Value atomicBuiltin(Emitter &emitter, const Arguments &arguments, AtomicAction action) {
  Tensor pointer = pointerOf(emitter, arguments);
  refuseConst(arguments, pointer);
  if (!isAtomic(action, pointer.dtype()))
    arguments.failType("pointer", "a pointer to " + std::string(atomicElements(action)));
  std::optional<Tensor> mask = maskOf(emitter, arguments);
  if (mask)
    mask = besidePointer(emitter, arguments, pointer, *mask, "mask");
  Tensor value = elementsFor(emitter, arguments, pointer, "val");
  Atomic atomic{action, pointer, value, mask, orderOf(arguments), scopeOf(arguments)};
  return emitAtomic(emitter, atomic, arguments.callRange());
}

Value atomic_addBuiltin(Emitter &emitter, const Arguments &arguments) {
  return atomicBuiltin(emitter, arguments, AtomicAction::Add);
}

Value atomic_maxBuiltin(Emitter &emitter, const Arguments &arguments) {
  return atomicBuiltin(emitter, arguments, AtomicAction::Max);
}

Value atomic_minBuiltin(Emitter &emitter, const Arguments &arguments) {
  return atomicBuiltin(emitter, arguments, AtomicAction::Min);
}

Value atomic_andBuiltin(Emitter &emitter, const Arguments &arguments) {
  return atomicBuiltin(emitter, arguments, AtomicAction::And);
}

Value atomic_orBuiltin(Emitter &emitter, const Arguments &arguments) {
  return atomicBuiltin(emitter, arguments, AtomicAction::Or);
}

Value atomic_xorBuiltin(Emitter &emitter, const Arguments &arguments) {
  return atomicBuiltin(emitter, arguments, AtomicAction::Xor);
}

Value atomic_xchgBuiltin(Emitter &emitter, const Arguments &arguments) {
  return atomicBuiltin(emitter, arguments, AtomicAction::Exchange);
}

Value atomic_casBuiltin(Emitter &emitter, const Arguments &arguments) {
  Tensor pointer = pointerOf(emitter, arguments);
  refuseConst(arguments, pointer);
  if (bitWidth(pointer.dtype()) < 16)
    arguments.failType("pointer", "a pointer to integers or floats of 16, 32 or 64 bits");
  Tensor expected = elementsFor(emitter, arguments, pointer, "cmp");
  Tensor value = elementsFor(emitter, arguments, pointer, "val");
  auto op = tile::AtomicCasOp::create(emitter.builder, emitter.locate(arguments.callRange()),
                                      value.value.getType(), pointer.value, expected.value,
                                      value.value, orderOf(arguments), scopeOf(arguments));
  return Tensor{op.getResult(), value.type};
}

} // namespace nereid::emit
