// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/sema/ThreadTypes.h"

#include "frontend/sema/Promotion.h"

#include <algorithm>

namespace nereid::sema {
namespace {

bool isUnsigned(DType type) { return isInteger(type) && !isBool(type) && !isSigned(type); }

/// An integer beside a float32 stays one only if all its values are floats that arithmetic knows.
bool fitsFloat32(DType type) {
  return isBool(type) || bitWidth(type) == 8 || (bitWidth(type) == 16 && isSigned(type));
}

DType commonFloat(DType lhs, DType rhs) {
  if (isFloat(lhs) && isFloat(rhs))
    return bitWidth(lhs) >= bitWidth(rhs) ? lhs : rhs;
  DType number = isFloat(lhs) ? lhs : rhs, integer = isFloat(lhs) ? rhs : lhs;
  if (bitWidth(number) <= 32 && fitsFloat32(integer))
    return DType::Float32;
  return DType::Float64;
}

/// What integers are computed in, however narrow they are.
DType machineInteger(DType lhs, DType rhs) {
  return isUnsigned(lhs) && isUnsigned(rhs) ? DType::UInt64 : DType::Int64;
}

DType signedOf(unsigned bits) {
  return bits <= 8    ? DType::Int8
         : bits <= 16 ? DType::Int16
         : bits <= 32 ? DType::Int32
                      : DType::Int64;
}

} // namespace

DType threadLiteralType(const ConstantValue &number) {
  if (std::holds_alternative<bool>(number))
    return DType::Int1;
  if (auto integer = asInteger(number))
    return fits(*integer, DType::Int64) ? DType::Int64 : DType::UInt64;
  return DType::Float64;
}

std::optional<DType> threadOperandType(ast::BinaryOp op, DType lhs, DType rhs) {
  using Op = ast::BinaryOp;
  bool hasFloat = isFloat(lhs) || isFloat(rhs);
  switch (op) {
  case Op::Add:
  case Op::Sub:
  case Op::Mul:
  case Op::FloorDiv:
  case Op::Mod:
    return hasFloat ? commonFloat(lhs, rhs) : machineInteger(lhs, rhs);
  case Op::Div:
    return hasFloat ? commonFloat(lhs, rhs) : DType::Float64;
  case Op::Pow:
    if (isFloat(lhs) && isInteger(rhs))
      return lhs;
    return hasFloat ? commonFloat(lhs, rhs) : machineInteger(lhs, rhs);
  case Op::Shl:
  case Op::Shr:
    if (hasFloat)
      return std::nullopt;
    return isUnsigned(lhs) ? DType::UInt64 : DType::Int64;
  case Op::And:
  case Op::Or:
  case Op::Xor:
    if (hasFloat)
      return std::nullopt;
    return isBool(lhs) && isBool(rhs) ? DType::Int1 : machineInteger(lhs, rhs);
  case Op::MatMul:
    return std::nullopt;
  }
  return std::nullopt;
}

std::optional<DType> threadOperandType(ast::UnaryOp op, DType operand) {
  if (isFloat(operand))
    return op == ast::UnaryOp::Invert ? std::nullopt : std::optional(operand);
  if (isBool(operand) && op == ast::UnaryOp::Invert)
    return operand;
  return isUnsigned(operand) ? DType::UInt64 : DType::Int64;
}

DType threadComparisonType(DType lhs, DType rhs) {
  return isFloat(lhs) || isFloat(rhs) ? commonFloat(lhs, rhs) : unifyThreadTypes(lhs, rhs);
}

DType unifyThreadTypes(DType lhs, DType rhs) {
  if (lhs == rhs)
    return lhs;
  if (isFloat(lhs) || isFloat(rhs)) {
    bool isShort = isFloat(lhs) != isFloat(rhs) && bitWidth(isFloat(lhs) ? rhs : lhs) <= 16;
    bool isNarrow = bitWidth(isFloat(lhs) ? lhs : rhs) <= 32;
    return isShort && isNarrow ? DType::Float32 : commonFloat(lhs, rhs);
  }
  if (isBool(lhs) || isBool(rhs))
    return isBool(lhs) ? rhs : lhs;
  if (isSigned(lhs) == isSigned(rhs))
    return bitWidth(lhs) > bitWidth(rhs) ? lhs : rhs;
  DType plain = isSigned(lhs) ? rhs : lhs, other = isSigned(lhs) ? lhs : rhs;
  if (bitWidth(plain) == 64)
    return DType::Float64;
  return signedOf(std::max(2 * bitWidth(plain), bitWidth(other)));
}

} // namespace nereid::sema
