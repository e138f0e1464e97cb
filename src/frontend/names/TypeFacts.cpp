// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/names/TypeFacts.h"

#include "support/FloatFormat.h"

#include "llvm/ADT/StringRef.h"

namespace nereid::names {

using sema::ConstantValue;

static TypeFact attribute(ConstantValue value) { return {std::move(value)}; }
static TypeFact method(ConstantValue value) { return {std::move(value), /*isMethod=*/true}; }
static ConstantValue integer(sema::Integer value) { return value; }

/// The questions `is_...()`.
static std::optional<bool> isSo(sema::ScalarType type, const std::string &name) {
  DType dtype = type.dtype;
  bool isNumber = !type.isPointer, isWholeNumber = isNumber && isInteger(dtype);
  if (name == "is_ptr")
    return type.isPointer;
  if (name == "is_const")
    return type.isPointer && type.isConst;
  if (name == "is_block" || name == "is_void")
    return false;
  if (name == "is_floating")
    return isNumber && isFloat(dtype);
  if (name == "is_standard_floating")
    return isNumber && isFloat(dtype) && !isFloat8(dtype);
  if (name == "is_int")
    return isWholeNumber;
  if (name == "is_int_signed")
    return isNumber && isSigned(dtype);
  if (name == "is_int_unsigned")
    return isWholeNumber && !isSigned(dtype);
  if (name == "is_bool" || name == "is_int1")
    return isNumber && dtype == DType::Int1;
  if (name == "is_fp8")
    return isNumber && isFloat8(dtype);
  auto other = llvm::StringRef(name).starts_with("is_") ? parseDType(name.substr(3)) : std::nullopt;
  return other ? std::optional(isNumber && dtype == *other) : std::nullopt;
}

std::optional<TypeFact> factOf(sema::ScalarType type, const std::string &name) {
  DType dtype = type.dtype;
  bool isNumber = !type.isPointer, isWholeNumber = isNumber && isInteger(dtype);
  if (name == "name")
    return attribute(sema::languageName(type));
  if (name == "scalar")
    return attribute(type);
  if (name == "element_ty")
    return type.isPointer ? std::optional(attribute(sema::ScalarType{dtype})) : std::nullopt;
  if (name == "primitive_bitwidth" || name == "int_bitwidth")
    return attribute(integer(type.isPointer ? 64 : bitWidth(dtype)));
  if (name == "itemsize")
    return attribute(integer(type.isPointer ? 8 : byteSize(dtype)));
  if (name == "fp_mantissa_width" && isNumber && isFloat(dtype))
    return attribute(integer(formatOf(dtype).mantissaBits));
  if (name == "exponent_bias" && isNumber && isFloat(dtype))
    return attribute(integer(formatOf(dtype).bias));
  if (name == "kind" && isNumber) // of tl.dtype.KIND
    return method(integer(isBool(dtype) ? 0 : isFloat(dtype) ? 2 : 1));
  if (name == "int_signedness" && isWholeNumber) // of tl.dtype.SIGNEDNESS
    return attribute(integer(isSigned(dtype) ? 0 : 1));
  if (name == "get_int_max_value" && isWholeNumber)
    return method(integer((sema::Integer(1) << (bitWidth(dtype) - isSigned(dtype))) - 1));
  if (name == "get_int_min_value" && isWholeNumber)
    return method(integer(isSigned(dtype) ? -(sema::Integer(1) << (bitWidth(dtype) - 1)) : 0));
  if (auto answer = isSo(type, name))
    return method(*answer);
  return std::nullopt;
}

std::optional<TypeFact> factOf(const sema::ValueType &type, const std::string &name) {
  if (name == "shape")
    return TypeFact{type.shape};
  if (name == "scalar" || (name == "element_ty" && type.isTile()))
    return attribute(type.scalar);
  if (name == "is_block")
    return method(type.isTile());
  if (name == "get_block_shapes" && type.isTile())
    return TypeFact{type.shape, /*isMethod=*/true};
  return factOf(type.scalar, name);
}

} // namespace nereid::names
