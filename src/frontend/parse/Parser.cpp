// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/parse/Parser.h"

#include "frontend/lex/Lexer.h"
#include "frontend/parse/Bindings.h"
#include "frontend/parse/Operators.h"
#include "frontend/parse/StatementParser.h"

#include "llvm/ADT/StringMap.h"

#include <algorithm>

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

private:
  void parseStatement();
  void parseDecorated();
  bool skipDecorator();
  bool isForeign(std::string_view package) const;
  void recordDefinition();
  void parseImport();
  void parseFromImport();
  void recordImport(const std::string &name, const std::string &path);
  std::string takeDottedName();
  bool parseConstant();
  std::optional<ast::ModuleConstant> tryConstant();
  void skipSimpleStatement();
  void skipLine();
  void skipBlock();
  bool isMainBlock() const;
  void recordAhead();
  void recordLine();
  void recordBlock();
  void recordName(const Token &name, bool isImport = false);
  bool acceptIdentifier(std::string &name);

  TokenCursor cursor;
  ast::Module module;
  llvm::StringMap<std::string> importPaths;
};

void ModuleParser::parseStatement() {
  switch (cursor.peek().kind) {
  case TokenKind::At:
    return parseDecorated();
  case TokenKind::Indent:
    return skipBlock();
  case TokenKind::Def:
  case TokenKind::Class:
    recordDefinition();
    return skipLine();
  case TokenKind::Import:
    recordAhead();
    parseImport();
    return skipSimpleStatement();
  case TokenKind::From:
    recordAhead();
    parseFromImport();
    return skipSimpleStatement();
  case TokenKind::Identifier:
    if (!parseConstant())
      recordAhead();
    return skipSimpleStatement();
  default:
    if (isMainBlock())
      return skipLine(); // a file whose kernels are used is not the main one
    recordLine();
  }
}

void ModuleParser::parseDecorated() {
  bool isKernel = false;
  while (cursor.at(TokenKind::At))
    isKernel |= skipDecorator();
  if (isKernel && cursor.at(TokenKind::Def))
    module.functions.push_back(StatementParser(cursor).parseFunction());
  else
    parseStatement();
}

/// Skips one decorator; whether it makes a kernel of the function.
bool ModuleParser::skipDecorator() {
  cursor.skip();
  std::string_view package = cursor.peek().text(), last;
  while (cursor.at(TokenKind::Identifier)) {
    last = cursor.peek().text();
    cursor.skip();
    if (!cursor.at(TokenKind::Dot))
      break;
    cursor.skip();
  }
  bool isWholeName = cursor.at(TokenKind::LParen) || cursor.at(TokenKind::Newline);
  while (!cursor.atEnd() && !cursor.at(TokenKind::Newline))
    cursor.skip();
  cursor.skip();
  return isWholeName && last == "jit" && !isForeign(package);
}

bool ModuleParser::isForeign(std::string_view package) const {
  if (auto imported = importPaths.find(package); imported != importPaths.end())
    package = imported->second;
  package = package.substr(0, package.find('.'));
  return std::ranges::find(foreignPackages, package) != std::end(foreignPackages);
}

void ModuleParser::recordDefinition() {
  cursor.skip();
  recordName(cursor.peek());
  std::string name;
  if (acceptIdentifier(name))
    module.skippedDefinitions.push_back(std::move(name));
}

bool ModuleParser::acceptIdentifier(std::string &name) {
  if (!cursor.at(TokenKind::Identifier))
    return false;
  name = cursor.peek().text();
  cursor.skip();
  return true;
}

/// `a.b.c`, with the leading points of a relative import.
std::string ModuleParser::takeDottedName() {
  std::string path;
  while (cursor.at(TokenKind::Dot) || cursor.at(TokenKind::Ellipsis) ||
         cursor.at(TokenKind::Identifier)) {
    path += cursor.peek().text();
    cursor.skip();
  }
  return path;
}

void ModuleParser::recordImport(const std::string &name, const std::string &path) {
  importPaths[name] = path;
  module.imports.emplace_back(name, path);
}

void ModuleParser::parseImport() {
  do {
    cursor.skip();
    std::string path = takeDottedName();
    std::string name = path.substr(0, path.find('.'));
    if (name.empty())
      return;
    if (!cursor.at(TokenKind::As)) {
      recordImport(name, name);
      continue;
    }
    cursor.skip();
    if (acceptIdentifier(name))
      recordImport(name, path);
  } while (cursor.at(TokenKind::Comma));
}

void ModuleParser::parseFromImport() {
  cursor.skip();
  std::string package = takeDottedName();
  if (!cursor.at(TokenKind::Import))
    return;
  if (!package.ends_with('.'))
    package += '.';
  cursor.skip();
  if (cursor.at(TokenKind::LParen))
    cursor.skip();
  std::string imported, name;
  while (acceptIdentifier(imported)) {
    name = imported;
    if (cursor.at(TokenKind::As)) {
      cursor.skip();
      if (!acceptIdentifier(name))
        return;
    }
    recordImport(name, package + imported);
    if (cursor.at(TokenKind::Comma))
      cursor.skip();
  }
}

/// Whether the statement was one: NAME = value, or a name that is only declared.
bool ModuleParser::parseConstant() {
  TokenKind next = cursor.peek(1).kind;
  if (next != TokenKind::Equal && next != TokenKind::Colon)
    return false;
  auto constant = tryConstant();
  if (constant && constant->value)
    module.constants.push_back(std::move(*constant));
  return constant.has_value();
}

std::optional<ast::ModuleConstant> ModuleParser::tryConstant() {
  size_t start = cursor.position();
  try {
    ast::ModuleConstant constant;
    ExpressionParser expressions(cursor);
    const Token &name = cursor.take();
    constant.name = name.text();
    if (cursor.accept(TokenKind::Colon))
      constant.annotation = expressions.parse();
    if (cursor.accept(TokenKind::Equal) && !cursor.at(TokenKind::LBrace))
      constant.value = expressions.parseList();
    constant.range = cursor.rangeFrom(name.range.begin);
    if (cursor.at(TokenKind::Newline) || cursor.at(TokenKind::Semicolon))
      return constant;
  } catch (const SourceError &) {
    // Host code: not a constant that a kernel can use.
  }
  cursor.rewind(start);
  return std::nullopt;
}

void ModuleParser::skipSimpleStatement() {
  while (!cursor.atEnd() && !cursor.at(TokenKind::Newline) && !cursor.at(TokenKind::Semicolon))
    cursor.skip();
  if (cursor.at(TokenKind::Semicolon))
    cursor.skip();
  else
    skipLine();
}

/// Skips the rest of the line and the block that it may head.
void ModuleParser::skipLine() {
  while (!cursor.atEnd() && !cursor.at(TokenKind::Newline))
    cursor.skip();
  cursor.skip();
  if (cursor.at(TokenKind::Indent))
    skipBlock();
}

void ModuleParser::skipBlock() {
  size_t depth = 0;
  do {
    depth += cursor.at(TokenKind::Indent);
    depth -= cursor.at(TokenKind::Dedent);
    cursor.skip();
  } while (depth > 0 && !cursor.atEnd());
}

// What is not read may still bind names that are

/// if __name__ == "__main__":
bool ModuleParser::isMainBlock() const {
  return cursor.at(TokenKind::If) && cursor.peek(1).text() == "__name__";
}

void ModuleParser::recordName(const Token &name, bool isImport) {
  if (name.kind == TokenKind::Identifier)
    module.rebindings.push_back({std::string(name.text()), name.range, isImport});
}

/// Records what the statement ahead binds, without moving on.
void ModuleParser::recordAhead() {
  std::vector<Token> line;
  for (size_t i = 0; !isEndOfStatement(cursor.peek(i).kind); ++i)
    line.push_back(cursor.peek(i));
  bool isImport = cursor.at(TokenKind::Import) || cursor.at(TokenKind::From);
  for (const Token &name : boundNames(line))
    recordName(name, isImport);
}

/// Skips a line and the block that it may head, and records what they bind. The bodies of functions
/// and classes are worlds of their own.
void ModuleParser::recordLine() {
  if (cursor.at(TokenKind::Async))
    cursor.skip();
  if (cursor.at(TokenKind::Def) || cursor.at(TokenKind::Class)) {
    cursor.skip();
    recordName(cursor.peek());
    return skipLine();
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

ast::ExprPtr parseExpression(const SourceFile &file) {
  TokenCursor cursor(tokenizeExpression(file));
  ast::ExprPtr expression = ExpressionParser(cursor).parseList();
  if (!cursor.atEnd())
    cursor.failExpected("the end of the expression");
  return expression;
}

} // namespace nereid
