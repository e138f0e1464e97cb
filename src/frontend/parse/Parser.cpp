// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/parse/Parser.h"

#include "frontend/lex/Lexer.h"
#include "frontend/parse/Bindings.h"
#include "frontend/parse/Decorators.h"
#include "frontend/parse/ModuleAssignment.h"
#include "frontend/parse/Operators.h"
#include "frontend/parse/RecordParser.h"
#include "frontend/parse/StatementParser.h"
#include "support/Diagnostics.h"

#include "llvm/ADT/StringMap.h"

#include <algorithm>
#include <iterator>

namespace nereid {
namespace {

/// Other packages' decorators of the name `jit`, whose functions are not kernels.
constexpr std::string_view foreignPackages[] = {"jax", "numba"};

bool isEndOfStatement(TokenKind kind) {
  return kind == TokenKind::Newline || kind == TokenKind::Semicolon || kind == TokenKind::End;
}

class ModuleParser {
public:
  explicit ModuleParser(const SourceFile &file) : cursor(tokenize(file)) { module.file = &file; }

  ast::Module parse() {
    cursor.checkBrackets();
    while (!cursor.atEnd())
      parseStatement();
    return std::move(module);
  }

  ast::Module parseFunctionText() {
    cursor.checkBrackets();
    Decorators decorators = parseDecorators(cursor, [](std::string_view name) {
      return name == "cuda.jit" || name == "numba.cuda.jit" ? Language::Threads : Language::Tiles;
    });
    if (!cursor.at(TokenKind::Def))
      cursor.failExpected("a function");
    decorators.isConstexpr = false;
    parseFunction(decorators);
    return std::move(module);
  }

private:
  void parseStatement();
  void parseDecorated();
  Language languageOf(std::string_view name) const;
  void parseFunction(const Decorators &decorators);
  void recordDefinition();
  void parseBodies(const std::string &holder);
  void parseBody(std::string holder);
  void parseMethods(const std::string &holder);
  void recordParameters();
  bool parseJitCall();
  bool parseClass(bool isAggregate);
  void parseImport();
  void parseFromImport();
  void recordImport(uint32_t begin, std::string name, ast::Import import);
  std::string takeDottedName();
  bool parseAssignment();
  void parseIf();
  void parseTry();
  void parseWith();
  ast::ExprPtr parseCondition();
  void parseArm(ast::Place arm);
  void parseSuite();
  ast::Choice &addChoice(ast::Choice::Kind kind);
  void noteUnread();
  void skipToColon();
  void skipSimpleStatement();
  bool isMainBlock() const;
  void recordAhead();
  void recordLine();
  void recordBlock();
  void recordName(const Token &name);
  bool acceptIdentifier(std::string &name);

  TokenCursor cursor;
  ast::Module module;
  llvm::StringMap<std::string> importPaths;
  /// Where the texts of ordinary functions begin, which a call of `jit` may make kernels of.
  llvm::StringMap<size_t> definitions;
  /// Where the statement at hand stands.
  ast::Place place;
  unsigned depth = 0;
  /// The statement before ended in a semicolon.
  bool isMidLine = false;
};

void ModuleParser::parseStatement() {
  isMidLine = false;
  switch (cursor.peek().kind) {
  case TokenKind::At:
    return parseDecorated();
  case TokenKind::Indent:
    return cursor.skipBlock();
  case TokenKind::Class:
    if (parseClass(/*isAggregate=*/false))
      return;
    recordDefinition();
    return parseBodies({});
  case TokenKind::Def:
    definitions[cursor.peek(1).text()] = cursor.position();
    recordDefinition();
    return parseBodies({});
  case TokenKind::Import:
    parseImport();
    return skipSimpleStatement();
  case TokenKind::From:
    parseFromImport();
    return skipSimpleStatement();
  case TokenKind::If:
    return isMainBlock() ? cursor.skipLine() // a file whose kernels are used is not the main one
                         : parseIf();
  case TokenKind::Try:
    return parseTry();
  case TokenKind::Pass:
  case TokenKind::String:
    return skipSimpleStatement();
  case TokenKind::With:
    return parseWith();
  case TokenKind::Identifier:
  case TokenKind::LParen:
  case TokenKind::LBracket:
    if (!parseJitCall() && !parseAssignment()) {
      noteUnread();
      recordAhead();
    }
    return skipSimpleStatement();
  default:
    noteUnread();
    recordLine();
  }
}

void ModuleParser::parseDecorated() {
  Decorators decorators =
      parseDecorators(cursor, [this](std::string_view name) { return languageOf(name); });
  if ((decorators.isKernel || decorators.isConstexpr) && cursor.at(TokenKind::Def))
    parseFunction(decorators);
  else if (!(decorators.isAggregate && cursor.at(TokenKind::Class) &&
             parseClass(/*isAggregate=*/true))) {
    std::string_view name = cursor.peek(1).text();
    parseStatement();
    definitions.erase(name); // a decorator that is not known made something else of it
  }
}

Language ModuleParser::languageOf(std::string_view name) const {
  std::string path(name);
  std::string_view first = name.substr(0, name.find('.'));
  if (auto imported = importPaths.find(first); imported != importPaths.end())
    path = std::string(imported->second) + path.substr(first.size());
  if (path == "numba.cuda.jit")
    return Language::Threads;
  std::string_view package = std::string_view(path).substr(0, path.find('.'));
  bool isForeign = std::ranges::find(foreignPackages, package) != std::end(foreignPackages);
  return isForeign ? Language::None : Language::Tiles;
}

/// A mistake in a function is kept for who uses it: the others are none the worse.
void ModuleParser::parseFunction(const Decorators &decorators) {
  size_t start = cursor.position();
  SourceRange begin = cursor.peek().range;
  Token name = cursor.peek(1);
  std::unique_ptr<ast::Function> function;
  try {
    function = StatementParser(cursor).parseFunction();
  } catch (const SourceError &error) {
    if (name.kind != TokenKind::Identifier)
      throw;
    cursor.rewind(start);
    cursor.skipLine();
    function = std::make_unique<ast::Function>();
    function->name = name.text();
    function->nameRange = name.range;
    function->range = {begin.file, begin.begin, std::max(cursor.begin(), name.range.end)};
    function->mistake = std::make_shared<Diagnostic>(error.diagnostic);
  }
  decorators.applyTo(*function);
  std::string bound = function->name;
  SourceRange range = function->range;
  module.bindings.push_back(
      {ast::Binding::Kind::Function, std::move(bound), range, place, std::move(function)});
}

void ModuleParser::recordDefinition() {
  cursor.skip();
  Token name = cursor.peek();
  if (name.kind == TokenKind::Identifier)
    module.bindings.push_back(
        {ast::Binding::Kind::Skipped, std::string(name.text()), name.range, place});
}

// Kernels inside of functions

/// Of a def or class whose name is next: the kernels that stand inside are kept with all that they
/// may name. `holder` is the class that it stands in, with a point behind it.
void ModuleParser::parseBodies(const std::string &holder) {
  size_t start = cursor.position();
  bool isClass = start > 0 && cursor.consumedFrom(start - 1).front().kind == TokenKind::Class;
  cursor.skipLine();
  size_t end = cursor.position();
  bool mayHold = std::ranges::any_of(cursor.consumedFrom(start), [](const Token &token) {
    return token.kind == TokenKind::Identifier && token.text() == "jit";
  });
  if (!mayHold || depth >= TokenCursor::nestingLimit)
    return;
  cursor.rewind(start);
  std::string name = holder + std::string(cursor.peek().text());
  if (isClass)
    parseMethods(name + ".");
  else
    parseBody(std::move(name));
  cursor.rewind(end);
}

/// Names of a class are not known to its methods, so that nothing else of it matters.
void ModuleParser::parseMethods(const std::string &holder) {
  skipToColon();
  if (!cursor.at(TokenKind::Newline) || cursor.peek(1).kind != TokenKind::Indent)
    return;
  cursor.skip();
  cursor.skip();
  while (!cursor.atEnd() && !cursor.at(TokenKind::Dedent)) {
    if (!cursor.at(TokenKind::Def) && !cursor.at(TokenKind::Class)) {
      cursor.skipLine();
      continue;
    }
    cursor.skip();
    ++depth;
    parseBodies(holder);
    --depth;
  }
}

void ModuleParser::parseBody(std::string holder) {
  ast::Module outer = std::exchange(module, {});
  ast::Place outerPlace = std::exchange(place, {});
  unsigned outerDepth = depth;
  llvm::StringMap<size_t> outerDefinitions = std::exchange(definitions, {});
  llvm::StringMap<std::string> outerPaths = importPaths;
  module.file = outer.file;
  module.holder = std::move(holder);
  try {
    recordParameters();
    parseArm({});
  } catch (const SourceError &) {
    // Any Python may stand there; what was read before is known.
  }
  bool holdsKernels = !module.locals.empty() || !module.functionNames().empty();
  auto body = std::make_unique<ast::Module>(std::exchange(module, std::move(outer)));
  if (holdsKernels) {
    module.locals.push_back(std::move(body));
    module.locals.back()->outer = &module;
  }
  place = outerPlace;
  depth = outerDepth;
  definitions = std::move(outerDefinitions);
  importPaths = std::move(outerPaths);
}

/// The names between the parentheses that come next, but those of annotations and defaults.
void ModuleParser::recordParameters() {
  cursor.skip();
  int brackets = 0;
  TokenKind before = TokenKind::End;
  for (; !cursor.atEnd(); cursor.skip()) {
    Token token = cursor.peek();
    bool isStart = before == TokenKind::LParen || before == TokenKind::Comma ||
                   before == TokenKind::Star || before == TokenKind::StarStar;
    brackets += token.kind == TokenKind::LParen || token.kind == TokenKind::LBracket ||
                token.kind == TokenKind::LBrace;
    brackets -= token.kind == TokenKind::RParen || token.kind == TokenKind::RBracket ||
                token.kind == TokenKind::RBrace;
    if (brackets <= 0)
      return cursor.skip();
    if (brackets == 1 && isStart && token.kind == TokenKind::Identifier)
      module.bindings.push_back(
          {ast::Binding::Kind::Parameter, std::string(token.text()), token.range, place});
    before = token.kind;
  }
}

/// `k = triton.jit(f)`, where f is an ordinary function of this file: a kernel by the name of k.
bool ModuleParser::parseJitCall() {
  size_t start = cursor.position();
  std::string name;
  auto definition = definitions.end();
  Language language = Language::None;
  if (acceptIdentifier(name) && cursor.accept(TokenKind::Equal)) {
    std::string callee = takeDottedName();
    bool isJit = callee == "jit" || std::string_view(callee).ends_with(".jit");
    language = languageOf(callee);
    if (isJit && language != Language::None && cursor.accept(TokenKind::LParen) &&
        cursor.at(TokenKind::Identifier) && cursor.peek(1).kind == TokenKind::RParen &&
        isEndOfStatement(cursor.peek(2).kind))
      definition = definitions.find(cursor.peek().text());
  }
  cursor.rewind(start);
  if (definition == definitions.end())
    return false;
  cursor.rewind(definition->second);
  Decorators decorators;
  decorators.isKernel = true;
  decorators.isOfThreads = language == Language::Threads;
  parseFunction(decorators);
  module.bindings.back().name = std::move(name);
  cursor.rewind(start);
  return true;
}

/// A class of tuples with names, or of enum; false, and nothing read, for any other.
bool ModuleParser::parseClass(bool isAggregate) {
  uint32_t begin = cursor.begin();
  std::unique_ptr<ast::Record> record = parseRecord(cursor, isAggregate);
  if (!record)
    return false;
  ast::Binding binding{ast::Binding::Kind::Record, record->name, cursor.rangeFrom(begin), place};
  binding.record = std::move(record);
  module.bindings.push_back(std::move(binding));
  return true;
}

bool ModuleParser::acceptIdentifier(std::string &name) {
  if (!cursor.at(TokenKind::Identifier))
    return false;
  name = cursor.take().text();
  return true;
}

/// `a.b.c`, with the leading points of a relative import.
std::string ModuleParser::takeDottedName() {
  std::string path;
  while (cursor.at(TokenKind::Dot) || cursor.at(TokenKind::Ellipsis) ||
         cursor.at(TokenKind::Identifier))
    path += cursor.take().text();
  return path;
}

void ModuleParser::recordImport(uint32_t begin, std::string name, ast::Import import) {
  importPaths[name] = import.path();
  ast::Binding binding{ast::Binding::Kind::Import, std::move(name), cursor.rangeFrom(begin), place};
  binding.import = std::move(import);
  module.bindings.push_back(std::move(binding));
}

void ModuleParser::parseImport() {
  uint32_t begin = cursor.begin();
  do {
    cursor.take();
    ast::Import import{takeDottedName(), {}};
    std::string name = import.path();
    if (name.empty())
      return;
    import.hasAlias = cursor.accept(TokenKind::As);
    if (!import.hasAlias || acceptIdentifier(name))
      recordImport(begin, std::move(name), std::move(import));
  } while (cursor.at(TokenKind::Comma));
}

void ModuleParser::parseFromImport() {
  uint32_t begin = cursor.begin();
  cursor.take();
  std::string package = takeDottedName();
  if (!cursor.accept(TokenKind::Import))
    return;
  if (cursor.accept(TokenKind::Star))
    return recordImport(begin, "*", {package, "*"});
  cursor.accept(TokenKind::LParen);
  std::string imported, name;
  while (acceptIdentifier(imported)) {
    name = imported;
    bool hasAlias = cursor.accept(TokenKind::As);
    if (hasAlias && !acceptIdentifier(name))
      return;
    recordImport(begin, name, {package, imported, hasAlias});
    cursor.accept(TokenKind::Comma);
  }
}

/// Whether the statement was one whose value may be a constant, or only declared a name.
bool ModuleParser::parseAssignment() {
  auto assignment = parseModuleAssignment(cursor, place);
  if (!assignment)
    return false;
  if (assignment->hasOtherTargets)
    noteUnread();
  std::ranges::move(assignment->bindings, std::back_inserter(module.bindings));
  return true;
}

// Blocks outside functions

ast::Choice &ModuleParser::addChoice(ast::Choice::Kind kind) {
  auto choice = std::make_unique<ast::Choice>(ast::Choice{kind, cursor.peek().range, place, {}});
  ast::Choice &added = *choice;
  module.choices.push_back(std::move(choice));
  return added;
}

/// What is not read might raise, which the `except` of a `try` round it would see.
void ModuleParser::noteUnread() {
  for (ast::Place at = place; at.choice; at = at.choice->place)
    if (at.choice->kind == ast::Choice::Kind::Try && at.arm == 0)
      const_cast<ast::Choice *>(at.choice)->holdsUnread = true; // the module is still being made
}

void ModuleParser::parseIf() {
  ast::Choice &choice = addChoice(ast::Choice::Kind::If);
  unsigned arm = 0;
  do {
    cursor.skip();
    choice.conditions.push_back(parseCondition());
    parseArm({&choice, arm++});
  } while (cursor.at(TokenKind::Elif));
  if (cursor.at(TokenKind::Else))
    parseArm({&choice, arm});
}

/// The condition ahead, or null if it is not one that is read; the colon comes next.
ast::ExprPtr ModuleParser::parseCondition() {
  size_t start = cursor.position();
  try {
    ast::ExprPtr condition = ExpressionParser(cursor).parse();
    if (cursor.at(TokenKind::Colon))
      return condition;
  } catch (const SourceError &) {
    // Any Python may stand there.
  }
  cursor.rewind(start);
  return nullptr;
}

void ModuleParser::parseTry() {
  ast::Choice &choice = addChoice(ast::Choice::Kind::Try);
  parseArm({&choice, 0});
  unsigned arm = 0;
  while (cursor.at(TokenKind::Except)) {
    ast::Place outer = std::exchange(place, {&choice, ++arm});
    recordAhead();
    place = outer;
    parseArm({&choice, arm});
  }
  if (cursor.at(TokenKind::Else))
    parseArm({&choice, 0});
  if (cursor.at(TokenKind::Finally))
    parseArm(place);
}

/// `with` runs what it holds.
void ModuleParser::parseWith() {
  noteUnread();
  recordAhead();
  parseArm(place);
}

void ModuleParser::parseArm(ast::Place arm) {
  skipToColon();
  ast::Place outer = std::exchange(place, arm);
  ++depth;
  parseSuite();
  --depth;
  place = outer;
}

void ModuleParser::parseSuite() {
  if (!cursor.at(TokenKind::Newline)) {
    do
      parseStatement();
    while (isMidLine && !isEndOfStatement(cursor.peek().kind));
    return;
  }
  cursor.skip();
  if (!cursor.at(TokenKind::Indent))
    return;
  if (depth > TokenCursor::nestingLimit)
    return recordBlock();
  cursor.skip();
  while (!cursor.atEnd() && !cursor.at(TokenKind::Dedent))
    parseStatement();
  cursor.skip();
}

/// To what follows the colon that ends the head of a block.
void ModuleParser::skipToColon() {
  int brackets = 0, lambdas = 0;
  while (!cursor.atEnd() && !cursor.at(TokenKind::Newline)) {
    TokenKind kind = cursor.peek().kind;
    brackets +=
        kind == TokenKind::LParen || kind == TokenKind::LBracket || kind == TokenKind::LBrace;
    brackets -=
        kind == TokenKind::RParen || kind == TokenKind::RBracket || kind == TokenKind::RBrace;
    cursor.skip();
    lambdas += kind == TokenKind::Lambda && brackets == 0;
    if (kind == TokenKind::Colon && brackets == 0 && lambdas-- == 0)
      return;
  }
}

void ModuleParser::skipSimpleStatement() {
  while (!isEndOfStatement(cursor.peek().kind))
    cursor.skip();
  isMidLine = cursor.at(TokenKind::Semicolon);
  if (isMidLine)
    cursor.skip();
  else
    cursor.skipLine();
}

// What is not read may still bind names that are

/// if __name__ == "__main__":
bool ModuleParser::isMainBlock() const { return cursor.peek(1).text() == "__name__"; }

void ModuleParser::recordName(const Token &name) {
  if (name.kind == TokenKind::Identifier)
    module.bindings.push_back(
        {ast::Binding::Kind::Unread, std::string(name.text()), name.range, place});
}

/// Records what the statement ahead binds, without moving on.
void ModuleParser::recordAhead() {
  std::vector<Token> line;
  for (size_t i = 0; !isEndOfStatement(cursor.peek(i).kind); ++i)
    line.push_back(cursor.peek(i));
  for (const Token &name : boundNames(line))
    recordName(name);
}

/// Skips a line and the block that it may head, and records what they bind. The bodies of functions
/// and classes are worlds of their own.
void ModuleParser::recordLine() {
  if (cursor.at(TokenKind::Async))
    cursor.skip();
  if (cursor.at(TokenKind::Def) || cursor.at(TokenKind::Class)) {
    recordDefinition();
    return cursor.skipLine();
  }
  while (!cursor.atEnd() && !cursor.at(TokenKind::Newline)) {
    recordAhead();
    while (!isEndOfStatement(cursor.peek().kind))
      cursor.skip();
    if (cursor.at(TokenKind::Semicolon))
      cursor.skip();
  }
  cursor.skip();
  if (cursor.at(TokenKind::Indent))
    recordBlock();
}

void ModuleParser::recordBlock() {
  cursor.skip();
  while (!cursor.atEnd() && !cursor.at(TokenKind::Dedent)) {
    if (cursor.at(TokenKind::Indent))
      recordBlock();
    else
      recordLine();
  }
  cursor.skip();
}

} // namespace

ast::Module parseModule(const SourceFile &file) { return ModuleParser(file).parse(); }

ast::Module parseFunctionText(const SourceFile &file) {
  return ModuleParser(file).parseFunctionText();
}

ast::ExprPtr parseExpression(const SourceFile &file) {
  TokenCursor cursor(tokenizeExpression(file));
  ast::ExprPtr expression = ExpressionParser(cursor).parseList();
  if (!cursor.atEnd())
    cursor.failExpected("the end of the expression");
  return expression;
}

} // namespace nereid
