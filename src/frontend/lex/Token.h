// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/Diagnostics.h"
#include "support/Source.h"

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace nereid {

enum class TokenKind : uint8_t {
#define TOKEN(kind, name) kind,
#include "frontend/lex/tokens.def"
};

/// A keyword's or operator's spelling; what the other kinds are called.
std::string_view spelling(TokenKind kind);

struct Token {
  TokenKind kind;
  /// Reported only if a parser takes the token, because host code may hold anything. Set on every
  /// Error token and on an opening bracket that is never closed.
  std::optional<DiagnosticId> error;
  SourceRange range;

  std::string_view text() const { return range.text(); }
};

/// Reports the error of `token` as the kernel author's mistake.
[[noreturn]] void failWithErrorOf(const Token &token);

/// One token a line: "line:column kind 'text'" (`--dump=tokens`).
void print(llvm::ArrayRef<Token> tokens, llvm::raw_ostream &out);

} // namespace nereid
