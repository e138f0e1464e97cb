// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a parser stands in the tokens, and how deep it is nested.
#pragma once

#include "frontend/lex/Token.h"

#include <algorithm>
#include <span>
#include <vector>

namespace nereid {

class TokenCursor {
public:
  /// How deep statements and expressions may nest, so that neither the parser nor any walk over the
  /// tree exhausts the stack.
  static constexpr unsigned nestingLimit = 200;

  /// `tokens` end in an End token, which is never passed.
  explicit TokenCursor(std::vector<Token> tokens, unsigned depth = 0)
      : tokens(std::move(tokens)), depth_(depth) {}

  const Token &peek(size_t ahead = 0) const {
    return tokens[std::min(position_ + ahead, tokens.size() - 1)];
  }
  bool at(TokenKind kind) const { return peek().kind == kind; }
  bool atEnd() const { return at(TokenKind::End); }

  /// Consumes the current token; one with an error is reported.
  const Token &take();
  /// Consumes the current token whatever it is.
  void skip();
  /// Skips the rest of the line and the block that it may head.
  void skipLine();
  /// Skips what stands between an Indent, which is next, and its Dedent.
  void skipBlock();
  bool accept(TokenKind kind);
  /// Consumes a token of `kind`, or reports that its spelling was expected.
  const Token &expect(TokenKind kind);
  const Token &expectIdentifier(std::string_view what);

  [[noreturn]] void failExpected(std::string_view what) const;
  [[noreturn]] void failUnsupported(std::string_view construct) const;
  [[noreturn]] void failNesting() const;

  uint32_t begin() const { return peek().range.begin; }
  /// From `begin` to the end of the last consumed token that is not layout.
  SourceRange rangeFrom(uint32_t begin) const { return {peek().range.file, begin, lastEnd}; }

  /// Reports the first bracket that nothing closes, which may stand in host code.
  void checkBrackets() const;

  size_t position() const { return position_; }
  std::span<const Token> consumedFrom(size_t position) const {
    return std::span(tokens).subspan(position, position_ - position);
  }
  void rewind(size_t position) { position_ = position; }
  unsigned depth() const { return depth_; }

private:
  friend class Nesting;

  std::vector<Token> tokens;
  size_t position_ = 0;
  uint32_t lastEnd = 0;
  unsigned depth_;
};

/// One level of nesting while it lives.
class Nesting {
public:
  explicit Nesting(TokenCursor &cursor) : cursor(cursor) {
    if (cursor.depth_ == TokenCursor::nestingLimit)
      cursor.failNesting();
    ++cursor.depth_;
  }
  ~Nesting() { --cursor.depth_; }
  Nesting(const Nesting &) = delete;
  Nesting &operator=(const Nesting &) = delete;

private:
  TokenCursor &cursor;
};

} // namespace nereid
