// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/parse/FStringParser.h"

#include "frontend/lex/Lexer.h"
#include "frontend/lex/StringLiteral.h"
#include "frontend/parse/ExpressionParser.h"
#include "frontend/parse/StringDecoder.h"

#include <algorithm>

namespace nereid {
namespace {

class FStringParser {
public:
  FStringParser(const Token &token, unsigned depth, std::vector<ast::FString::Piece> &pieces)
      : file(*token.range.file), depth(depth), pieces(pieces) {
    StringParts parts = partsOf(token);
    isRaw = parts.prefix.isRaw;
    position = parts.contentBegin;
    end = parts.contentEnd;
  }

  void parse() {
    while (position < end) {
      uint32_t begin = position;
      skipLiteral();
      pieces.back().literal += decodeString({&file, begin, position}, isRaw);
      if (position < end)
        parseBrace();
    }
  }

private:
  std::string_view rest() const { return file.text().substr(position, end - position); }

  /// Moves to the next brace that is not part of an escape.
  void skipLiteral() {
    for (; position < end && rest()[0] != '{' && rest()[0] != '}'; ++position) {
      if (isRaw || rest()[0] != '\\')
        continue;
      if (rest().starts_with("\\N{"))
        position += static_cast<uint32_t>(std::min(rest().size() - 1, rest().find('}')));
      else if (!rest().starts_with("\\{") && !rest().starts_with("\\}"))
        position = std::min(position + 1, end - 1);
    }
  }

  void parseBrace() {
    if (rest().starts_with("{{") || rest().starts_with("}}")) {
      pieces.back().literal += rest()[0];
      position += 2;
    } else if (rest()[0] == '{') {
      parseField();
    } else {
      fail({&file, position, position + 1}, DiagnosticId::expected,
           "'}}' for a brace in an f-string");
    }
  }

  void parseField() {
    uint32_t begin = ++position;
    TokenCursor cursor(tokenizeField(file, begin, end), depth);
    pieces.back().value = ExpressionParser(cursor).parseList();
    bool showsSource = cursor.accept(TokenKind::Equal);
    if (!cursor.atEnd())
      cursor.failExpected("'}'");
    position = cursor.begin();
    if (showsSource)
      pieces.back().literal += file.text().substr(begin, position - begin);
    if (rest().starts_with('!'))
      parseConversion();
    else if (showsSource && !rest().starts_with(':'))
      pieces.back().conversion = 'r';
    if (rest().starts_with(':'))
      parseFormat();
    if (!rest().starts_with('}'))
      cursor.failExpected("'}'");
    ++position;
    pieces.emplace_back();
  }

  void parseConversion() {
    ++position;
    if (rest().empty() || std::string_view("sra").find(rest()[0]) == std::string_view::npos)
      fail({&file, position, position + 1}, DiagnosticId::expected, "'s', 'r' or 'a' after '!'");
    pieces.back().conversion = rest()[0];
    ++position;
  }

  void parseFormat() {
    uint32_t begin = ++position;
    while (position < end && rest()[0] != '}' && rest()[0] != '{')
      ++position;
    if (rest().starts_with('{'))
      fail({&file, position, position + 1}, DiagnosticId::unsupported_syntax,
           "a field in an f-string's format");
    pieces.back().format = file.text().substr(begin, position - begin);
  }

  const SourceFile &file;
  unsigned depth;
  std::vector<ast::FString::Piece> &pieces;
  bool isRaw;
  uint32_t position, end;
};

} // namespace

void appendFString(const Token &token, unsigned depth, std::vector<ast::FString::Piece> &pieces) {
  FStringParser(token, depth, pieces).parse();
}

} // namespace nereid
