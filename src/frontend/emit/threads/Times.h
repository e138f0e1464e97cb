// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NumPy's points in time (datetime64) and spans of it (timedelta64) in kernels of threads: tuples
// of one int64, a count of units, of which the least is no time at all, so that control flow
// carries them as it carries tuples.
#pragma once

#include "frontend/emit/Emitter.h"

namespace nereid::emit::threads {

/// Of a NumPy type's name: "datetime64[D]", "timedelta64[25us]".
bool isKindOfTime(std::string_view kind);

Value timeValue(const Tensor &count, const std::string &kind);
/// The count of units that an element of this kind holds for the value, which has such units or
/// larger ones.
Tensor countOfTime(Emitter &emitter, const Value &value, const std::string &kind,
                   SourceRange range);

/// Nothing where no operand is a time.
std::optional<Value> timeBinary(Emitter &emitter, ast::BinaryOp op, const Value &lhs,
                                const Value &rhs, SourceRange range);
std::optional<Value> timeCompare(Emitter &emitter, ast::CompareOp op, const Value &lhs,
                                 const Value &rhs, SourceRange range);
std::optional<Value> timeUnary(Emitter &emitter, ast::UnaryOp op, const Value &operand,
                               SourceRange range);

} // namespace nereid::emit::threads
