// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/parse/StringDecoder.h"

#include "frontend/lex/Characters.h"
#include "support/Diagnostics.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Unicode.h"

#include <algorithm>

namespace nereid {
namespace {

class StringDecoder {
public:
  explicit StringDecoder(SourceRange content) : content(content), text(content.text()) {}

  std::string decode(bool isRaw) {
    while (position < text.size())
      if (text[position] == '\r')
        decodeCarriageReturn();
      else if (text[position] == '\\' && !isRaw && position + 1 < text.size())
        decodeEscape();
      else
        result += text[position++];
    return std::move(result);
  }

private:
  void decodeCarriageReturn() {
    result += '\n';
    position += text.substr(position).starts_with("\r\n") ? 2 : 1;
  }

  void decodeEscape() {
    begin = position++;
    char c = text[position++];
    constexpr std::string_view letters = "abfnrtv\\'\"", values = "\a\b\f\n\r\t\v\\'\"";
    if (size_t simple = letters.find(c); simple != std::string_view::npos)
      result += values[simple];
    else if (c == '\n')
      return;
    else if (c == '\r')
      position += position < text.size() && text[position] == '\n';
    else if (llvm::hexDigitValue(c) < 8)
      decodeOctal();
    else if (c == 'x')
      decodeHex(2);
    else if (c == 'u')
      decodeHex(4);
    else if (c == 'U')
      decodeHex(8);
    else if (c == 'N')
      decodeCharacterName();
    else
      (result += '\\') += c;
  }

  void decodeOctal() {
    uint32_t value = 0;
    size_t end = std::min(text.size(), begin + 4);
    for (position = begin + 1; position < end && llvm::hexDigitValue(text[position]) < 8;
         ++position)
      value = value * 8 + llvm::hexDigitValue(text[position]);
    append(value);
  }

  void decodeHex(size_t digits) {
    uint32_t value = 0;
    for (size_t end = position + digits; position < end; ++position) {
      if (position == text.size() || !llvm::isHexDigit(text[position]))
        failEscape();
      value = value * 16 + llvm::hexDigitValue(text[position]);
    }
    append(value);
  }

  void decodeCharacterName() {
    size_t close = text.find('}', position);
    if (!text.substr(position).starts_with('{') || close == std::string_view::npos)
      failEscape();
    auto name = text.substr(position + 1, close - position - 1);
    position = close + 1;
    // Python ignores the case of a name, the table is in upper case.
    auto character = llvm::sys::unicode::nameToCodepointStrict(llvm::StringRef(name).upper());
    if (!character)
      failEscape();
    append(*character);
  }

  void append(uint32_t character) {
    char utf8[UNI_MAX_UTF8_BYTES_PER_CODE_POINT];
    char *end = utf8;
    if (!llvm::ConvertCodePointToUTF8(character, end))
      failEscape();
    result.append(utf8, end);
  }

  [[noreturn]] void failEscape() const {
    auto offset = content.begin + static_cast<uint32_t>(begin);
    auto end = content.begin + static_cast<uint32_t>(position);
    fail({content.file, offset, end}, DiagnosticId::invalid_escape);
  }

  SourceRange content;
  std::string_view text;
  size_t position = 0, begin = 0;
  std::string result;
};

} // namespace

std::string decodeString(SourceRange content, bool isRaw) {
  return StringDecoder(content).decode(isRaw);
}

} // namespace nereid
