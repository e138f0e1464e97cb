// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/parse/ModuleParser.h"

#include "frontend/parse/Bindings.h"
#include "frontend/parse/StatementParser.h"
#include "support/Diagnostics.h"

#include "llvm/ADT/StringExtras.h"

namespace nereid {

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

/// Whether the body of a loop runs is not known, but what stands in it may name what stands beside
/// it, as in a branch.
void ModuleParser::parseLoop() {
  noteUnread();
  size_t first = module.bindings.size();
  ast::Choice &choice = addChoice(ast::Choice::Kind::If);
  choice.conditions.push_back(nullptr);
  recordAhead();
  parseArm({&choice, 0});
  if (cursor.at(TokenKind::Else))
    parseArm({&choice, 1});
  forgetChanging(first);
}

/// Of the bindings of a loop, which begin at `first`, those that one of them goes into may differ
/// from round to round.
void ModuleParser::forgetChanging(size_t first) {
  llvm::MutableArrayRef<ast::Binding> bindings = module.bindings;
  bindings = bindings.drop_front(first);
  auto isBound = [&](std::string_view word) {
    return llvm::any_of(bindings, [&](const ast::Binding &each) {
      return each.kind != ast::Binding::Kind::Function && each.name == word;
    });
  };
  for (ast::Binding &binding : bindings) {
    if (binding.kind != ast::Binding::Kind::Constant)
      continue;
    llvm::StringRef text = binding.value->range.text();
    auto isPart = [](char c) { return llvm::isAlnum(c) || c == '_'; };
    while (!(text = text.drop_until(isPart)).empty()) {
      llvm::StringRef word = text.take_while(isPart);
      if (isBound(word))
        binding.kind = ast::Binding::Kind::Unread;
      text = text.drop_front(word.size());
    }
  }
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

} // namespace nereid
