// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/parse/TokenCursor.h"

#include <algorithm>

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

/// What a kernel says instead; empty where there is nothing.
static std::string_view insteadOf(std::string_view construct) {
  constexpr std::pair<std::string_view, std::string_view> table[] = {
      {"'lambda'", "write a function beside the kernel, with the kernel's decorator"},
      {"a nested function", "write a function beside the kernel, with the kernel's decorator"},
      {"'global'", "a kernel changes nothing of the module: a function gives its result back, and "
                   "what a kernel finds is written to its arrays"},
      {"'nonlocal'", "a function sees the names around it and changes none: it gives its result "
                     "back"},
      {"'yield'", "a function gives one result, by return; arrays hold many"},
      {"'import'", "import beside the kernel; a kernel sees the module's names"},
      {"a class", "define it beside the kernel"},
      {"'del'", "a name lives as long as the function that has it"},
      {"'try'", "a kernel has no exceptions: tl.device_assert (assert in a kernel of threads) "
                "checks what the run decides"},
      {"'with'", "a kernel has no context managers"},
      {"a generator expression", "a list in brackets goes over a tuple: [f(x) for x in t]"},
      {"a dictionary or set", "a tuple or a NamedTuple holds several values"},
      {"a comprehension of a dictionary or set",
       "a list in brackets goes over a tuple: [f(x) for x in t]"},
  };
  const auto *row = std::find_if(std::begin(table), std::end(table), [&](const auto &candidate) {
    return candidate.first == construct;
  });
  return row == std::end(table) ? "" : row->second;
}

void TokenCursor::failUnsupported(std::string_view construct) const {
  std::string_view instead = insteadOf(construct);
  if (instead.empty())
    fail(peek().range, DiagnosticId::unsupported_syntax, construct);
  failWithNote(peek().range, {{}, std::string(instead)}, DiagnosticId::unsupported_syntax,
               construct);
}

void TokenCursor::failNesting() const {
  fail(peek().range, DiagnosticId::nested_too_deeply, nestingLimit);
}

} // namespace nereid
