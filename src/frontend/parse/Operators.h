// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "frontend/ast/Ast.h"
#include "frontend/lex/Token.h"

namespace nereid {

/// An arithmetic operator, its assigning form, and how tightly it binds.
struct BinaryOperator {
  TokenKind token, assigningToken;
  ast::BinaryOp op;
  int precedence;
};

constexpr int loosestPrecedence = 1;

/// The left-associative operator that `token` is, or null. `**` is not among them.
const BinaryOperator *binaryOperator(TokenKind token);
/// The operator of `+=` and its like, or null.
const BinaryOperator *assigningOperator(TokenKind token);

} // namespace nereid
