// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/lex/StringLiteral.h"

#include "frontend/lex/Characters.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <algorithm>

namespace nereid {
namespace {

bool closes(std::string_view text, size_t position, char quote, size_t length) {
  return text.substr(position, length) ==
         std::string_view("\"\"\"'''").substr(quote == '"' ? 0 : 3, length);
}

/// The end of the escape at text[position]; a backslash hides a whole line end.
size_t skipEscape(std::string_view text, size_t position) {
  size_t length = text.substr(position).starts_with("\\\r\n") ? 3 : 2;
  return std::min(position + length, text.size());
}

/// Walks an f-string with a stack of its own, so that nesting costs no C++ stack.
class FStringScanner {
public:
  FStringScanner(std::string_view text, size_t quote, bool isRaw) : text(text), position(quote) {
    openString(isRaw);
  }

  StringScan scan() {
    while (position < text.size() && !frames.empty())
      if (!step())
        return {position, false};
    return {position, frames.empty()};
  }

private:
  enum class Mode { Literal, Field, Format };
  struct Frame {
    Mode mode;
    char quote; // of the string that the frame is in
    size_t quoteLength;
    bool isRaw;
    unsigned openBrackets = 0;
  };

  void openString(bool isRaw) {
    size_t length = quoteLength(text, position);
    frames.push_back({Mode::Literal, text[position], length, isRaw});
    position += length;
  }

  void openField() {
    Frame field = frames.back();
    field.mode = Mode::Field;
    field.openBrackets = 0;
    frames.push_back(field);
    ++position;
  }

  void closeFrame(size_t length) {
    frames.pop_back();
    position += length;
  }

  bool step() {
    switch (frames.back().mode) {
    case Mode::Literal:
      return stepLiteral();
    case Mode::Field:
      return stepField();
    case Mode::Format:
      return stepFormat();
    }
    return false;
  }

  bool endsAtLineEnd() const { return frames.back().quoteLength == 1 && isNewline(text[position]); }
  bool atClosingQuote() const {
    return closes(text, position, frames.back().quote, frames.back().quoteLength);
  }

  bool stepLiteral() {
    const Frame &frame = frames.back();
    if (endsAtLineEnd())
      return false;
    std::string_view rest = text.substr(position);
    if (rest.starts_with("{{") || rest.starts_with("}}"))
      position += 2;
    else if (rest[0] == '{')
      openField();
    else if (rest[0] == '\\')
      stepEscape(rest, frame.isRaw);
    else if (atClosingQuote())
      closeFrame(frame.quoteLength);
    else
      ++position;
    return true;
  }

  void stepEscape(std::string_view rest, bool isRaw) {
    if (rest.starts_with("\\{") || rest.starts_with("\\}"))
      ++position; // the brace keeps its meaning
    else if (!isRaw && rest.starts_with("\\N{"))
      position += 3 + std::min(rest.size() - 3, rest.substr(3).find_first_of("}'\"{\r\n"));
    else
      position = skipEscape(text, position);
    position = std::min(position, text.size());
  }

  bool stepField() {
    Frame &frame = frames.back();
    char c = text[position];
    if (isQuote(c))
      return stepNestedString();
    if (c == '}' && frame.openBrackets == 0)
      closeFrame(1);
    else if (c == '#')
      skipComment();
    else {
      if (c == ':' && frame.openBrackets == 0)
        frame.mode = Mode::Format;
      else if (c == '(' || c == '[' || c == '{')
        ++frame.openBrackets;
      else if (c == ')' || c == ']' || c == '}')
        frame.openBrackets -= frame.openBrackets > 0;
      ++position;
    }
    return true;
  }

  void skipComment() { position = std::min(text.size(), text.find_first_of("\r\n", position)); }

  bool stepNestedString() {
    size_t begin = position;
    while (begin > 0 && position - begin < 3 && llvm::isAlpha(text[begin - 1]))
      --begin;
    auto prefix = stringPrefix(text.substr(begin, position - begin));
    if (prefix && prefix->isFormatted) {
      openString(prefix->isRaw);
      return true;
    }
    auto [end, isTerminated] = scanString(text, position);
    position = end;
    return isTerminated;
  }

  bool stepFormat() {
    if (endsAtLineEnd() || atClosingQuote())
      return false;
    if (text[position] == '{')
      openField();
    else if (text[position] == '}')
      closeFrame(1);
    else
      ++position;
    return true;
  }

  std::string_view text;
  size_t position;
  llvm::SmallVector<Frame, 8> frames;
};

} // namespace

TokenKind StringPrefix::tokenKind() const {
  if (isFormatted)
    return TokenKind::FString;
  return isBytes ? TokenKind::Bytes : TokenKind::String;
}

std::optional<StringPrefix> stringPrefix(std::string_view letters) {
  using Prefix = std::optional<StringPrefix>;
  return llvm::StringSwitch<Prefix>(letters)
      .Case("", StringPrefix{})
      .CaseLower("u", StringPrefix{})
      .CaseLower("r", StringPrefix{.isRaw = true})
      .CaseLower("b", StringPrefix{.isBytes = true})
      .CaseLower("f", StringPrefix{.isFormatted = true})
      .CaseLower("br", StringPrefix{.isRaw = true, .isBytes = true})
      .CaseLower("rb", StringPrefix{.isRaw = true, .isBytes = true})
      .CaseLower("fr", StringPrefix{.isRaw = true, .isFormatted = true})
      .CaseLower("rf", StringPrefix{.isRaw = true, .isFormatted = true})
      .Default(std::nullopt);
}

size_t quoteLength(std::string_view text, size_t quote) {
  return closes(text, quote, text[quote], 3) ? 3 : 1;
}

StringParts partsOf(const Token &token) {
  std::string_view text = token.text();
  size_t quote = text.find_first_of("\"'");
  auto length = static_cast<uint32_t>(quoteLength(text, quote));
  return {*stringPrefix(text.substr(0, quote)),
          token.range.begin + static_cast<uint32_t>(quote) + length, token.range.end - length};
}

StringScan scanString(std::string_view text, size_t quote) {
  size_t length = quoteLength(text, quote);
  size_t position = quote + length;
  while (position < text.size()) {
    char c = text[position];
    if (c == '\\')
      position = skipEscape(text, position);
    else if (length == 1 && isNewline(c))
      return {position, false};
    else if (closes(text, position, text[quote], length))
      return {position + length, true};
    else
      ++position;
  }
  return {text.size(), false};
}

StringScan scanFString(std::string_view text, size_t quote, bool isRaw) {
  return FStringScanner(text, quote, isRaw).scan();
}

} // namespace nereid
