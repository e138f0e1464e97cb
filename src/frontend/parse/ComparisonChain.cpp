// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/parse/ComparisonChain.h"

#include <algorithm>

namespace nereid {
namespace {

bool isComparison(const Token &token) {
  switch (token.kind) {
  case TokenKind::Less:
  case TokenKind::LessEqual:
  case TokenKind::Greater:
  case TokenKind::GreaterEqual:
  case TokenKind::EqualEqual:
  case TokenKind::BangEqual:
  case TokenKind::In:
  case TokenKind::Is:
    return true;
  default:
    return false;
  }
}

bool isJoin(const Token &token) {
  return token.kind == TokenKind::Ampersand || token.kind == TokenKind::Pipe;
}

/// The tokens of a chain that stand in no brackets of it, by what they are.
struct Joints {
  std::vector<size_t> comparisons, joins;
};

Joints jointsOf(std::span<const Token> chain) {
  Joints joints;
  int depth = 0;
  for (size_t i = 0; i < chain.size(); ++i) {
    TokenKind kind = chain[i].kind;
    depth += kind == TokenKind::LParen || kind == TokenKind::LBracket;
    depth -= kind == TokenKind::RParen || kind == TokenKind::RBracket;
    if (depth == 0 && isComparison(chain[i]))
      joints.comparisons.push_back(i);
    else if (depth == 0 && isJoin(chain[i]))
      joints.joins.push_back(i);
  }
  return joints;
}

/// The source between two tokens as one line.
std::string gapBetween(const Token &left, const Token &right) {
  SourceRange gap{left.range.file, left.range.end, right.range.begin};
  bool isLineEnd = gap.text().find_first_of("\r\n#") != std::string_view::npos;
  return isLineEnd ? " " : std::string(gap.text());
}

/// The chain cut at those of its joins that have comparisons on both sides, and each part that
/// compares in parentheses.
std::string spellMeant(std::span<const Token> chain, const Joints &joints) {
  std::string text;
  size_t begin = 0;
  auto spellPart = [&](size_t end) {
    bool compares =
        std::ranges::any_of(joints.comparisons, [&](size_t i) { return i >= begin && i < end; });
    text += compares ? "(" : "";
    for (size_t i = begin; i < end; ++i)
      text += (i > begin ? gapBetween(chain[i - 1], chain[i]) : "") + std::string(chain[i].text());
    text += compares ? ")" : "";
  };
  for (size_t join : joints.joins) {
    spellPart(join);
    text += gapBetween(chain[join - 1], chain[join]) + std::string(chain[join].text()) +
            gapBetween(chain[join], chain[join + 1]);
    begin = join + 1;
  }
  spellPart(chain.size());
  return text;
}

} // namespace

void checkComparisonChain(std::span<const Token> chain) {
  Joints joints = jointsOf(chain);
  auto isBetween = [&](size_t join) {
    return join > joints.comparisons.front() && join < joints.comparisons.back();
  };
  auto join = std::ranges::find_if(joints.joins, isBetween);
  if (join == joints.joins.end())
    return;
  const Token &token = chain[*join];
  failWithNote(token.range, {{}, "write " + spellMeant(chain, joints)},
               DiagnosticId::comparisons_not_parenthesized, token.text());
}

} // namespace nereid
