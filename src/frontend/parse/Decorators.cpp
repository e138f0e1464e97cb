// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/parse/Decorators.h"

#include "frontend/parse/ExpressionParser.h"
#include "support/Diagnostics.h"

#include "llvm/Support/Casting.h"

#include <algorithm>
#include <iterator>

namespace nereid {
namespace {

class DecoratorParser {
public:
  DecoratorParser(TokenCursor &cursor, llvm::function_ref<Language(std::string_view)> languageOf)
      : cursor(cursor), languageOf(languageOf) {}

  Decorators parse() {
    while (cursor.at(TokenKind::At))
      parseOne();
    return std::move(found);
  }

private:
  void parseOne();
  void readOption();
  std::string readReason();

  TokenCursor &cursor;
  llvm::function_ref<Language(std::string_view)> languageOf;
  Decorators found;
};

void DecoratorParser::parseOne() {
  cursor.skip();
  std::string_view last;
  std::string path;
  while (cursor.at(TokenKind::Identifier)) {
    last = cursor.peek().text();
    path += (path.empty() ? "" : ".") + std::string(last);
    cursor.skip();
    if (!cursor.at(TokenKind::Dot))
      break;
    cursor.skip();
  }
  bool isWholeName = cursor.at(TokenKind::LParen) || cursor.at(TokenKind::Newline);
  if (last == "must_use_result")
    found.resultMatters = readReason();
  while (!cursor.atEnd() && !cursor.at(TokenKind::Newline)) {
    if (cursor.at(TokenKind::Identifier) && cursor.peek(1).kind == TokenKind::Equal)
      readOption();
    cursor.skip();
  }
  cursor.skip();
  Language language = languageOf(path);
  if (!isWholeName || language == Language::None)
    return;
  found.isAggregate |= last == "aggregate" || last == "_aggregate";
  found.isConstexpr |= last == "constexpr_function" || last == "constexpr";
  found.isExtern |= last == "extern" || last == "builtin";
  found.isKernel |= last == "jit";
  found.isOfThreads |= language == Language::Threads;
}

/// What `name=value` ahead says of the function, without moving on.
void DecoratorParser::readOption() {
  std::string_view name = cursor.peek().text();
  found.floorsDivision |= name == "floor_division" && cursor.peek(2).kind == TokenKind::True;
  if (name != "do_not_specialize" && name != "do_not_specialize_on_alignment")
    return;
  size_t start = cursor.position();
  cursor.skip();
  cursor.skip();
  try {
    ast::ExprPtr value = ExpressionParser(cursor).parse();
    ast::ExprList &list = name == "do_not_specialize" ? found.notSpecialized : found.notAligned;
    if (auto *several = llvm::dyn_cast<ast::List>(value.get()))
      std::ranges::move(several->elements, std::back_inserter(list));
    else if (auto *tuple = llvm::dyn_cast<ast::Tuple>(value.get()))
      std::ranges::move(tuple->elements, std::back_inserter(list));
    else
      list.push_back(std::move(value));
  } catch (const SourceError &) {
    // What only Python can read, which names no parameter here.
  }
  cursor.rewind(start);
}

/// The text in brackets ahead, without moving on; empty if there is none, or what only Python
/// knows.
std::string DecoratorParser::readReason() {
  std::string reason;
  if (!cursor.at(TokenKind::LParen) || cursor.peek(1).kind != TokenKind::String)
    return reason;
  size_t start = cursor.position();
  cursor.skip();
  ast::ExprPtr text = ExpressionParser(cursor).parse();
  if (const auto *constant = llvm::dyn_cast<ast::Constant>(text.get()))
    reason = constant->stringValue;
  cursor.rewind(start);
  return reason;
}

} // namespace

Decorators parseDecorators(TokenCursor &cursor,
                           llvm::function_ref<Language(std::string_view)> languageOf) {
  return DecoratorParser(cursor, languageOf).parse();
}

void Decorators::applyTo(ast::Function &function) const {
  function.isConstexpr = isConstexpr;
  function.isExtern = isExtern;
  function.floorsDivision = floorsDivision;
  function.isOfThreads = isOfThreads;
  function.resultMatters = resultMatters;
  auto isIn = [](const ast::ExprList &list, std::string_view name, size_t index) {
    return std::ranges::any_of(list, [&](const ast::ExprPtr &each) {
      const auto *constant = llvm::dyn_cast<ast::Constant>(each.get());
      using Kind = ast::Constant::Kind;
      return constant && (constant->valueKind == Kind::String
                              ? constant->stringValue == name
                              : constant->valueKind == Kind::Int && constant->intValue == index);
    });
  };
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    ast::Parameter &parameter = function.parameters[i];
    parameter.isSpecialized = !isIn(notSpecialized, parameter.name, i);
    parameter.knowsAlignment = parameter.isSpecialized && !isIn(notAligned, parameter.name, i);
  }
}

} // namespace nereid
