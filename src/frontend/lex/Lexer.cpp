// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/lex/Lexer.h"

#include "frontend/lex/Characters.h"
#include "frontend/lex/Number.h"
#include "frontend/lex/StringLiteral.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <algorithm>
#include <array>

namespace nereid {
namespace {

/// May begin a file, and is part of no name.
constexpr std::string_view byteOrderMark = "\xEF\xBB\xBF";

struct Operator {
  std::string_view spelling;
  TokenKind kind;
};
constexpr Operator operators[] = {
#define OPERATOR(kind, spelling) {spelling, TokenKind::kind},
#include "frontend/lex/tokens.def"
};

/// The index of the first operator that starts with each byte.
constexpr auto firstOperator = [] {
  std::array<uint8_t, 256> first{};
  first.fill(std::size(operators));
  for (size_t i = std::size(operators); i-- > 0;)
    first[static_cast<unsigned char>(operators[i].spelling[0])] = static_cast<uint8_t>(i);
  return first;
}();

const Operator *operatorAt(std::string_view rest) {
  size_t i = firstOperator[static_cast<unsigned char>(rest[0])];
  for (; i < std::size(operators) && operators[i].spelling[0] == rest[0]; ++i)
    if (rest.starts_with(operators[i].spelling))
      return &operators[i];
  return nullptr;
}

TokenKind wordKind(std::string_view word) {
  return llvm::StringSwitch<TokenKind>(word)
#define KEYWORD(kind, spelling) .Case(spelling, TokenKind::kind)
#include "frontend/lex/tokens.def"
      .Default(TokenKind::Identifier);
}

enum class Extent { File, Expression, Field };

/// A line's indentation measured twice, with tabs to every 8th column and with tabs as one: a text
/// whose meaning depends on the tab width compares differently.
struct Indentation {
  unsigned column = 0, columnOfNarrowTabs = 0;

  bool agreesWith(Indentation outer) const {
    return (column < outer.column) == (columnOfNarrowTabs < outer.columnOfNarrowTabs) &&
           (column > outer.column) == (columnOfNarrowTabs > outer.columnOfNarrowTabs);
  }
};

class Lexer {
public:
  Lexer(const SourceFile &file, uint32_t begin, uint32_t end, Extent extent)
      : file(file), text(file.text().substr(0, end)), position(begin), extent(extent),
        atLineStart(extent == Extent::File) {}

  std::vector<Token> run();

private:
  void lexLineStart();
  void applyIndentation(Indentation indentation, size_t lineBegin);
  void lexToken();
  void lexLineEnd();
  void lexBackslash();
  void lexWord();
  void lexNumber();
  void lexString(size_t begin, StringPrefix prefix);
  void lexOperator();
  void lexClosingBracket(const Operator &bracket);
  void finish();

  StringScan scan(size_t quote, StringPrefix prefix);
  bool startsTopLevelStatement(size_t lineBegin) const;
  bool endsField() const;
  void skipLineEnd();
  void skipComment();
  size_t lineEndFrom(size_t offset) const;
  void forgetBrackets(size_t count, bool isMistake = true);
  void emit(TokenKind kind, size_t begin, size_t end,
            std::optional<DiagnosticId> error = std::nullopt);

  struct OpenBracket {
    char closing;
    size_t token;
  };

  const SourceFile &file;
  std::string_view text;
  size_t position;
  Extent extent;
  bool atLineStart, isStopped = false;
  std::vector<Token> tokens;
  std::vector<Indentation> blocks{Indentation{}};
  std::vector<OpenBracket> brackets;
  std::array<size_t, 256> openCount{}; // of brackets, by the closing one
  // What failed once is not tried again over the same text, which keeps hostile input linear.
  std::array<bool, 256> hasNoTripleEnd{};
  size_t fieldsBrokenUntil = 0;
};

std::vector<Token> Lexer::run() {
  if (position == 0 && text.starts_with(byteOrderMark))
    position = byteOrderMark.size();
  while (position < text.size() && !isStopped)
    if (atLineStart)
      lexLineStart();
    else
      lexToken();
  finish();
  return std::move(tokens);
}

void Lexer::lexLineStart() {
  size_t lineBegin = position;
  Indentation indentation;
  for (; position < text.size(); ++position) {
    if (text[position] == '\t')
      indentation.column = indentation.column / 8 * 8 + 8;
    else if (text[position] == ' ')
      ++indentation.column;
    else if (text[position] == '\f')
      indentation = {};
    else
      break;
    indentation.columnOfNarrowTabs += text[position] != '\f';
  }
  if (position < text.size() && text[position] == '#')
    skipComment();
  if (position == text.size())
    return;
  if (isNewline(text[position]))
    return skipLineEnd();
  atLineStart = false;
  applyIndentation(indentation, lineBegin);
}

void Lexer::applyIndentation(Indentation indentation, size_t lineBegin) {
  // A line between two levels stays in the inner block, so that only this line is wrong.
  while (blocks.size() > 1 && (blocks.rbegin() + 1)->column >= indentation.column) {
    blocks.pop_back();
    emit(TokenKind::Dedent, lineBegin, lineBegin);
  }
  bool isBetween = blocks.back().column > indentation.column;
  if (isBetween || !indentation.agreesWith(blocks.back())) {
    emit(TokenKind::Error, lineBegin, position, DiagnosticId::inconsistent_indentation);
    lineBegin = position;
  }
  if (isBetween)
    blocks.back() = indentation;
  if (indentation.column <= blocks.back().column)
    return;
  blocks.push_back(indentation);
  emit(TokenKind::Indent, lineBegin, position);
}

void Lexer::lexToken() {
  char c = text[position];
  if (c == ' ' || c == '\t' || c == '\f')
    ++position;
  else if (c == '#')
    skipComment();
  else if (isNewline(c))
    lexLineEnd();
  else if (c == '\\')
    lexBackslash();
  else if (startsName(c))
    lexWord();
  else if (isDigit(c) || (c == '.' && position + 1 < text.size() && isDigit(text[position + 1])))
    lexNumber();
  else if (isQuote(c))
    lexString(position, {});
  else
    lexOperator();
}

void Lexer::lexLineEnd() {
  size_t begin = position;
  skipLineEnd();
  if (extent != Extent::File)
    return;
  if (!brackets.empty() && !startsTopLevelStatement(position))
    return;
  forgetBrackets(brackets.size());
  emit(TokenKind::Newline, begin, position);
  atLineStart = true;
}

void Lexer::lexBackslash() {
  size_t begin = position++;
  if (position < text.size() && isNewline(text[position]))
    skipLineEnd();
  else
    emit(TokenKind::Error, begin, position, DiagnosticId::invalid_character);
}

void Lexer::lexWord() {
  size_t begin = position;
  auto isMark = [&] { return text.substr(position).starts_with(byteOrderMark); };
  while (position < text.size() && continuesName(text[position]) && !isMark())
    ++position;
  if (position == begin) {
    position += byteOrderMark.size();
    return emit(TokenKind::Error, begin, position, DiagnosticId::invalid_character);
  }
  std::string_view word = text.substr(begin, position - begin);
  if (position < text.size() && isQuote(text[position]))
    if (auto prefix = stringPrefix(word))
      return lexString(begin, *prefix);
  emit(wordKind(word), begin, position);
}

void Lexer::lexNumber() {
  auto [kind, end] = scanNumber(text, position);
  auto error =
      kind == TokenKind::Error ? std::optional(DiagnosticId::invalid_number) : std::nullopt;
  emit(kind, position, end, error);
  position = end;
}

void Lexer::lexString(size_t begin, StringPrefix prefix) {
  auto [end, isTerminated] = scan(position, prefix);
  position = end;
  if (isTerminated)
    return emit(prefix.tokenKind(), begin, end);
  emit(TokenKind::Error, begin, end, DiagnosticId::unterminated_string);
  // The string has swallowed what would have closed them: one mistake, not two.
  forgetBrackets(brackets.size(), /*isMistake=*/false);
}

StringScan Lexer::scan(size_t quote, StringPrefix prefix) {
  if (prefix.isFormatted && quote >= fieldsBrokenUntil) {
    StringScan found = scanFString(text, quote, prefix.isRaw);
    if (found.isTerminated)
      return found;
    fieldsBrokenUntil = found.end;
  }
  if (quoteLength(text, quote) == 1)
    return scanString(text, quote);
  bool &hasNoEnd = hasNoTripleEnd[static_cast<unsigned char>(text[quote])];
  if (!hasNoEnd)
    if (StringScan found = scanString(text, quote); found.isTerminated)
      return found;
  hasNoEnd = true;
  size_t end = lineEndFrom(quote + 3);
  while (end < text.size() && !startsTopLevelStatement(end + 1))
    end = lineEndFrom(end + 1);
  return {end, false};
}

void Lexer::lexOperator() {
  if (extent == Extent::Field && brackets.empty() && endsField()) {
    isStopped = true;
    return;
  }
  const Operator *found = operatorAt(text.substr(position));
  if (!found) {
    emit(TokenKind::Error, position, position + 1, DiagnosticId::invalid_character);
    ++position;
    return;
  }
  char c = found->spelling[0];
  if (c == ')' || c == ']' || c == '}')
    return lexClosingBracket(*found);
  if (c == '(' || c == '[' || c == '{') {
    char closing = c == '(' ? ')' : c == '[' ? ']' : '}';
    brackets.push_back({closing, tokens.size()});
    ++openCount[static_cast<unsigned char>(closing)];
  }
  emit(found->kind, position, position + found->spelling.size());
  position += found->spelling.size();
}

void Lexer::lexClosingBracket(const Operator &bracket) {
  auto closing = static_cast<unsigned char>(bracket.spelling[0]);
  size_t begin = position++;
  if (openCount[closing] == 0)
    return emit(TokenKind::Error, begin, position, DiagnosticId::unmatched_bracket);
  size_t unclosed = 0;
  while ((brackets.rbegin() + unclosed)->closing != bracket.spelling[0])
    ++unclosed;
  forgetBrackets(unclosed);
  brackets.pop_back();
  --openCount[closing];
  emit(bracket.kind, begin, position);
}

void Lexer::finish() {
  forgetBrackets(brackets.size());
  if (extent == Extent::File) {
    if (!tokens.empty() && !atLineStart)
      emit(TokenKind::Newline, position, position);
    for (; blocks.size() > 1; blocks.pop_back())
      emit(TokenKind::Dedent, position, position);
  }
  emit(TokenKind::End, position, position);
}

bool Lexer::startsTopLevelStatement(size_t lineBegin) const {
  if (extent != Extent::File || lineBegin >= text.size())
    return false;
  if (text[lineBegin] == '@')
    return true;
  size_t end = lineBegin;
  while (end < text.size() && end - lineBegin < 8 && continuesName(text[end]))
    ++end;
  return llvm::StringSwitch<bool>(text.substr(lineBegin, end - lineBegin))
      .Cases({"def", "class", "import", "from"}, true)
      .Default(false);
}

/// A comparison `!=` does not end a field, but `:=` does, as in Python.
bool Lexer::endsField() const {
  std::string_view rest = text.substr(position);
  return rest[0] == '}' || rest[0] == ':' || (rest[0] == '!' && !rest.starts_with("!="));
}

void Lexer::skipLineEnd() { position += text.substr(position).starts_with("\r\n") ? 2 : 1; }
void Lexer::skipComment() { position = lineEndFrom(position); }

size_t Lexer::lineEndFrom(size_t offset) const {
  return std::min(text.size(), text.find_first_of("\r\n", offset));
}

/// Drops the innermost `count` brackets, which nothing closes.
void Lexer::forgetBrackets(size_t count, bool isMistake) {
  for (; count > 0; --count) {
    if (isMistake)
      tokens[brackets.back().token].error = DiagnosticId::unclosed_bracket;
    --openCount[static_cast<unsigned char>(brackets.back().closing)];
    brackets.pop_back();
  }
}

void Lexer::emit(TokenKind kind, size_t begin, size_t end, std::optional<DiagnosticId> error) {
  tokens.push_back(
      {kind, error, {&file, static_cast<uint32_t>(begin), static_cast<uint32_t>(end)}});
}

} // namespace

std::vector<Token> tokenize(const SourceFile &file) {
  return Lexer(file, 0, static_cast<uint32_t>(file.text().size()), Extent::File).run();
}

std::vector<Token> tokenizeExpression(const SourceFile &file) {
  return Lexer(file, 0, static_cast<uint32_t>(file.text().size()), Extent::Expression).run();
}

std::vector<Token> tokenizeField(const SourceFile &file, uint32_t begin, uint32_t end) {
  return Lexer(file, begin, end, Extent::Field).run();
}

} // namespace nereid
