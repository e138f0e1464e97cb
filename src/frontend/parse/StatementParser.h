// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "frontend/parse/ExpressionParser.h"

namespace nereid {

/// Parses a kernel: its head and its body.
class StatementParser {
public:
  /// `holdsFunctions`: others may stand inside, as in kernels of threads.
  explicit StatementParser(TokenCursor &cursor, bool holdsFunctions = false)
      : cursor(cursor), expressions(cursor, /*isInFunction=*/true), holdsFunctions(holdsFunctions) {
  }

  /// A function from its `def` to the end of its body. A statement that cannot be read is skipped,
  /// so that mistakes in others are reported with it.
  std::unique_ptr<ast::Function> parseFunction();

private:
  std::unique_ptr<ast::Function> parseDefinition();
  ast::StmtPtr parseInnerFunction();
  std::vector<ast::Parameter> parseParameters();
  ast::Parameter parseParameter();
  void checkParameters(const std::vector<ast::Parameter> &parameters) const;

  ast::StmtList parseBlock(const Token &header);
  void parseOrSkip(ast::StmtList &body);
  void parseStatement(ast::StmtList &body);
  void parseSimpleLine(ast::StmtList &body);
  ast::StmtPtr parseIf();
  ast::ExprPtr parseCondition();
  ast::StmtPtr parseFor();
  ast::StmtPtr parseWhile();
  /// The loop's body, and the `else` behind it.
  template <typename Loop> ast::StmtPtr finishLoop(std::unique_ptr<Loop> loop, const Token &header);
  ast::StmtList parseElse();
  ast::StmtPtr parseSimple();
  ast::StmtPtr parseReturn();
  ast::StmtPtr parseAssert();
  ast::StmtPtr parseRaise();
  ast::StmtPtr parseExpressionStatement();
  ast::StmtPtr parseAssign(ast::ExprPtr target, uint32_t begin);
  ast::StmtPtr parseAugAssign(ast::ExprPtr target, uint32_t begin);
  ast::StmtPtr parseAnnAssign(ast::ExprPtr target, uint32_t begin);
  void rejectUnsupported() const;
  template <typename Node> ast::StmtPtr parseKeyword() {
    return std::make_unique<Node>(cursor.take().range);
  }
  bool atEndOfStatement() const {
    return cursor.at(TokenKind::Newline) || cursor.at(TokenKind::Semicolon);
  }

  TokenCursor &cursor;
  ExpressionParser expressions;
  bool holdsFunctions;
  std::vector<Diagnostic> mistakes;
};

} // namespace nereid
