// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The types of expressions in kernels of threads, which are Numba's: Python's integers have 64
// bits there, and its floats are doubles. tests/python/test_thread_types.py asks Numba itself.
#pragma once

#include "frontend/ast/Ast.h"
#include "frontend/sema/Constant.h"

#include <optional>

namespace nereid::sema {

/// int64, or uint64 beyond it; float64; int1 for a bool.
DType threadLiteralType(const ConstantValue &number);

/// The type that both operands are brought to; nothing where the operator has no meaning for them.
/// Of `/` between integers it is float64, of comparisons what holds both.
std::optional<DType> threadOperandType(ast::BinaryOp op, DType lhs, DType rhs);
DType threadComparisonType(DType lhs, DType rhs);
/// Of +x, -x and ~x.
std::optional<DType> threadOperandType(ast::UnaryOp op, DType operand);

/// The one type of a variable that different paths give values of both.
DType unifyThreadTypes(DType lhs, DType rhs);

} // namespace nereid::sema
