// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Python's number literals: where one ends, and what it is worth.
#pragma once

#include "frontend/lex/Token.h"

namespace nereid {

struct NumberScan {
  TokenKind kind; // Integer, Float, Imaginary, or Error if malformed
  size_t end;
};

/// Scans the number that starts at text[begin], a digit or a point before one.
NumberScan scanNumber(std::string_view text, size_t begin);

/// The value of an Integer token's text, or nothing if it needs more than 128 bits.
std::optional<unsigned __int128> integerValue(std::string_view text);

/// The value of a Float token's text, rounded to nearest; infinite if too large.
double floatValue(std::string_view text);

} // namespace nereid
