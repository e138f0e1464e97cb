// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a byte of Python text can be. Any byte of a multi-byte UTF-8 character belongs to a name.
#pragma once

namespace nereid {

inline bool isDigit(char c) { return c >= '0' && c <= '9'; }
inline bool isNewline(char c) { return c == '\n' || c == '\r'; }
inline bool isQuote(char c) { return c == '"' || c == '\''; }
inline bool startsName(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
inline bool continuesName(char c) { return startsName(c) || isDigit(c); }

} // namespace nereid
