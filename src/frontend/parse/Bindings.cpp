// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/parse/Bindings.h"

#include "frontend/parse/Operators.h"

namespace nereid {
namespace {

class BindingReader {
public:
  explicit BindingReader(std::span<const Token> line) : line(line) {}

  std::vector<Token> read() {
    if (line.empty())
      return {};
    switch (line.front().kind) {
    case TokenKind::Import:
    case TokenKind::From:
      readImport();
      break;
    case TokenKind::For:
      readNames(1, TokenKind::In);
      break;
    case TokenKind::Del:
      readNames(1, TokenKind::Newline);
      break;
    case TokenKind::With:
    case TokenKind::Except:
      readAliases();
      break;
    default:
      readAssignment();
    }
    return std::move(names);
  }

private:
  bool at(size_t i, TokenKind kind) const { return i < line.size() && line[i].kind == kind; }

  /// Whether the name at `i` stands for itself: no attribute, element or call of it, nor one.
  bool isWhole(size_t i) const {
    return line[i].kind == TokenKind::Identifier && !(i > 0 && at(i - 1, TokenKind::Dot)) &&
           !at(i + 1, TokenKind::Dot) && !at(i + 1, TokenKind::LParen) &&
           !at(i + 1, TokenKind::LBracket);
  }

  void readNames(size_t begin, TokenKind end) {
    for (size_t i = begin; i < line.size() && line[i].kind != end; ++i)
      if (isWhole(i))
        names.push_back(line[i]);
  }

  void readAliases() {
    for (size_t i = 1; i < line.size(); ++i)
      if (line[i - 1].kind == TokenKind::As && isWhole(i))
        names.push_back(line[i]);
  }

  /// `import a.b, c as d` binds a and d; `from a import b, c as d` binds b and d.
  void readImport() {
    size_t i = 0;
    while (line.front().kind == TokenKind::From && i < line.size() &&
           line[i].kind != TokenKind::Import)
      ++i;
    bool isFirst = true;
    for (++i; i < line.size(); ++i) {
      if (line[i].kind == TokenKind::Comma)
        isFirst = true;
      else if (line[i].kind == TokenKind::Identifier && (isFirst || at(i - 1, TokenKind::As))) {
        if (at(i - 1, TokenKind::As) && !names.empty())
          names.pop_back();
        names.push_back(line[i]);
        isFirst = false;
      }
    }
  }

  /// The names before the last `=`, or before an operator that assigns.
  void readAssignment() {
    std::vector<Token> targets;
    int depth = 0;
    for (size_t i = 0; i < line.size(); ++i) {
      TokenKind kind = line[i].kind;
      depth +=
          kind == TokenKind::LParen || kind == TokenKind::LBracket || kind == TokenKind::LBrace;
      depth -=
          kind == TokenKind::RParen || kind == TokenKind::RBracket || kind == TokenKind::RBrace;
      if (depth > 0)
        continue;
      bool isAnnotation = i == 1;
      if (kind == TokenKind::Colon && !isAnnotation) // what was before it is a condition
        targets.clear();
      else if (kind == TokenKind::Equal || assigningOperator(kind))
        names = targets;
      else if (isWhole(i))
        targets.push_back(line[i]);
    }
  }

  std::span<const Token> line;
  std::vector<Token> names;
};

} // namespace

std::vector<Token> boundNames(std::span<const Token> line) { return BindingReader(line).read(); }

} // namespace nereid
