// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The element type in which an operation of two operands is computed (docs: type promotion).
#pragma once

#include "frontend/sema/Constant.h"
#include "frontend/sema/Type.h"

#include "support/Source.h"

#include <string_view>

namespace nereid::sema {

/// What promotion asks about one operand.
struct PromotionOperand {
  ScalarType type;
  /// A number of the source text or a constexpr: of a kind not above the other operand's, it takes
  /// that one's type. Arguments of the kernel and loaded scalars are no literals.
  const ConstantValue *literal = nullptr;
};

/// The type that a number gets when nothing else decides: int32, uint32, int64 or uint64, whichever
/// holds it first; float32, or float64 outside float32's normal range; int1 for a bool.
DType typeOfLiteral(const ConstantValue &number);

/// C's rules: the wider wins, and among equal widths the unsigned one. int1 counts as unsigned.
DType promoteIntegers(DType lhs, DType rhs);

/// The type for both operands of `op`. `isDivision` is for / // and %, where 16-bit floats become
/// float32 and integers must agree in sign. Floats of 8 bits do not meet integers. Pointers do not
/// take part. Throws SourceError at `range`.
DType promote(PromotionOperand lhs, PromotionOperand rhs, bool isDivision, std::string_view op,
              SourceRange range);

/// Whether the integer type holds `value`.
bool fits(Integer value, DType type);

} // namespace nereid::sema
