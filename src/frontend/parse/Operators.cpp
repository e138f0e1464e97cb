// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/parse/Operators.h"

#include <algorithm>

namespace nereid {
namespace {

using ast::BinaryOp;

constexpr int rightAssociative = 0; // parsed on its own, above the unary operators

constexpr BinaryOperator binaryOperators[] = {
    {TokenKind::Pipe, TokenKind::PipeEqual, BinaryOp::Or, loosestPrecedence},
    {TokenKind::Caret, TokenKind::CaretEqual, BinaryOp::Xor, 2},
    {TokenKind::Ampersand, TokenKind::AmpersandEqual, BinaryOp::And, 3},
    {TokenKind::LessLess, TokenKind::LessLessEqual, BinaryOp::Shl, 4},
    {TokenKind::GreaterGreater, TokenKind::GreaterGreaterEqual, BinaryOp::Shr, 4},
    {TokenKind::Plus, TokenKind::PlusEqual, BinaryOp::Add, 5},
    {TokenKind::Minus, TokenKind::MinusEqual, BinaryOp::Sub, 5},
    {TokenKind::Star, TokenKind::StarEqual, BinaryOp::Mul, 6},
    {TokenKind::Slash, TokenKind::SlashEqual, BinaryOp::Div, 6},
    {TokenKind::SlashSlash, TokenKind::SlashSlashEqual, BinaryOp::FloorDiv, 6},
    {TokenKind::Percent, TokenKind::PercentEqual, BinaryOp::Mod, 6},
    {TokenKind::At, TokenKind::AtEqual, BinaryOp::MatMul, 6},
    {TokenKind::StarStar, TokenKind::StarStarEqual, BinaryOp::Pow, rightAssociative},
};

template <typename Matches> const BinaryOperator *find(Matches matches) {
  const auto *found = std::find_if(std::begin(binaryOperators), std::end(binaryOperators), matches);
  return found == std::end(binaryOperators) ? nullptr : found;
}

} // namespace

const BinaryOperator *binaryOperator(TokenKind token) {
  return find([&](const BinaryOperator &candidate) {
    return candidate.token == token && candidate.precedence != rightAssociative;
  });
}

const BinaryOperator *assigningOperator(TokenKind token) {
  return find([&](const BinaryOperator &candidate) { return candidate.assigningToken == token; });
}

} // namespace nereid
