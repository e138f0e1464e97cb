// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions between element types, and from constants to run-time values.
#include "frontend/emit/tiles/SoftwareFloat.h"
#include "frontend/sema/Promotion.h"
#include "frontend/sema/ThreadTypes.h"
#include "support/FloatFormat.h"
#include "support/NarrowFloat.h"

#include "mlir/Dialect/Math/IR/Math.h"

namespace nereid::emit {

using namespace mlir;
using sema::ConstantValue;
using sema::ScalarType;

DType unsignedOf(unsigned width) {
  return width == 64   ? DType::UInt64
         : width == 32 ? DType::UInt32
         : width == 16 ? DType::UInt16
                       : DType::UInt8;
}

/// Rounded as a conversion at run time would; LLVM's own overflows otherwise.
static llvm::APFloat toFloat(double number, DType dtype, FloatType type) {
  return visitFloat(dtype, [&](auto element) {
    auto bits = std::bit_cast<UnsignedOf<8 * sizeof(element.round(number))>>(element.round(number));
    return llvm::APFloat(type.getFloatSemantics(), llvm::APInt(bitWidth(dtype), bits));
  });
}

Tensor TileBuilder::constant(const ConstantValue &number, ScalarType type, SourceRange range) {
  mlir::Type element = irType(type);
  if (auto floatType = llvm::dyn_cast<FloatType>(element)) {
    auto attribute =
        FloatAttr::get(floatType, toFloat(*sema::asNumber(number), type.dtype, floatType));
    return {make<arith::ConstantOp>(range, attribute), {type, {}}};
  }
  auto value = isSoftwareFloat(type.dtype) ? softwareFloatBits(*sema::asNumber(number), type.dtype)
                                           : static_cast<uint64_t>(*sema::asInteger(number));
  llvm::APInt bits(bitWidth(type.dtype), value, /*isSigned=*/false, /*implicitTrunc=*/true);
  return {make<arith::ConstantOp>(range, IntegerAttr::get(element, bits)), {type, {}}};
}

Tensor TileBuilder::integer(int64_t value, DType type, SourceRange range) {
  return constant(ConstantValue(sema::Integer(value)), {type}, range);
}

Tensor TileBuilder::toTensor(const Value &value, SourceRange range) {
  if (const auto *tensor = value.as<Tensor>())
    return *tensor;
  const auto *number = value.as<ConstantValue>();
  if (!number || !sema::asNumber(*number))
    fail(range, DiagnosticId::not_a_value, describe(value));
  return constant(*number, {literalType(*number)}, range);
}

Value TileBuilder::decay(const Value &value, SourceRange range) {
  if (surroundings().isHost)
    return value;
  if (const auto *tuple = value.as<Tuple>()) {
    Tuple decayed{{}, tuple->record};
    for (const Value &element : tuple->elements)
      decayed.elements.push_back(decay(element, range));
    return decayed;
  }
  const auto *number = value.as<ConstantValue>();
  return number && sema::asNumber(*number) ? Value(toTensor(value, range)) : value;
}

Tensor TileBuilder::notZero(const Tensor &value, SourceRange range) {
  sema::ValueType type = value.type.with({DType::Int1});
  if (value.isPointer())
    return notZero(cast(value, {DType::Int64}, range), range);
  if (isBool(value.dtype()))
    return value;
  if (isSoftwareFloat(value.dtype()))
    return notZero(cast(value, {DType::Float32}, range), range);
  Tensor zero = splat(constant(ConstantValue(sema::Integer(0)), value.type.scalar, range),
                      value.shape(), range);
  if (isFloat(value.dtype()))
    return {make<arith::CmpFOp>(range, arith::CmpFPredicate::UNE, value.value, zero.value), type};
  return {make<arith::CmpIOp>(range, arith::CmpIPredicate::ne, value.value, zero.value), type};
}

namespace {

/// Number to number, neither of them int1 as a target.
mlir::Value castNumber(TileBuilder &tiles, mlir::Value value, mlir::Type type, DType from, DType to,
                       SourceRange range) {
  if (isFloat(from) && isFloat(to)) {
    if (bitWidth(from) > bitWidth(to) && bitWidth(to) == 8)
      return tiles.make<tile::NarrowOp>(range, type, value);
    if (bitWidth(from) > bitWidth(to))
      return tiles.make<arith::TruncFOp>(range, type, value);
    return tiles.make<arith::ExtFOp>(range, type, value);
  }
  if (isFloat(from)) {
    if (isSigned(to))
      return tiles.make<arith::FPToSIOp>(range, type, value);
    return tiles.make<arith::FPToUIOp>(range, type, value);
  }
  if (isFloat(to)) {
    if (isSigned(from))
      return tiles.make<arith::SIToFPOp>(range, type, value);
    return tiles.make<arith::UIToFPOp>(range, type, value);
  }
  if (bitWidth(from) == bitWidth(to))
    return value;
  if (bitWidth(from) > bitWidth(to))
    return tiles.make<arith::TruncIOp>(range, type, value);
  if (isSigned(from))
    return tiles.make<arith::ExtSIOp>(range, type, value);
  return tiles.make<arith::ExtUIOp>(range, type, value);
}

bool isNarrow(DType type) { return isFloat(type) && bitWidth(type) <= 16; }

} // namespace

static Tensor castPointer(TileBuilder &tiles, const Tensor &value, ScalarType type,
                          SourceRange range) {
  sema::ValueType result = value.type.with(type);
  mlir::Type irType = tiles.irType(result);
  if (value.isPointer() && type.isPointer)
    return {tiles.make<tile::PointerCastOp>(range, irType, value.value), result};
  if (value.isPointer() && isInteger(type.dtype) && bitWidth(type.dtype) == 64)
    return {tiles.make<tile::PointerToIntOp>(range, irType, value.value), result};
  if (type.isPointer && isInteger(value.dtype())) {
    Tensor address = tiles.cast(value, {DType::Int64}, range);
    return {tiles.make<tile::IntToPointerOp>(range, irType, address.value), result};
  }
  fail(range, DiagnosticId::cannot_cast, sema::toString(value.type.scalar), sema::toString(type));
}

Tensor TileBuilder::cast(const Tensor &value, ScalarType type, SourceRange range) {
  if (value.type.scalar == type)
    return value;
  if (type == ScalarType{DType::Int1})
    return notZero(value, range);
  if (value.isPointer() || type.isPointer)
    return castPointer(*this, value, type, range);
  DType from = value.dtype(), to = type.dtype;
  if (isSoftwareFloat(from) && to == DType::Float32)
    return widenSoftwareFloat(*this, value, range);
  if (isSoftwareFloat(to) && isFloat(from) && !isSoftwareFloat(from))
    return narrowToSoftwareFloat(*this, value, to, range);
  // A narrow float reaches everything else through float32, so that each step is defined.
  // An integer reaches floats of 8 bits that way too: all that do not overflow are exact in it.
  bool isThroughFloat32 = isNarrow(from) || (isInteger(from) && isFloat8(to));
  if (isThroughFloat32 && to != DType::Float32)
    return cast(cast(value, {DType::Float32}, range), type, range);
  sema::ValueType result = value.type.with(type);
  return {castNumber(*this, value.value, irType(result), from, to, range), result};
}

/// What rounding to nearest moved away from zero goes back by one step, which is one of the bits.
Tensor TileBuilder::castTowardZero(const Tensor &value, ScalarType type, SourceRange range) {
  if (value.type.scalar == type || isSoftwareFloat(type.dtype)) // which has one way to round
    return cast(value, type, range);
  if (value.dtype() == DType::Float64 && type.dtype != DType::Float32)
    return castTowardZero(castTowardZero(value, {DType::Float32}, range), type, range);
  Tensor wide =
      cast(value, {value.dtype() == DType::Float64 ? DType::Float64 : DType::Float32}, range);
  Tensor nearest = cast(wide, type, range);
  auto size = [&](const Tensor &number) { return like<math::AbsFOp>(range, number); };
  mlir::Value isBeyond =
      make<arith::CmpFOp>(range, arith::CmpFPredicate::OGT,
                          size(cast(nearest, wide.type.scalar, range)).value, size(wide).value);
  unsigned width = bitWidth(type.dtype);
  DType bitsType = width == 32 ? DType::Int32 : width == 16 ? DType::Int16 : DType::Int8;
  Tensor bits = bitcast(nearest, {bitsType}, range);
  Tensor one = splat(integer(1, bitsType, range), bits.shape(), range);
  Tensor less = like<arith::SubIOp>(range, bits, one);
  Tensor chosen{make<arith::SelectOp>(range, isBeyond, less.value, bits.value), bits.type};
  if (FloatFormat format = formatOf(type.dtype); !format.hasNegativeZero()) {
    // One step from the negative number next to zero is the code of -0, which is NaN there.
    auto lowest = static_cast<int64_t>(format.signBit()) - (int64_t(1) << width);
    Tensor minusZero = splat(integer(lowest, bitsType, range), bits.shape(), range);
    Tensor zero = splat(integer(0, bitsType, range), bits.shape(), range);
    mlir::Value isLost = make<arith::AndIOp>(
        range, isBeyond,
        make<arith::CmpIOp>(range, arith::CmpIPredicate::eq, chosen.value, minusZero.value));
    chosen.value = make<arith::SelectOp>(range, isLost, zero.value, chosen.value);
  }
  return bitcast(chosen, type, range);
}

Tensor TileBuilder::bitcast(const Tensor &value, ScalarType type, SourceRange range) {
  if (value.type.scalar == type)
    return value;
  bool hasPointer = value.isPointer() || type.isPointer;
  auto width = [](ScalarType scalar) { return scalar.isPointer ? 64 : bitWidth(scalar.dtype); };
  auto isNumber = [](ScalarType scalar) { return !scalar.isPointer && isFloat(scalar.dtype); };
  if (width(value.type.scalar) != width(type) ||
      (hasPointer && (isNumber(type) || isNumber(value.type.scalar))))
    failWithNote(range, {{}, "a bitcast keeps the number of bits"}, DiagnosticId::cannot_cast,
                 sema::toString(value.type.scalar), sema::toString(type));
  if (hasPointer)
    return castPointer(*this, value, type, range);
  sema::ValueType result = value.type.with(type);
  if (irType(result) == value.value.getType())
    return {value.value, result};
  return {make<arith::BitcastOp>(range, irType(result), value.value), result};
}

} // namespace nereid::emit
