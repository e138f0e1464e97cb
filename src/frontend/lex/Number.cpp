// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/lex/Number.h"

#include "frontend/lex/Characters.h"
#include "support/Check.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Error.h"

#include <algorithm>

namespace nereid {
namespace {

/// Python's own bound for integers; it also keeps the conversion of floats, which is quadratic,
/// short.
constexpr size_t longestNumber = 4300;

unsigned radixOf(std::string_view text) {
  if (text.size() < 2 || text[0] != '0')
    return 10;
  return llvm::StringSwitch<unsigned>(text.substr(1, 1))
      .CaseLower("x", 16)
      .CaseLower("o", 8)
      .CaseLower("b", 2)
      .Default(10);
}

/// Python lets a keyword follow a number without a space: `1if x else 2`.
bool mayFollowNumber(std::string_view word) {
  return llvm::StringSwitch<bool>(word)
      .Cases({"and", "else", "for", "if", "in", "is", "not", "or"}, true)
      .Default(false);
}

class NumberScanner {
public:
  NumberScanner(std::string_view text, size_t begin) : text(text), begin(begin), position(begin) {}

  NumberScan scan() {
    unsigned radix = radixOf(text.substr(begin));
    TokenKind kind = radix == 10 ? scanDecimal() : scanPrefixed(radix);
    size_t wordEnd = position;
    while (wordEnd < text.size() && continuesName(text[wordEnd]))
      ++wordEnd;
    if (wordEnd != position && !mayFollowNumber(text.substr(position, wordEnd - position)))
      return {TokenKind::Error, wordEnd};
    return {position - begin > longestNumber ? TokenKind::Error : kind, position};
  }

private:
  bool at(size_t offset, char lower) const {
    return offset < text.size() && llvm::toLower(text[offset]) == lower;
  }
  bool isDigitAt(size_t offset, unsigned radix = 10) const {
    return offset < text.size() && llvm::hexDigitValue(text[offset]) < radix;
  }

  /// Digits with single underscores between them.
  bool scanDigits(unsigned radix) {
    if (!isDigitAt(position, radix))
      return false;
    while (isDigitAt(position, radix) || (at(position, '_') && isDigitAt(position + 1, radix)))
      ++position;
    return true;
  }

  TokenKind scanPrefixed(unsigned radix) {
    position += 2;
    if (at(position, '_'))
      ++position;
    return scanDigits(radix) ? TokenKind::Integer : TokenKind::Error;
  }

  TokenKind scanDecimal() {
    TokenKind kind = TokenKind::Integer;
    scanDigits(10);
    size_t digitsEnd = position;
    if (at(position, '.')) {
      ++position;
      scanDigits(10);
      kind = TokenKind::Float;
    }
    if (scanExponent())
      kind = TokenKind::Float;
    if (at(position, 'j')) {
      ++position;
      return TokenKind::Imaginary;
    }
    return kind == TokenKind::Integer && hasLeadingZero(digitsEnd) ? TokenKind::Error : kind;
  }

  bool scanExponent() {
    size_t digits = position + 1;
    if (at(digits, '+') || at(digits, '-'))
      ++digits;
    if (!at(position, 'e') || !isDigitAt(digits))
      return false;
    position = digits;
    return scanDigits(10);
  }

  bool hasLeadingZero(size_t end) const {
    return text[begin] == '0' &&
           text.substr(begin, end - begin).find_first_of("123456789") != std::string_view::npos;
  }

  std::string_view text;
  size_t begin, position;
};

} // namespace

NumberScan scanNumber(std::string_view text, size_t begin) {
  return NumberScanner(text, begin).scan();
}

std::optional<unsigned __int128> integerValue(std::string_view text) {
  unsigned radix = radixOf(text);
  unsigned __int128 value = 0;
  for (char c : text.substr(radix == 10 ? 0 : 2)) {
    if (c == '_')
      continue;
    unsigned __int128 scaled;
    if (__builtin_mul_overflow(value, static_cast<unsigned __int128>(radix), &scaled) ||
        __builtin_add_overflow(scaled, static_cast<unsigned __int128>(llvm::hexDigitValue(c)),
                               &value))
      return std::nullopt;
  }
  return value;
}

double floatValue(std::string_view text) {
  std::string digits(text);
  std::erase(digits, '_');
  llvm::APFloat value(llvm::APFloat::IEEEdouble());
  auto status = value.convertFromString(digits, llvm::APFloat::rmNearestTiesToEven);
  NEREID_CHECK(static_cast<bool>(status), "the lexer let through a float that does not convert");
  return value.convertToDouble();
}

} // namespace nereid
