// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/sema/Promotion.h"

#include "support/Diagnostics.h"

#include <cmath>
#include <optional>

namespace nereid::sema {
namespace {

int rank(DTypeKind kind) {
  switch (kind) {
  case DTypeKind::Bool:
    return 0;
  case DTypeKind::Signed:
  case DTypeKind::Unsigned:
    return 1;
  case DTypeKind::Float:
    return 2;
  }
  return 2;
}

/// Nothing where an integer meets a float of 8 bits: no type is right for both.
std::optional<DType> promoteFloats(DType lhs, DType rhs, bool isDivision) {
  auto either = [&](DType type) { return lhs == type || rhs == type; };
  if (either(DType::Float64))
    return DType::Float64;
  if (either(DType::Float32))
    return DType::Float32;
  if (either(DType::Float16))
    return isDivision ? DType::Float32 : DType::Float16;
  // A bfloat16 beside anything else: an integer needs more digits than it has.
  if (either(DType::BFloat16))
    return lhs == rhs && !isDivision ? DType::BFloat16 : DType::Float32;
  if (isFloat8(lhs) && isFloat8(rhs))
    return lhs == rhs ? lhs : DType::Float16;
  return std::nullopt;
}

void checkLiteral(const ConstantValue *literal, DType type, SourceRange range) {
  if (!literal || isFloat(type))
    return;
  if (auto integer = asInteger(*literal); integer && !fits(*integer, type))
    fail(range, DiagnosticId::constant_out_of_range, toString(*literal), name(type));
}

} // namespace

bool fits(Integer value, DType type) {
  Integer one = 1;
  unsigned bits = bitWidth(type);
  if (isSigned(type))
    return value >= -(one << (bits - 1)) && value < (one << (bits - 1));
  return value >= 0 && value < (one << bits);
}

DType typeOfLiteral(const ConstantValue &number) {
  if (std::holds_alternative<bool>(number))
    return DType::Int1;
  if (auto integer = asInteger(number)) {
    for (DType type : {DType::Int32, DType::UInt32, DType::Int64})
      if (fits(*integer, type))
        return type;
    return DType::UInt64;
  }
  double size = std::fabs(std::get<double>(number));
  constexpr double smallest = 0x1p-126, largest = 0x1.fffffep127;
  bool isFloat32 = size == 0 || !std::isfinite(size) || (size >= smallest && size <= largest);
  return isFloat32 ? DType::Float32 : DType::Float64;
}

DType promoteIntegers(DType lhs, DType rhs) {
  if (isSigned(lhs) == isSigned(rhs))
    return bitWidth(lhs) > bitWidth(rhs) ? lhs : rhs;
  DType isUnsigned = isSigned(lhs) ? rhs : lhs, other = isSigned(lhs) ? lhs : rhs;
  return bitWidth(isUnsigned) >= bitWidth(other) ? isUnsigned : other;
}

static DType promoteTypes(PromotionOperand lhs, PromotionOperand rhs, bool isDivision,
                          std::string_view op, SourceRange range) {
  DType left = lhs.type.dtype, right = rhs.type.dtype;
  if (!lhs.literal != !rhs.literal) {
    DType literal = lhs.literal ? left : right, other = lhs.literal ? right : left;
    if (rank(kind(literal)) <= rank(kind(other)))
      return isDivision && isFloat(other) && bitWidth(other) == 16 ? DType::Float32 : other;
  }
  if (isFloat(left) || isFloat(right)) {
    if (auto common = promoteFloats(left, right, isDivision))
      return *common;
    failWithNote(range, {{}, "convert it first: x.to(tl.float32)"}, DiagnosticId::operand_types, op,
                 name(left), name(right));
  }
  if (isDivision && isSigned(left) != isSigned(right))
    failWithNote(range, {{}, "cast one of the operands to the other's type"},
                 DiagnosticId::mixed_signedness, op, name(left), name(right));
  return promoteIntegers(left, right);
}

DType promote(PromotionOperand lhs, PromotionOperand rhs, bool isDivision, std::string_view op,
              SourceRange range) {
  DType type = promoteTypes(lhs, rhs, isDivision, op, range);
  checkLiteral(lhs.literal, type, range);
  checkLiteral(rhs.literal, type, range);
  return type;
}

} // namespace nereid::sema
