// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "nereid/error.h"

#include <cstdint>
#include <cstdio>

namespace nereid {
namespace {

struct Character {
  uint32_t code;
  size_t bytes; // 0: what begins here is no UTF-8
};

/// The character that `text`, which is not empty, begins with.
Character decode(std::string_view text) {
  auto byteAt = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  unsigned char first = byteAt(0);
  if (first < 0x80)
    return {first, 1};
  size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < bytes)
    return {first, 0};
  uint32_t code = first & (0x7fu >> bytes);
  for (size_t i = 1; i < bytes; ++i) {
    if ((byteAt(i) & 0xc0) != 0x80)
      return {first, 0};
    code = code << 6 | (byteAt(i) & 0x3fu);
  }
  constexpr uint32_t leastOf[] = {0, 0, 0x80, 0x800, 0x10000};
  bool isSurrogate = code >= 0xd800 && code <= 0xdfff;
  bool isSound = code >= leastOf[bytes] && code <= 0x10ffff && !isSurrogate;
  return isSound ? Character{code, bytes} : Character{first, 0};
}

/// Whether a terminal, or who lays out a line, would do something else than show it.
bool isObeyed(uint32_t code) {
  if (code < 0x20)
    return code != '\t' && code != '\n';
  bool isControl = code >= 0x7f && code < 0xa0; // among them C1: CSI in one character
  bool isDirection = code == 0x61c || code == 0x200e || code == 0x200f ||
                     (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  bool isLineEnd = code == 0x2028 || code == 0x2029;
  return isControl || isDirection || isLineEnd;
}

std::string escapeOf(uint32_t code) {
  char text[8];
  std::snprintf(text, sizeof(text), code > 0xff ? "\\u%04x" : "\\x%02x", code);
  return code == '\r' ? "\\r" : text;
}

} // namespace

std::string printable(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    Character next = decode(text);
    bool endsLine = text.starts_with("\r\n");
    if (!next.bytes || (isObeyed(next.code) && !endsLine))
      shown += escapeOf(next.code);
    else
      shown += text.substr(0, next.bytes);
    text.remove_prefix(next.bytes ? next.bytes : 1);
  }
  return shown;
}

} // namespace nereid
