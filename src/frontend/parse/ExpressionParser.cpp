// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/parse/ExpressionParser.h"

#include "frontend/parse/ComparisonChain.h"
#include "frontend/parse/Operators.h"

#include "llvm/Support/Casting.h"

namespace nereid {

using namespace ast;

static std::string_view describe(ExprKind kind) {
  switch (kind) {
  case ExprKind::Constant:
    return "a literal";
  case ExprKind::FString:
    return "an f-string";
  case ExprKind::ListComprehension:
    return "a list comprehension";
  case ExprKind::Dictionary:
    return "a dictionary or set";
  case ExprKind::Call:
    return "a call";
  case ExprKind::Compare:
    return "a comparison";
  case ExprKind::Conditional:
    return "a conditional expression";
  case ExprKind::NamedExpr:
    return "a named expression";
  case ExprKind::Tuple:
    return "a tuple";
  case ExprKind::List:
    return "a list";
  default:
    return "an expression";
  }
}

ExprPtr ExpressionParser::parse() {
  Nesting nesting(cursor);
  uint32_t begin = cursor.begin();
  ExprPtr value = parseOr();
  if (!cursor.accept(TokenKind::If))
    return value;
  ExprPtr condition = parseOr();
  cursor.expect(TokenKind::Else);
  ExprPtr otherwise = parse();
  auto node = make<Conditional>(begin);
  node->thenValue = adopt(*node, std::move(value));
  node->condition = adopt(*node, std::move(condition));
  node->elseValue = adopt(*node, std::move(otherwise));
  return node;
}

ExprPtr ExpressionParser::parseNamed() {
  rejectStarred();
  if (!cursor.at(TokenKind::Identifier) || cursor.peek(1).kind != TokenKind::ColonEqual)
    return parse();
  uint32_t begin = cursor.begin();
  std::string name(cursor.take().text());
  cursor.expect(TokenKind::ColonEqual);
  ExprPtr value = parse();
  auto node = make<NamedExpr>(begin);
  node->name = std::move(name);
  node->value = adopt(*node, std::move(value));
  return node;
}

ExprPtr ExpressionParser::parseList() { return parseTuple(&ExpressionParser::parse); }

ExprPtr ExpressionParser::parseTuple(Rule element) {
  uint32_t begin = cursor.begin();
  rejectStarred();
  ExprPtr first = (this->*element)();
  return cursor.at(TokenKind::Comma) ? finishTuple(std::move(first), begin, element)
                                     : std::move(first);
}

/// Parses the rest of a tuple, from the comma after its `first` element on.
ExprPtr ExpressionParser::finishTuple(ExprPtr first, uint32_t begin, Rule element) {
  ExprList elements;
  elements.push_back(std::move(first));
  while (cursor.accept(TokenKind::Comma) && atElement(element)) {
    rejectStarred();
    elements.push_back((this->*element)());
  }
  auto node = make<Tuple>(begin);
  for (ExprPtr &each : elements)
    node->elements.push_back(adopt(*node, std::move(each)));
  return node;
}

ExprPtr ExpressionParser::parseLoopTarget() {
  Nesting nesting(cursor);
  ExprPtr target = parseTuple(&ExpressionParser::parseOperand);
  checkTarget(*target);
  return target;
}

/// Not a comparison, whose `in` would be taken for the loop's.
ExprPtr ExpressionParser::parseOperand() { return parseBinary(loosestPrecedence); }

ExprPtr ExpressionParser::parseBoolean(TokenKind token, BoolOp op, Rule operand) {
  uint32_t begin = cursor.begin();
  ExprPtr first = (this->*operand)();
  if (!cursor.at(token))
    return first;
  ExprList operands;
  operands.push_back(std::move(first));
  while (cursor.accept(token))
    operands.push_back((this->*operand)());
  auto node = make<Bool>(begin);
  node->op = op;
  for (ExprPtr &each : operands)
    node->operands.push_back(adopt(*node, std::move(each)));
  return node;
}

ExprPtr ExpressionParser::parseOr() {
  return parseBoolean(TokenKind::Or, BoolOp::Or, &ExpressionParser::parseAnd);
}

ExprPtr ExpressionParser::parseAnd() {
  return parseBoolean(TokenKind::And, BoolOp::And, &ExpressionParser::parseNot);
}

ExprPtr ExpressionParser::parseNot() {
  if (!cursor.at(TokenKind::Not))
    return parseComparison();
  Nesting nesting(cursor);
  uint32_t begin = cursor.take().range.begin;
  ExprPtr operand = parseNot();
  auto node = make<Unary>(begin);
  node->op = UnaryOp::Not;
  node->operand = adopt(*node, std::move(operand));
  return node;
}

std::optional<CompareOp> ExpressionParser::acceptCompareOperator() {
  switch (cursor.peek().kind) {
  case TokenKind::EqualEqual:
    cursor.take();
    return CompareOp::Eq;
  case TokenKind::BangEqual:
    cursor.take();
    return CompareOp::Ne;
  case TokenKind::Less:
    cursor.take();
    return CompareOp::Lt;
  case TokenKind::LessEqual:
    cursor.take();
    return CompareOp::Le;
  case TokenKind::Greater:
    cursor.take();
    return CompareOp::Gt;
  case TokenKind::GreaterEqual:
    cursor.take();
    return CompareOp::Ge;
  case TokenKind::In:
    cursor.take();
    return CompareOp::In;
  case TokenKind::Is:
    cursor.take();
    return cursor.accept(TokenKind::Not) ? CompareOp::IsNot : CompareOp::Is;
  case TokenKind::Not:
    cursor.take();
    cursor.expect(TokenKind::In);
    return CompareOp::NotIn;
  default:
    return std::nullopt;
  }
}

ExprPtr ExpressionParser::parseComparison() {
  uint32_t begin = cursor.begin();
  size_t firstToken = cursor.position();
  ExprList operands;
  std::vector<CompareOp> ops;
  operands.push_back(parseOperand());
  while (auto op = acceptCompareOperator()) {
    ops.push_back(*op);
    operands.push_back(parseOperand());
  }
  if (ops.empty())
    return std::move(operands.front());
  if (ops.size() > 1)
    checkComparisonChain(cursor.consumedFrom(firstToken));
  auto node = make<Compare>(begin);
  node->ops = std::move(ops);
  for (ExprPtr &each : operands)
    node->operands.push_back(adopt(*node, std::move(each)));
  return node;
}

ExprPtr ExpressionParser::parseBinary(int precedence) {
  uint32_t begin = cursor.begin();
  ExprPtr value = parseUnary();
  const BinaryOperator *found;
  while ((found = binaryOperator(cursor.peek().kind)) && found->precedence >= precedence) {
    int level = found->precedence;
    auto chain = make<Binary>(begin);
    chain->first = adopt(*chain, std::move(value));
    for (; found && found->precedence == level; found = binaryOperator(cursor.peek().kind)) {
      Binary::Step step{found->op, cursor.take().range, {}, {}};
      step.operand = adopt(*chain, parseBinary(level + 1));
      chain->range = step.range = cursor.rangeFrom(begin);
      chain->steps.push_back(std::move(step));
    }
    value = std::move(chain);
  }
  return value;
}

ExprPtr ExpressionParser::parseUnary() {
  UnaryOp op;
  if (cursor.at(TokenKind::Plus))
    op = UnaryOp::Plus;
  else if (cursor.at(TokenKind::Minus))
    op = UnaryOp::Minus;
  else if (cursor.at(TokenKind::Tilde))
    op = UnaryOp::Invert;
  else
    return parsePower();
  Nesting nesting(cursor);
  uint32_t begin = cursor.take().range.begin;
  ExprPtr operand = parseUnary();
  auto node = make<Unary>(begin);
  node->op = op;
  node->operand = adopt(*node, std::move(operand));
  return node;
}

ExprPtr ExpressionParser::parsePower() {
  uint32_t begin = cursor.begin();
  ExprPtr base = parsePostfix();
  if (!cursor.at(TokenKind::StarStar))
    return base;
  Nesting nesting(cursor);
  SourceRange opRange = cursor.take().range;
  ExprPtr exponent = parseUnary();
  auto node = make<Binary>(begin);
  node->first = adopt(*node, std::move(base));
  exponent = adopt(*node, std::move(exponent));
  node->steps.push_back({BinaryOp::Pow, opRange, std::move(exponent), node->range});
  return node;
}

bool ExpressionParser::atElement(Rule element) const {
  switch (cursor.peek().kind) {
  case TokenKind::End:
  case TokenKind::Newline:
  case TokenKind::Indent:
  case TokenKind::Dedent:
  case TokenKind::RParen:
  case TokenKind::RBracket:
  case TokenKind::RBrace:
  case TokenKind::Semicolon:
  case TokenKind::Equal:
  case TokenKind::In:
    return false;
  case TokenKind::Colon:
    return element == &ExpressionParser::parseIndex;
  default:
    // What follows a comma by mistake is reported by the rule for an element.
    return !assigningOperator(cursor.peek().kind);
  }
}

void ExpressionParser::rejectStarred() const {
  if (cursor.at(TokenKind::Star))
    cursor.failUnsupported("a starred expression outside a call");
}

void ExpressionParser::checkTarget(const Expr &expr) const {
  auto checkAll = [this](const ExprList &elements) {
    for (const ExprPtr &element : elements)
      checkTarget(*element);
  };
  if (const auto *tuple = llvm::dyn_cast<Tuple>(&expr))
    checkAll(tuple->elements);
  else if (const auto *list = llvm::dyn_cast<List>(&expr))
    checkAll(list->elements);
  else if (!llvm::isa<Name, Attribute, Subscript>(expr))
    fail(expr.range, DiagnosticId::invalid_assignment_target, describe(expr.kind));
}

void ExpressionParser::checkSingleTarget(const Expr &expr) const {
  if (llvm::isa<Tuple, List>(expr))
    fail(expr.range, DiagnosticId::invalid_assignment_target, describe(expr.kind));
  checkTarget(expr);
}

ExprPtr ExpressionParser::adopt(Expr &parent, ExprPtr child) const {
  parent.height = std::max(parent.height, child->height + 1);
  if (parent.height > TokenCursor::nestingLimit)
    cursor.failNesting();
  return child;
}

} // namespace nereid
