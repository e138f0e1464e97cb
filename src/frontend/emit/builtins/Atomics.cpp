// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/emit/builtins/Atomics.h"

namespace nereid::emit {

using namespace mlir;

bool isAtomic(AtomicAction action, DType element) {
  bool mayBeHalf = action == AtomicAction::Add && isFloat(element);
  return bitWidth(element) >= (mayBeHalf ? 16 : 32);
}

static bool isBitwise(AtomicAction action) {
  return action == AtomicAction::And || action == AtomicAction::Or || action == AtomicAction::Xor;
}

bool isAtomicThroughDescriptor(AtomicAction action, DType element) {
  if (isBitwise(action) && isFloat(element))
    return false;
  bool isExtremum = action == AtomicAction::Max || action == AtomicAction::Min;
  return isExtremum && isFloat(element) ? bitWidth(element) == 16 : isAtomic(action, element);
}

std::string_view atomicElementsThroughDescriptor(AtomicAction action) {
  bool isExtremum = action == AtomicAction::Max || action == AtomicAction::Min;
  return isExtremum          ? "integers of 32 or 64 bits or floats of 16"
         : isBitwise(action) ? "integers of 32 or 64 bits"
                             : atomicElements(action);
}

std::string_view atomicElements(AtomicAction action) {
  return isAtomic(action, DType::Float16) ? "integers of 32 or 64 bits or floats of 16, 32 or 64"
                                          : "integers or floats of 32 or 64 bits";
}

static tile::AtomicKind kindOf(AtomicAction action, DType element) {
  using enum tile::AtomicKind;
  switch (action) {
  case AtomicAction::Add:
    return isFloat(element) ? FAdd : Add;
  case AtomicAction::Max:
    return isSigned(element) ? SignedMax : UnsignedMax;
  case AtomicAction::Min:
    return isSigned(element) ? SignedMin : UnsignedMin;
  case AtomicAction::And:
    return And;
  case AtomicAction::Or:
    return Or;
  case AtomicAction::Xor:
    return Xor;
  case AtomicAction::Exchange:
    return Exchange;
  case AtomicAction::CountUp:
    return CountUp;
  case AtomicAction::CountDown:
    return CountDown;
  }
  NEREID_UNREACHABLE("atomic action");
}

static Tensor emitOne(Emitter &emitter, const Atomic &atomic, SourceRange range) {
  tile::AtomicKind kind = kindOf(atomic.action, atomic.pointer.dtype());
  auto op = tile::AtomicRmwOp::create(
      emitter.builder, emitter.locate(range), atomic.value.value.getType(), kind,
      atomic.pointer.value, atomic.value.value, atomic.mask ? atomic.mask->value : mlir::Value(),
      atomic.order, atomic.scope);
  return {op.getResult(), atomic.value.type};
}

/// No machine has these. The bits of floats without a sign are in the order of the numbers, and of
/// those with one in the reverse; any that has one is less than any that has none, as integers too.
/// So a value without a sign is compared as a signed integer, and one with a sign the other way
/// round as an unsigned one. Zeros of both signs and NaNs have their places in that order.
static Tensor emitFloatExtremum(Emitter &emitter, const Atomic &atomic, SourceRange range) {
  unsigned width = bitWidth(atomic.value.dtype());
  auto [asSigned, asUnsigned] = width == 64   ? std::pair(DType::Int64, DType::UInt64)
                                : width == 32 ? std::pair(DType::Int32, DType::UInt32)
                                              : std::pair(DType::Int16, DType::UInt16);
  Tensor bits = emitter.bitcast(atomic.value, {asSigned}, range);
  auto compare = [&](ast::CompareOp op) {
    return *emitter.compare(op, bits, integerValue(0), range).as<Tensor>();
  };
  Tensor hasSign = compare(ast::CompareOp::Lt);
  auto emitWhere = [&](const Tensor &lanes, AtomicAction action, DType element) {
    Atomic part = atomic;
    part.action = action;
    part.pointer = emitter.cast(atomic.pointer, {element, /*isPointer=*/true}, range);
    part.value = emitter.bitcast(atomic.value, {element}, range);
    part.mask = atomic.mask ? emitter.like<arith::AndIOp>(range, *atomic.mask, lanes) : lanes;
    return emitOne(emitter, part, range);
  };
  AtomicAction reverse = atomic.action == AtomicAction::Max ? AtomicAction::Min : AtomicAction::Max;
  Tensor without = emitWhere(compare(ast::CompareOp::Ge), atomic.action, asSigned);
  Tensor with = emitWhere(hasSign, reverse, asUnsigned);
  Tensor old{emitter.make<arith::SelectOp>(range, hasSign.value, with.value, without.value),
             without.type};
  return emitter.bitcast(old, atomic.value.type.scalar, range);
}

/// Of floats, it is one of their bits.
static Tensor emitBitwise(Emitter &emitter, const Atomic &atomic, SourceRange range) {
  DType bits = unsignedOf(bitWidth(atomic.value.dtype()));
  Atomic ofBits = atomic;
  ofBits.pointer = emitter.cast(atomic.pointer, {bits, /*isPointer=*/true}, range);
  ofBits.value = emitter.bitcast(atomic.value, {bits}, range);
  return emitter.bitcast(emitOne(emitter, ofBits, range), atomic.value.type.scalar, range);
}

Tensor emitAtomic(Emitter &emitter, const Atomic &atomic, SourceRange range) {
  if (isBitwise(atomic.action) && isFloat(atomic.value.dtype()))
    return emitBitwise(emitter, atomic, range);
  bool isExtremum = atomic.action == AtomicAction::Max || atomic.action == AtomicAction::Min;
  return isExtremum && isFloat(atomic.value.dtype()) ? emitFloatExtremum(emitter, atomic, range)
                                                     : emitOne(emitter, atomic, range);
}

} // namespace nereid::emit
