// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "frontend/ast/Ast.h"
#include "frontend/lex/Token.h"

namespace nereid {

/// Parses the f-string `token` and appends its text and fields to `pieces`, whose last piece is
/// text only, before and after. `depth` is how deep the string itself is nested.
void appendFString(const Token &token, unsigned depth, std::vector<ast::FString::Piece> &pieces);

} // namespace nereid
