// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/lex/Token.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace nereid {
namespace {

constexpr std::string_view names[] = {
#define TOKEN(kind, name) name,
#include "frontend/lex/tokens.def"
};

bool isKeyword(TokenKind kind) { return kind >= TokenKind::False && kind <= TokenKind::Yield; }
bool isOperator(TokenKind kind) { return kind >= TokenKind::LParen; }

std::string_view category(TokenKind kind) {
  if (isKeyword(kind))
    return "keyword";
  return isOperator(kind) ? "operator" : spelling(kind);
}

/// What would not show is named by its code.
std::string describeCharacter(std::string_view text) {
  auto byte = static_cast<unsigned char>(text.front());
  if (byte < 0x20 || byte == 0x7f)
    return llvm::formatv("U+{0:X-4}", static_cast<unsigned>(byte)).str();
  if (text == "\xEF\xBB\xBF")
    return "U+FEFF";
  return "'" + std::string(text) + "'";
}

} // namespace

std::string_view spelling(TokenKind kind) { return names[static_cast<size_t>(kind)]; }

void failWithErrorOf(const Token &token) {
  if (*token.error == DiagnosticId::invalid_character)
    fail(token.range, *token.error, describeCharacter(token.text()));
  constexpr size_t longestQuote = 60;
  fail(token.range, *token.error, token.text().substr(0, longestQuote));
}

void print(llvm::ArrayRef<Token> tokens, llvm::raw_ostream &out) {
  for (const Token &token : tokens) {
    auto [line, column] = token.range.file->position(token.range.begin);
    out << line << ':' << column << ' ' << category(token.kind);
    if (token.error)
      out << ' ' << nameOf(*token.error);
    bool isLayout = token.kind <= TokenKind::Dedent;
    if (!isLayout) {
      out << " '";
      llvm::printEscapedString(token.text(), out);
      out << '\'';
    }
    out << '\n';
  }
}

} // namespace nereid
