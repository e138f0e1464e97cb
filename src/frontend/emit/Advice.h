// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a diagnostic says beside the mistake: what would be accepted, in the author's own words.
#pragma once

#include "frontend/emit/Emitter.h"
#include "frontend/names/Advice.h"

namespace nereid::emit {

using names::failWithNotes;
using names::spellingInKernels;
using names::suggestion;

/// suggestion() for the parameters of a function: their names, and what other libraries call them.
std::vector<DiagnosticNote> suggestParameter(const std::string &name,
                                             const std::vector<std::string> &parameters);
/// Reports what had to be a constexpr, and which parameters of the kernel would make it one.
[[noreturn]] void failNotConstexpr(const Emitter &emitter, const Value &value,
                                   Diagnostic diagnostic);
/// The parameter of the kernel that stands where a pointer is needed: `x_ptr` of `x_ptr + offsets`
/// when a number was passed for it. Null if there is none.
const ast::Parameter *numberUsedAsPointer(Emitter &emitter, const Value &value, SourceRange range);

/// Refuses `x[i]` of pointers, and `x[i] = value` or `x[i] op= value` of anything, with the load or
/// store that was meant.
void refuseElement(const ast::Subscript &expr, const Value &object);
[[noreturn]] void failElementAssignment(const ast::Subscript &target, const Value &object,
                                        std::string_view value,
                                        std::optional<ast::BinaryOp> op = std::nullopt);
/// Refuses `**` and `@` of run-time values; the texts are those of the operands.
void refuseOperator(ast::BinaryOp op, std::string_view lhsText, const Value &lhs,
                    std::string_view rhsText, const Value &rhs, SourceRange range);
/// How `name`, which a loop changes from one type to another, should start.
std::string startAdvice(const std::string &name, const Value &before, const Value &after);

} // namespace nereid::emit
