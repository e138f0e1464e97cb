// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "frontend/ast/Ast.h"
#include "frontend/parse/TokenCursor.h"

namespace nereid {

/// Parses expressions by recursive descent, one function for each level of precedence.
class ExpressionParser {
public:
  /// Dictionaries and sets are read inside functions alone: those of a module may be changed by
  /// what is not read.
  explicit ExpressionParser(TokenCursor &cursor, bool isInFunction = false)
      : cursor(cursor), isInFunction(isInFunction) {}

  /// One expression without a comma.
  ast::ExprPtr parse();
  /// One expression, which may be `name := value`.
  ast::ExprPtr parseNamed();
  /// One expression, or several with commas as a tuple.
  ast::ExprPtr parseList();
  /// What stands between `for` and `in`.
  ast::ExprPtr parseLoopTarget();
  /// One expression that is no `a if c else b`: what follows `in` and `if` in a comprehension.
  ast::ExprPtr parseOr();
  /// Reports `expr` if it cannot be assigned to.
  void checkTarget(const ast::Expr &expr) const;
  /// The same where a tuple or list cannot stand either: `x += 1`, `x: int = 1`.
  void checkSingleTarget(const ast::Expr &expr) const;

private:
  ast::ExprPtr parseAnd();
  ast::ExprPtr parseNot();
  ast::ExprPtr parseComparison();
  ast::ExprPtr parseOperand();
  ast::ExprPtr parseBinary(int precedence);
  ast::ExprPtr parseUnary();
  ast::ExprPtr parsePower();

  ast::ExprPtr parsePostfix();
  ast::ExprPtr parseAttribute(ast::ExprPtr object, uint32_t begin);
  ast::ExprPtr parseSubscript(ast::ExprPtr object, uint32_t begin);
  ast::ExprPtr parseIndex();
  ast::ExprPtr parseCall(ast::ExprPtr callee, uint32_t begin);
  ast::Argument parseArgument(bool isAfterKeyword);

  ast::ExprPtr parseAtom();
  ast::ExprPtr parseName();
  ast::ExprPtr parseParenthesized();
  ast::ExprPtr parseBracketed();
  ast::ExprPtr parseBraced();
  ast::ExprPtr parseComprehension(ast::ExprPtr element, uint32_t begin);
  ast::ExprPtr parseNumber();
  ast::ExprPtr parseKeywordConstant(ast::Constant::Kind kind, bool value = false);
  ast::ExprPtr parseStrings();
  [[noreturn]] void failNoExpression() const;
  void failDoubled() const;

  using Rule = ast::ExprPtr (ExpressionParser::*)();
  ast::ExprPtr parseBoolean(TokenKind token, ast::BoolOp op, Rule operand);
  ast::ExprPtr parseTuple(Rule element);
  ast::ExprPtr finishTuple(ast::ExprPtr first, uint32_t begin, Rule element);
  std::optional<ast::CompareOp> acceptCompareOperator();
  bool atElement(Rule element) const;
  void rejectStarred() const;

  /// Makes `child` a child of `parent` and bounds the height of the tree.
  ast::ExprPtr adopt(ast::Expr &parent, ast::ExprPtr child) const;
  template <typename Node> std::unique_ptr<Node> make(uint32_t begin) const {
    return std::make_unique<Node>(cursor.rangeFrom(begin));
  }

  TokenCursor &cursor;
  bool isInFunction;
};

} // namespace nereid
