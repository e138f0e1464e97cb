// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/launch/OutsideBrackets.h"

#include "frontend/lex/Lexer.h"

namespace nereid::jit {

std::vector<uint32_t> findOutsideBrackets(TokenKind kind, const SourceFile &text) {
  using Kind = TokenKind;
  std::vector<uint32_t> places;
  int depth = 0;
  for (const Token &token : tokenizeExpression(text)) {
    Kind each = token.kind;
    depth += each == Kind::LParen || each == Kind::LBracket || each == Kind::LBrace;
    depth -= each == Kind::RParen || each == Kind::RBracket || each == Kind::RBrace;
    if (each == kind && depth <= 0)
      places.push_back(token.range.begin);
  }
  return places;
}

} // namespace nereid::jit
