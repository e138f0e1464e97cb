// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `else` after a loop, which runs unless a break ended the loop.
#pragma once

#include "frontend/ast/Ast.h"

namespace nereid {

/// The loop, an ast::For or ast::While whose body is `body`, and then `otherwise`, as one statement
/// of others: where the body breaks, a variable that no text can name remembers it.
ast::StmtPtr withElse(ast::StmtPtr loop, ast::StmtList &body, ast::StmtList otherwise);

} // namespace nereid
