// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The atomics on pointers.
#include "frontend/emit/Pointers.h"
#include "frontend/emit/builtins/Atomics.h"

namespace nereid::emit {

using namespace mlir;

static tile::MemoryOrder orderOf(const Arguments &arguments) {
  std::string text = arguments.choice("sem");
  auto order = tile::symbolizeMemoryOrder(text.empty() ? "acq_rel" : text);
  if (!order)
    arguments.failValue("sem", "'relaxed', 'acquire', 'release' or 'acq_rel'");
  return *order;
}

/// Of what only reads or only writes: `usual`, or no order.
static tile::MemoryOrder orderOf(const Arguments &arguments, tile::MemoryOrder usual) {
  std::string text = arguments.choice("sem");
  auto order = text.empty() ? usual : tile::symbolizeMemoryOrder(text);
  if (!order || (*order != usual && *order != tile::MemoryOrder::Relaxed))
    arguments.failValue("sem", "'relaxed' or '" + tile::stringifyMemoryOrder(usual).str() + "'");
  return *order;
}

static tile::MemoryScope scopeOf(const Arguments &arguments) {
  std::string text = arguments.choice("scope");
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

static std::optional<Tensor> maskFor(Emitter &emitter, const Arguments &arguments,
                                     const Tensor &pointer) {
  std::optional<Tensor> mask = maskOf(emitter, arguments);
  return mask ? std::optional(besidePointer(emitter, arguments, pointer, *mask, "mask"))
              : std::nullopt;
}

static Value atomicBuiltin(Emitter &emitter, const Arguments &arguments, AtomicAction action) {
  Tensor pointer = pointerOf(emitter, arguments);
  refuseConst(arguments, pointer);
  if (!isAtomic(action, pointer.dtype()))
    arguments.failType("pointer", "a pointer to " + std::string(atomicElements(action)));
  std::optional<Tensor> mask = maskFor(emitter, arguments, pointer);
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

/// The pointers of atomic_load and atomic_store as such to integers of their elements' width.
static Tensor pointerToBits(Emitter &emitter, const Arguments &arguments, const Tensor &pointer) {
  refuseConst(arguments, pointer);
  if (isBool(pointer.dtype()))
    arguments.failType("pointer", "a pointer to integers or floats of 8 to 64 bits");
  return emitter.cast(pointer, {unsignedOf(bitWidth(pointer.dtype())), /*isPointer=*/true},
                      arguments.range("pointer"));
}

/// Leaves what it finds: a load that has an order.
Value atomic_loadBuiltin(Emitter &emitter, const Arguments &arguments) {
  Tensor pointer = pointerOf(emitter, arguments);
  Tensor bits = pointerToBits(emitter, arguments, pointer);
  std::optional<Tensor> mask = maskFor(emitter, arguments, pointer);
  Tensor nothing = besidePointer(
      emitter, arguments, bits,
      emitter.constant(sema::Integer(0), {bits.dtype()}, arguments.callRange()), "pointer");
  Atomic atomic{
      AtomicAction::Or,  bits, nothing, mask, orderOf(arguments, tile::MemoryOrder::Acquire),
      scopeOf(arguments)};
  return emitter.bitcast(emitAtomic(emitter, atomic, arguments.callRange()), {pointer.dtype()},
                         arguments.callRange());
}

Value atomic_storeBuiltin(Emitter &emitter, const Arguments &arguments) {
  Tensor pointer = pointerOf(emitter, arguments);
  Tensor bits = pointerToBits(emitter, arguments, pointer);
  Tensor value = elementsFor(emitter, arguments, pointer, "val");
  Atomic atomic{AtomicAction::Exchange,
                bits,
                emitter.bitcast(value, {bits.dtype()}, arguments.range("val")),
                maskFor(emitter, arguments, pointer),
                orderOf(arguments, tile::MemoryOrder::Release),
                scopeOf(arguments)};
  emitAtomic(emitter, atomic, arguments.callRange());
  return Value();
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
