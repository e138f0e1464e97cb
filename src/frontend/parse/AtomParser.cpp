// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tightest levels of the expression grammar: names, literals, brackets, and what follows them.
#include "frontend/lex/Number.h"
#include "frontend/lex/StringLiteral.h"
#include "frontend/parse/ExpressionParser.h"
#include "frontend/parse/FStringParser.h"
#include "frontend/parse/StringDecoder.h"

namespace nereid {

using namespace ast;

ExprPtr ExpressionParser::parsePostfix() {
  uint32_t begin = cursor.begin();
  ExprPtr object = parseAtom();
  while (true)
    if (cursor.at(TokenKind::Dot))
      object = parseAttribute(std::move(object), begin);
    else if (cursor.at(TokenKind::LBracket))
      object = parseSubscript(std::move(object), begin);
    else if (cursor.at(TokenKind::LParen))
      object = parseCall(std::move(object), begin);
    else
      return object;
}

ExprPtr ExpressionParser::parseAttribute(ExprPtr object, uint32_t begin) {
  cursor.take();
  const Token &name = cursor.expectIdentifier("an attribute name");
  auto node = make<Attribute>(begin);
  node->name = name.text();
  node->nameRange = name.range;
  node->object = adopt(*node, std::move(object));
  return node;
}

ExprPtr ExpressionParser::parseSubscript(ExprPtr object, uint32_t begin) {
  cursor.take();
  ExprPtr index = parseTuple(&ExpressionParser::parseIndex);
  if (!cursor.at(TokenKind::RBracket))
    cursor.failExpected("',' or ']'");
  cursor.take();
  auto node = make<Subscript>(begin);
  node->object = adopt(*node, std::move(object));
  node->index = adopt(*node, std::move(index));
  return node;
}

ExprPtr ExpressionParser::parseIndex() {
  uint32_t begin = cursor.begin();
  auto endsPart = [&] {
    return cursor.at(TokenKind::Colon) || cursor.at(TokenKind::Comma) ||
           cursor.at(TokenKind::RBracket);
  };
  ExprPtr lower = cursor.at(TokenKind::Colon) ? nullptr : parseNamed();
  if (!cursor.accept(TokenKind::Colon))
    return lower;
  ExprPtr upper = endsPart() ? nullptr : parse();
  ExprPtr step = cursor.accept(TokenKind::Colon) && !endsPart() ? parse() : nullptr;
  auto node = make<Slice>(begin);
  node->lower = lower ? adopt(*node, std::move(lower)) : nullptr;
  node->upper = upper ? adopt(*node, std::move(upper)) : nullptr;
  node->step = step ? adopt(*node, std::move(step)) : nullptr;
  return node;
}

ExprPtr ExpressionParser::parseCall(ExprPtr callee, uint32_t begin) {
  cursor.take();
  std::vector<Argument> arguments;
  bool isAfterKeyword = false;
  while (!cursor.at(TokenKind::RParen)) {
    arguments.push_back(parseArgument(isAfterKeyword));
    isAfterKeyword |= !arguments.back().name.empty();
    if (!cursor.accept(TokenKind::Comma) && !cursor.at(TokenKind::RParen))
      cursor.failExpected("',' or ')'");
  }
  cursor.take();
  auto node = make<Call>(begin);
  node->callee = adopt(*node, std::move(callee));
  for (Argument &argument : arguments)
    argument.value = adopt(*node, std::move(argument.value));
  node->arguments = std::move(arguments);
  return node;
}

Argument ExpressionParser::parseArgument(bool isAfterKeyword) {
  Argument argument;
  if (cursor.at(TokenKind::StarStar))
    cursor.failUnsupported("a '**' argument");
  if (cursor.at(TokenKind::Identifier) && cursor.peek(1).kind == TokenKind::Equal) {
    const Token &name = cursor.take();
    cursor.take();
    argument.name = name.text();
    argument.nameRange = name.range;
    argument.value = parse();
    return argument;
  }
  argument.isStarred = cursor.accept(TokenKind::Star);
  uint32_t begin = cursor.begin();
  argument.value = argument.isStarred ? parse() : parseNamed();
  if (cursor.at(TokenKind::For) && !argument.isStarred)
    argument.value = parseComprehension(std::move(argument.value), begin);
  if (cursor.at(TokenKind::Async))
    cursor.failUnsupported("a generator expression");
  if (isAfterKeyword && !argument.isStarred)
    fail(argument.value->range, DiagnosticId::positional_after_keyword);
  return argument;
}

ExprPtr ExpressionParser::parseAtom() {
  switch (cursor.peek().kind) {
  case TokenKind::Identifier:
    return parseName();
  case TokenKind::Integer:
  case TokenKind::Float:
  case TokenKind::Imaginary:
    return parseNumber();
  case TokenKind::String:
  case TokenKind::FString:
  case TokenKind::Bytes:
    return parseStrings();
  case TokenKind::None:
    return parseKeywordConstant(Constant::Kind::None);
  case TokenKind::True:
    return parseKeywordConstant(Constant::Kind::Bool, true);
  case TokenKind::False:
    return parseKeywordConstant(Constant::Kind::Bool);
  case TokenKind::Ellipsis:
    return parseKeywordConstant(Constant::Kind::Ellipsis);
  case TokenKind::LParen:
    return parseParenthesized();
  case TokenKind::LBracket:
    return parseBracketed();
  case TokenKind::LBrace:
    return parseBraced();
  default:
    failNoExpression();
  }
}

/// Reports `a && b` and `a || b` with Python's words.
void ExpressionParser::failDoubled() const {
  const Token &token = cursor.peek();
  std::string_view text = token.range.file->text();
  if (token.range.begin == 0 || text[token.range.begin - 1] != token.text()[0])
    return;
  bool isAnd = token.kind == TokenKind::Ampersand;
  failWithNote(token.range,
               {{},
                isAnd ? "'and' joins conditions, '&' tiles of them"
                      : "'or' joins conditions, '|' tiles of them"},
               DiagnosticId::expected, "an expression");
}

void ExpressionParser::failNoExpression() const {
  switch (cursor.peek().kind) {
  case TokenKind::Lambda:
  case TokenKind::Yield:
  case TokenKind::Await:
    cursor.failUnsupported("'" + std::string(cursor.peek().text()) + "'");
  case TokenKind::Ampersand:
  case TokenKind::Pipe:
    failDoubled();
    break;
  default:
    break;
  }
  cursor.failExpected("an expression");
}

ExprPtr ExpressionParser::parseName() {
  const Token &token = cursor.take();
  auto node = std::make_unique<Name>(token.range);
  node->name = token.text();
  return node;
}

ExprPtr ExpressionParser::parseKeywordConstant(Constant::Kind kind, bool value) {
  auto node = std::make_unique<Constant>(cursor.take().range);
  node->valueKind = kind;
  node->intValue = value;
  return node;
}

ExprPtr ExpressionParser::parseNumber() {
  const Token &token = cursor.take();
  auto node = std::make_unique<Constant>(token.range);
  if (token.kind != TokenKind::Integer) {
    bool isImaginary = token.kind == TokenKind::Imaginary;
    node->valueKind = isImaginary ? Constant::Kind::Imaginary : Constant::Kind::Float;
    std::string_view digits = token.text();
    digits.remove_suffix(isImaginary);
    node->floatValue = floatValue(digits);
    return node;
  }
  node->valueKind = Constant::Kind::Int;
  auto value = integerValue(token.text());
  if (!value)
    fail(token.range, DiagnosticId::invalid_number, token.text());
  node->intValue = *value;
  return node;
}

/// Adjacent literals make one string, which is formatted if any of them is.
ExprPtr ExpressionParser::parseStrings() {
  Nesting nesting(cursor);
  uint32_t begin = cursor.begin();
  std::vector<FString::Piece> pieces(1);
  bool isFormatted = false, isOfBytes = cursor.at(TokenKind::Bytes);
  while (cursor.at(TokenKind::String) || cursor.at(TokenKind::FString) ||
         cursor.at(TokenKind::Bytes)) {
    if (cursor.at(TokenKind::Bytes) != isOfBytes)
      cursor.failUnsupported("a bytes literal beside a text");
    const Token &token = cursor.take();
    StringParts parts = partsOf(token);
    isFormatted |= parts.prefix.isFormatted;
    if (parts.prefix.isFormatted)
      appendFString(token, cursor.depth(), pieces);
    else
      pieces.back().literal += decodeString(
          {token.range.file, parts.contentBegin, parts.contentEnd}, parts.prefix.isRaw);
  }
  if (!isFormatted) {
    auto node = make<Constant>(begin);
    node->valueKind = isOfBytes ? Constant::Kind::Bytes : Constant::Kind::String;
    node->stringValue = std::move(pieces.front().literal);
    return node;
  }
  auto node = make<FString>(begin);
  for (FString::Piece &piece : pieces)
    if (piece.value)
      piece.value = adopt(*node, std::move(piece.value));
  node->pieces = std::move(pieces);
  return node;
}

ExprPtr ExpressionParser::parseParenthesized() {
  uint32_t begin = cursor.take().range.begin;
  if (cursor.accept(TokenKind::RParen))
    return make<Tuple>(begin);
  ExprPtr inner = parseNamed();
  bool isTuple = cursor.at(TokenKind::Comma);
  if (isTuple)
    inner = finishTuple(std::move(inner), begin, &ExpressionParser::parseNamed);
  else if (cursor.at(TokenKind::For) || cursor.at(TokenKind::Async))
    cursor.failUnsupported("a generator expression");
  if (!cursor.at(TokenKind::RParen))
    cursor.failExpected("',' or ')'");
  cursor.take();
  if (isTuple)
    inner->range = cursor.rangeFrom(begin);
  return inner;
}

ExprPtr ExpressionParser::parseBracketed() {
  uint32_t begin = cursor.take().range.begin;
  ExprList elements;
  while (!cursor.at(TokenKind::RBracket)) {
    elements.push_back(parseNamed());
    if (cursor.at(TokenKind::Async))
      cursor.failUnsupported("'async'");
    if (elements.size() == 1 && cursor.at(TokenKind::For)) {
      ExprPtr list = parseComprehension(std::move(elements.front()), begin);
      cursor.expect(TokenKind::RBracket);
      list->range = cursor.rangeFrom(begin);
      return list;
    }
    if (!cursor.accept(TokenKind::Comma) && !cursor.at(TokenKind::RBracket))
      cursor.failExpected("',' or ']'");
  }
  cursor.take();
  auto node = make<List>(begin);
  for (ExprPtr &each : elements)
    node->elements.push_back(adopt(*node, std::move(each)));
  return node;
}

ExprPtr ExpressionParser::parseBraced() {
  if (cursor.peek().error)
    cursor.failExpected("an expression");
  if (!isInFunction)
    cursor.failUnsupported("a dictionary or set");
  uint32_t begin = cursor.take().range.begin;
  ExprList keys, values;
  bool isSet = false;
  while (!cursor.at(TokenKind::RBrace)) {
    if (cursor.at(TokenKind::StarStar) || cursor.at(TokenKind::Star))
      cursor.failUnsupported("'*' in a dictionary or set");
    keys.push_back(parse());
    isSet |= keys.size() == 1 && !cursor.at(TokenKind::Colon);
    if (!isSet) {
      cursor.expect(TokenKind::Colon);
      values.push_back(parse());
    }
    if (cursor.at(TokenKind::For) || cursor.at(TokenKind::Async))
      cursor.failUnsupported("a comprehension of a dictionary or set");
    if (!cursor.accept(TokenKind::Comma) && !cursor.at(TokenKind::RBrace))
      cursor.failExpected("',' or '}'");
  }
  cursor.take();
  auto node = make<Dictionary>(begin);
  node->isSet = isSet;
  for (ExprPtr &each : keys)
    node->keys.push_back(adopt(*node, std::move(each)));
  for (ExprPtr &each : values)
    node->values.push_back(adopt(*node, std::move(each)));
  return node;
}

/// From `for` on; the bracket that ends it is the caller's.
ExprPtr ExpressionParser::parseComprehension(ExprPtr element, uint32_t begin) {
  cursor.take();
  ExprPtr target = parseLoopTarget();
  cursor.expect(TokenKind::In);
  ExprPtr iterable = parseOr();
  ExprList conditions;
  while (cursor.accept(TokenKind::If))
    conditions.push_back(parseOr());
  if (cursor.at(TokenKind::For) || cursor.at(TokenKind::Async))
    cursor.failUnsupported("a comprehension with several loops");
  auto node = make<ListComprehension>(begin);
  node->element = adopt(*node, std::move(element));
  node->target = adopt(*node, std::move(target));
  node->iterable = adopt(*node, std::move(iterable));
  for (ExprPtr &each : conditions)
    node->conditions.push_back(adopt(*node, std::move(each)));
  return node;
}

} // namespace nereid
