// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators between run-time values in kernels of threads, with Numba's types and Python's meaning.
#pragma once

#include "frontend/emit/Emitter.h"

namespace nereid::emit::threads {

Value binary(Emitter &emitter, ast::BinaryOp op, const Value &lhs, const Value &rhs,
             SourceRange range);
Value unary(Emitter &emitter, ast::UnaryOp op, const Tensor &operand, SourceRange range);
/// ==, != and the orders, of numbers.
Value compare(Emitter &emitter, ast::CompareOp op, const Value &lhs, const Value &rhs,
              SourceRange range);
/// `and` and `or`: the next operand is evaluated only where those before do not decide.
Value evaluateBool(Emitter &emitter, const ast::Bool &expr);

/// A number as a scalar of the type that both have when paths meet.
Tensor castNumber(Emitter &emitter, const Value &value, DType type, SourceRange range);
/// Brings two numbers to the one type of a variable that may hold either; nothing if one is no
/// number.
std::optional<OperandPair> unify(Emitter &emitter, const Value &lhs, const Value &rhs,
                                 SourceRange range);

} // namespace nereid::emit::threads
