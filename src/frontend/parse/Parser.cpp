// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/parse/Parser.h"

#include "frontend/lex/Lexer.h"
#include "frontend/parse/Operators.h"
#include "frontend/parse/StatementParser.h"

#include "llvm/ADT/StringMap.h"

#include <algorithm>

namespace nereid {
namespace {

/// Other packages' decorators of the name `jit`, whose functions are not kernels.
constexpr std::string_view foreignPackages[] = {"jax", "numba"};

class ModuleParser {
public:
  explicit ModuleParser(const SourceFile &file) : cursor(tokenize(file)) { module.file = &file; }

  ast::Module parse() {
    while (!cursor.atEnd())
      parseStatement();
    std::erase_if(module.constants, [](const auto &constant) { return constant.name.empty(); });
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
  void parseConstant();
  std::optional<ast::ModuleConstant> tryConstant();
  void forgetConstant(std::string_view name);
  void skipSimpleStatement();
  void skipLine();
  void skipBlock();
  bool acceptIdentifier(std::string &name);

  TokenCursor cursor;
  ast::Module module;
  llvm::StringMap<size_t> constantIndices; // of the last definition
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
    parseImport();
    return skipSimpleStatement();
  case TokenKind::From:
    parseFromImport();
    return skipSimpleStatement();
  case TokenKind::Identifier:
    parseConstant();
    return skipSimpleStatement();
  default:
    skipLine();
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

/// A later definition replaces a constant even where it is no constant itself.
void ModuleParser::parseConstant() {
  TokenKind next = cursor.peek(1).kind;
  bool isDefinition = next == TokenKind::Equal || next == TokenKind::Colon;
  if (!isDefinition && !assigningOperator(next))
    return;
  std::string name(cursor.peek().text());
  auto constant = isDefinition ? tryConstant() : std::nullopt;
  if (constant && !constant->value)
    return; // only declared
  forgetConstant(name);
  if (!constant)
    return;
  constantIndices[name] = module.constants.size();
  module.constants.push_back(std::move(*constant));
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

void ModuleParser::forgetConstant(std::string_view name) {
  auto found = constantIndices.find(name);
  if (found != constantIndices.end())
    module.constants[found->second].name.clear();
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
