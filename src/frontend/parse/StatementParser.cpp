// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/parse/StatementParser.h"

#include "frontend/parse/LoopElse.h"
#include "frontend/parse/Operators.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Casting.h"

namespace nereid {

using namespace ast;

/// Takes the docstring out of `body`, which is empty where nothing in it could be read.
static std::string takeDocstring(StmtList &body) {
  auto *first = body.empty() ? nullptr : llvm::dyn_cast<ExprStmt>(body.front().get());
  auto *constant = first ? llvm::dyn_cast<Constant>(first->value.get()) : nullptr;
  if (!constant || constant->valueKind != Constant::Kind::String)
    return {};
  std::string docstring = std::move(constant->stringValue);
  body.erase(body.begin());
  return docstring;
}

std::unique_ptr<Function> StatementParser::parseFunction() {
  std::unique_ptr<Function> function;
  try {
    function = parseDefinition();
  } catch (const SourceError &error) {
    mistakes.push_back(error.diagnostic);
  }
  if (mistakes.empty())
    return function;
  Diagnostic first = mistakes.front();
  first.further.assign(mistakes.begin() + 1, mistakes.end());
  throw SourceError(std::move(first));
}

std::unique_ptr<Function> StatementParser::parseDefinition() {
  Token header = cursor.expect(TokenKind::Def);
  Token name = cursor.expectIdentifier("a function name");
  auto function = std::make_unique<Function>();
  function->name = name.text();
  function->nameRange = name.range;
  if (cursor.at(TokenKind::LBracket))
    cursor.failUnsupported("a type parameter");
  cursor.expect(TokenKind::LParen);
  function->parameters = parseParameters();
  if (cursor.accept(TokenKind::Arrow))
    expressions.parse();
  function->body = parseBlock(header);
  function->docstring = takeDocstring(function->body);
  function->range = cursor.rangeFrom(header.range.begin);
  return function;
}

std::vector<Parameter> StatementParser::parseParameters() {
  std::vector<Parameter> parameters;
  bool isKeywordOnly = false;
  while (!cursor.at(TokenKind::RParen)) {
    if (isKeywordOnly && cursor.at(TokenKind::Star))
      cursor.failExpected("a parameter name");
    if (cursor.at(TokenKind::Star) && cursor.peek(1).kind == TokenKind::Comma) {
      cursor.take();
      cursor.take();
      isKeywordOnly = true;
      if (!cursor.at(TokenKind::Identifier) && !cursor.at(TokenKind::StarStar))
        cursor.failExpected("a parameter name");
      continue;
    }
    parameters.push_back(parseParameter());
    parameters.back().isKeywordOnly = isKeywordOnly;
    isKeywordOnly |= parameters.back().isVariadic;
    if (!cursor.accept(TokenKind::Comma) && !cursor.at(TokenKind::RParen))
      cursor.failExpected("',' or ')'");
  }
  cursor.take();
  checkParameters(parameters);
  return parameters;
}

Parameter StatementParser::parseParameter() {
  if (cursor.at(TokenKind::StarStar))
    cursor.failUnsupported("a '**' parameter");
  if (cursor.at(TokenKind::Slash))
    cursor.failUnsupported("a positional-only parameter");
  uint32_t begin = cursor.begin();
  Parameter parameter;
  parameter.isVariadic = cursor.accept(TokenKind::Star);
  parameter.name = cursor.expectIdentifier("a parameter name").text();
  if (cursor.accept(TokenKind::Colon))
    parameter.annotation = expressions.parse();
  if (!parameter.isVariadic && cursor.accept(TokenKind::Equal))
    parameter.defaultValue = expressions.parse();
  parameter.range = cursor.rangeFrom(begin);
  return parameter;
}

void StatementParser::checkParameters(const std::vector<Parameter> &parameters) const {
  llvm::StringSet<> names;
  bool hasDefault = false;
  for (const Parameter &parameter : parameters) {
    if (!names.insert(parameter.name).second)
      fail(parameter.range, DiagnosticId::duplicate_parameter, parameter.name);
    bool isByPosition = !parameter.isVariadic && !parameter.isKeywordOnly;
    if (hasDefault && !parameter.defaultValue && isByPosition)
      fail(parameter.range, DiagnosticId::default_before_required, parameter.name);
    hasDefault |= parameter.defaultValue != nullptr;
  }
}

StmtList StatementParser::parseBlock(const Token &header) {
  Nesting nesting(cursor);
  cursor.expect(TokenKind::Colon);
  StmtList body;
  if (!cursor.accept(TokenKind::Newline)) {
    parseSimpleLine(body);
    return body;
  }
  if (cursor.peek().error)
    failWithErrorOf(cursor.peek());
  if (!cursor.accept(TokenKind::Indent))
    fail(header.range, DiagnosticId::expected_indented_block,
         "'" + std::string(header.text()) + "'");
  while (!cursor.accept(TokenKind::Dedent))
    parseOrSkip(body);
  return body;
}

/// Whether what follows the statement can be read whatever the mistake was.
static bool isConfined(DiagnosticId id) {
  switch (id) {
  case DiagnosticId::expected:
  case DiagnosticId::unsupported_syntax:
  case DiagnosticId::invalid_assignment_target:
  case DiagnosticId::positional_after_keyword:
  case DiagnosticId::comparisons_not_parenthesized:
    return true;
  default:
    return false;
  }
}

void StatementParser::parseOrSkip(StmtList &body) {
  constexpr size_t mostMistakes = 9;
  size_t start = cursor.position();
  try {
    parseStatement(body);
  } catch (const SourceError &error) {
    if (!isConfined(error.diagnostic.id) || cursor.atEnd() || mistakes.size() == mostMistakes)
      throw;
    mistakes.push_back(error.diagnostic);
    cursor.rewind(start);
    do
      cursor.skipLine();
    while (cursor.at(TokenKind::Elif) || cursor.at(TokenKind::Else) ||
           cursor.at(TokenKind::Except) || cursor.at(TokenKind::Finally));
  }
}

StmtPtr StatementParser::parseInnerFunction() {
  std::unique_ptr<Function> function = parseDefinition();
  function->isOfThreads = true;
  auto node = std::make_unique<Definition>(function->range);
  node->function = std::move(function);
  return node;
}

void StatementParser::parseStatement(StmtList &body) {
  if (holdsFunctions && cursor.at(TokenKind::Def)) {
    body.push_back(parseInnerFunction());
    return;
  }
  rejectUnsupported();
  switch (cursor.peek().kind) {
  case TokenKind::If:
    body.push_back(parseIf());
    break;
  case TokenKind::For:
    body.push_back(parseFor());
    break;
  case TokenKind::While:
    body.push_back(parseWhile());
    break;
  default:
    parseSimpleLine(body);
  }
}

StmtPtr StatementParser::parseIf() {
  uint32_t begin = cursor.begin();
  std::vector<If::Arm> arms;
  do {
    Token header = cursor.take();
    ExprPtr condition = parseCondition();
    arms.push_back({std::move(condition), parseBlock(header)});
  } while (cursor.at(TokenKind::Elif));
  StmtList elseBody = parseElse();
  auto node = std::make_unique<If>(cursor.rangeFrom(begin));
  node->arms = std::move(arms);
  node->elseBody = std::move(elseBody);
  return node;
}

/// What stands between `if`, `elif` or `while` and its colon.
ExprPtr StatementParser::parseCondition() {
  ExprPtr condition = expressions.parseNamed();
  if (cursor.at(TokenKind::Equal))
    failWithNote(cursor.peek().range, {{}, "'==' compares"}, DiagnosticId::expected, "':'");
  return condition;
}

StmtPtr StatementParser::parseFor() {
  Token header = cursor.take();
  ExprPtr target = expressions.parseLoopTarget();
  cursor.expect(TokenKind::In);
  ExprPtr iterable = expressions.parseList();
  auto node = std::make_unique<For>(header.range);
  node->target = std::move(target);
  node->iterable = std::move(iterable);
  return finishLoop(std::move(node), header);
}

StmtPtr StatementParser::parseWhile() {
  Token header = cursor.take();
  ExprPtr condition = parseCondition();
  auto node = std::make_unique<While>(header.range);
  node->condition = std::move(condition);
  return finishLoop(std::move(node), header);
}

template <typename Loop>
StmtPtr StatementParser::finishLoop(std::unique_ptr<Loop> loop, const Token &header) {
  loop->body = parseBlock(header);
  loop->range = cursor.rangeFrom(header.range.begin);
  StmtList elseBody = parseElse();
  if (elseBody.empty())
    return loop;
  StmtList &turn = loop->body;
  return withElse(std::move(loop), turn, std::move(elseBody));
}

StmtList StatementParser::parseElse() {
  if (!cursor.at(TokenKind::Else))
    return {};
  Token header = cursor.take();
  if (cursor.at(TokenKind::If))
    failWithNote(header.range.to(cursor.peek().range), {{}, "write 'elif'"}, DiagnosticId::expected,
                 "':' after 'else'");
  return parseBlock(header);
}

void StatementParser::parseSimpleLine(StmtList &body) {
  do
    body.push_back(parseSimple());
  while (cursor.accept(TokenKind::Semicolon) && !cursor.at(TokenKind::Newline));
  if (!cursor.accept(TokenKind::Newline))
    cursor.failExpected("the end of the statement");
}

StmtPtr StatementParser::parseSimple() {
  rejectUnsupported();
  switch (cursor.peek().kind) {
  case TokenKind::Pass:
    return parseKeyword<Pass>();
  case TokenKind::Break:
    return parseKeyword<Break>();
  case TokenKind::Continue:
    return parseKeyword<Continue>();
  case TokenKind::Return:
    return parseReturn();
  case TokenKind::Assert:
    return parseAssert();
  case TokenKind::Raise:
    return parseRaise();
  default:
    return parseExpressionStatement();
  }
}

StmtPtr StatementParser::parseReturn() {
  uint32_t begin = cursor.take().range.begin;
  ExprPtr value = atEndOfStatement() ? nullptr : expressions.parseList();
  auto node = std::make_unique<Return>(cursor.rangeFrom(begin));
  node->value = std::move(value);
  return node;
}

StmtPtr StatementParser::parseAssert() {
  uint32_t begin = cursor.take().range.begin;
  ExprPtr condition = expressions.parse();
  ExprPtr message = cursor.accept(TokenKind::Comma) ? expressions.parse() : nullptr;
  auto node = std::make_unique<Assert>(cursor.rangeFrom(begin));
  node->condition = std::move(condition);
  node->message = std::move(message);
  return node;
}

StmtPtr StatementParser::parseRaise() {
  uint32_t begin = cursor.take().range.begin;
  ExprPtr value = atEndOfStatement() ? nullptr : expressions.parse();
  if (value && cursor.accept(TokenKind::From))
    expressions.parse(); // the cause is for who debugs Python
  auto node = std::make_unique<Raise>(cursor.rangeFrom(begin));
  node->value = std::move(value);
  return node;
}

StmtPtr StatementParser::parseExpressionStatement() {
  uint32_t begin = cursor.begin();
  ExprPtr value = expressions.parseList();
  if (cursor.at(TokenKind::Equal))
    return parseAssign(std::move(value), begin);
  if (cursor.at(TokenKind::Colon))
    return parseAnnAssign(std::move(value), begin);
  if (assigningOperator(cursor.peek().kind))
    return parseAugAssign(std::move(value), begin);
  auto node = std::make_unique<ExprStmt>(cursor.rangeFrom(begin));
  node->value = std::move(value);
  return node;
}

StmtPtr StatementParser::parseAssign(ExprPtr target, uint32_t begin) {
  ExprList targets;
  ExprPtr value = std::move(target);
  while (cursor.at(TokenKind::Equal)) {
    expressions.checkTarget(*value);
    targets.push_back(std::move(value));
    cursor.take();
    value = expressions.parseList();
  }
  auto node = std::make_unique<Assign>(cursor.rangeFrom(begin));
  node->targets = std::move(targets);
  node->value = std::move(value);
  return node;
}

StmtPtr StatementParser::parseAugAssign(ExprPtr target, uint32_t begin) {
  expressions.checkSingleTarget(*target);
  const Token &token = cursor.take();
  BinaryOp op = assigningOperator(token.kind)->op;
  SourceRange opRange = token.range;
  ExprPtr value = expressions.parseList();
  auto node = std::make_unique<AugAssign>(cursor.rangeFrom(begin));
  node->target = std::move(target);
  node->op = op;
  node->opRange = opRange;
  node->value = std::move(value);
  return node;
}

StmtPtr StatementParser::parseAnnAssign(ExprPtr target, uint32_t begin) {
  expressions.checkSingleTarget(*target);
  cursor.take();
  ExprPtr annotation = expressions.parse();
  ExprPtr value = cursor.accept(TokenKind::Equal) ? expressions.parseList() : nullptr;
  auto node = std::make_unique<AnnAssign>(cursor.rangeFrom(begin));
  node->target = std::move(target);
  node->annotation = std::move(annotation);
  node->value = std::move(value);
  return node;
}

/// Names what Python has but kernels lack, and indentation that no block asks for.
void StatementParser::rejectUnsupported() const {
  const Token &token = cursor.peek();
  switch (token.kind) {
  case TokenKind::Indent:
    fail(token.range, DiagnosticId::unexpected_indent);
  case TokenKind::Def:
    cursor.failUnsupported("a nested function");
  case TokenKind::Class:
    cursor.failUnsupported("a class");
  case TokenKind::At:
    cursor.failUnsupported("a decorator");
  case TokenKind::With:
  case TokenKind::Try:
  case TokenKind::Del:
  case TokenKind::Global:
  case TokenKind::Nonlocal:
  case TokenKind::Import:
  case TokenKind::From:
  case TokenKind::Async:
    cursor.failUnsupported("'" + std::string(token.text()) + "'");
  case TokenKind::Identifier:
    // `match` is an ordinary name unless an expression follows it.
    if (token.text() == "match" && cursor.peek(1).kind >= TokenKind::Identifier &&
        cursor.peek(1).kind <= TokenKind::True)
      cursor.failUnsupported("'match'");
    return;
  default:
    return;
  }
}

} // namespace nereid
