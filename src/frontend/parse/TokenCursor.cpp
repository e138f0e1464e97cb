// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/parse/TokenCursor.h"

namespace nereid {

const Token &TokenCursor::take() {
  const Token &token = peek();
  if (token.error)
    failWithErrorOf(token);
  bool isLayout = token.kind <= TokenKind::Dedent;
  if (!isLayout)
    lastEnd = token.range.end;
  skip();
  return token;
}

void TokenCursor::skip() {
  if (!atEnd())
    ++position_;
}

void TokenCursor::skipLine() {
  while (!atEnd() && !at(TokenKind::Newline))
    skip();
  skip();
  if (at(TokenKind::Indent))
    skipBlock();
}

void TokenCursor::skipBlock() {
  size_t open = 0;
  do {
    open += at(TokenKind::Indent);
    open -= at(TokenKind::Dedent);
    skip();
  } while (open > 0 && !atEnd());
}

bool TokenCursor::accept(TokenKind kind) {
  if (!at(kind))
    return false;
  take();
  return true;
}

const Token &TokenCursor::expect(TokenKind kind) {
  if (!at(kind))
    failExpected("'" + std::string(spelling(kind)) + "'");
  return take();
}

const Token &TokenCursor::expectIdentifier(std::string_view what) {
  if (!at(TokenKind::Identifier))
    failExpected(what);
  return take();
}

void TokenCursor::checkBrackets() const {
  for (const Token &token : tokens)
    if (token.error == DiagnosticId::unclosed_bracket)
      failWithErrorOf(token);
}

void TokenCursor::failExpected(std::string_view what) const {
  if (peek().error)
    failWithErrorOf(peek());
  fail(peek().range, DiagnosticId::expected, what);
}

void TokenCursor::failUnsupported(std::string_view construct) const {
  fail(peek().range, DiagnosticId::unsupported_syntax, construct);
}

void TokenCursor::failNesting() const {
  fail(peek().range, DiagnosticId::nested_too_deeply, nestingLimit);
}

} // namespace nereid
