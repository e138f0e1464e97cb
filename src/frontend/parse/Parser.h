// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text to syntax tree. Both functions report the first mistake as a SourceError.
#pragma once

#include "frontend/ast/Ast.h"

namespace nereid {

/// Parses every kernel of `file` in full and notes what else at module level a kernel may name.
/// Host code is skipped whatever it holds.
ast::Module parseModule(const SourceFile &file);

/// Parses a text that is one function, which is a kernel whatever its decorators are called.
ast::Module parseFunctionText(const SourceFile &file);

/// Parses the one expression, or tuple without parentheses, that `file` consists of.
ast::ExprPtr parseExpression(const SourceFile &file);

} // namespace nereid
