// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A module's statements, of which those matter that define what kernels see. Parser.cpp reads them,
// ModuleBlocks.cpp the blocks that they stand in, and what may bind a name without being read.
#pragma once

#include "frontend/lex/Lexer.h"
#include "frontend/parse/Decorators.h"

#include "llvm/ADT/StringMap.h"

namespace nereid {

inline bool isEndOfStatement(TokenKind kind) {
  return kind == TokenKind::Newline || kind == TokenKind::Semicolon || kind == TokenKind::End;
}

class ModuleParser {
public:
  explicit ModuleParser(const SourceFile &file) : cursor(tokenize(file)) { module.file = &file; }

  ast::Module parse() {
    cursor.checkBrackets();
    while (!cursor.atEnd())
      parseStatement();
    readHelpers();
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
  std::unique_ptr<ast::Function> readFunction(bool isOfThreads = false);
  void readHelpers();
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
  void parseLoop();
  void forgetChanging(size_t first);
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

} // namespace nereid
