// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/parse/Parser.h"

#include "frontend/parse/Bindings.h"
#include "frontend/parse/ModuleAssignment.h"
#include "frontend/parse/ModuleParser.h"
#include "frontend/parse/Operators.h"
#include "frontend/parse/RecordParser.h"
#include "frontend/parse/StatementParser.h"
#include "support/Diagnostics.h"

#include <algorithm>
#include <iterator>

namespace nereid {
namespace {

/// Other packages' decorators of the name `jit`, whose functions are not kernels.
constexpr std::string_view foreignPackages[] = {"jax", "numba"};

} // namespace

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
  case TokenKind::For:
  case TokenKind::While:
    return parseLoop();
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
  bool isRead = decorators.isKernel || decorators.isConstexpr || decorators.isExtern;
  if (isRead && cursor.at(TokenKind::Def))
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
std::unique_ptr<ast::Function> ModuleParser::readFunction(bool isOfThreads) {
  size_t start = cursor.position();
  SourceRange begin = cursor.peek().range;
  Token name = cursor.peek(1);
  std::unique_ptr<ast::Function> function;
  try {
    function = StatementParser(cursor, isOfThreads).parseFunction();
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
  return function;
}

/// Ordinary functions, which those that compute constants may call: they are Python's, too.
void ModuleParser::readHelpers() {
  bool isAsked = std::ranges::any_of(module.bindings, [](const ast::Binding &binding) {
    return binding.function && binding.function->isConstexpr;
  });
  for (ast::Binding &binding : module.bindings) {
    auto definition = definitions.find(binding.name);
    if (!isAsked || binding.kind != ast::Binding::Kind::Skipped || definition == definitions.end())
      continue;
    cursor.rewind(definition->second);
    if (cursor.peek(1).range.begin != binding.range.begin) // another of that name
      continue;
    binding.function = readFunction();
    binding.function->isConstexpr = true;
  }
}

void ModuleParser::parseFunction(const Decorators &decorators) {
  std::unique_ptr<ast::Function> function = readFunction(decorators.isOfThreads);
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
