// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Python's string literals: their prefixes and where they end.
#pragma once

#include "frontend/lex/Token.h"

namespace nereid {

/// The letters before a quote.
struct StringPrefix {
  bool isRaw = false, isBytes = false, isFormatted = false;

  TokenKind tokenKind() const;
};

/// What `letters` mean before a quote, or nothing if they are a name of their own.
std::optional<StringPrefix> stringPrefix(std::string_view letters);

/// 3 if text[quote] opens a triple-quoted string, else 1.
size_t quoteLength(std::string_view text, size_t quote);

/// A string token taken apart; the content stands between the quotes.
struct StringParts {
  StringPrefix prefix;
  uint32_t contentBegin, contentEnd;
};
StringParts partsOf(const Token &token);

struct StringScan {
  size_t end; // past the closing quote if terminated, else where the text or the line ends
  bool isTerminated;
};

/// Scans the string whose opening quote is text[quote], with no regard to replacement fields.
StringScan scanString(std::string_view text, size_t quote);

/// The same for an f-string, whose replacement fields may hold strings with the same quotes.
StringScan scanFString(std::string_view text, size_t quote, bool isRaw);

} // namespace nereid
