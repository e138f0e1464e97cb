// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/parse/RecordParser.h"

#include "frontend/parse/ExpressionParser.h"
#include "frontend/parse/StatementParser.h"
#include "support/Diagnostics.h"

namespace nereid {
namespace {

class RecordReader {
public:
  explicit RecordReader(TokenCursor &cursor) : cursor(cursor) {}

  /// Null if what stands there is no class of tuples.
  std::unique_ptr<ast::Record> read(bool isAggregate) {
    cursor.skip();
    if (!cursor.at(TokenKind::Identifier))
      return nullptr;
    record->name = cursor.take().text();
    bool isNamedTuple = readBases();
    if ((!isNamedTuple && !isAggregate) || !cursor.accept(TokenKind::Colon) ||
        !cursor.accept(TokenKind::Newline) || !cursor.accept(TokenKind::Indent))
      return nullptr;
    while (!cursor.accept(TokenKind::Dedent))
      readMember();
    return std::move(record);
  }

private:
  /// Whether NamedTuple is one of them.
  bool readBases() {
    bool isNamedTuple = false, isStart = true;
    if (!cursor.accept(TokenKind::LParen))
      return false;
    while (!cursor.atEnd() && !cursor.accept(TokenKind::RParen)) {
      TokenKind after = cursor.peek(1).kind;
      bool isPlain = isStart && cursor.at(TokenKind::Identifier) &&
                     (after == TokenKind::Comma || after == TokenKind::RParen);
      Token token = cursor.take();
      isNamedTuple |= token.text() == "NamedTuple";
      if (isPlain)
        record->bases.emplace_back(token.text());
      isStart = token.kind == TokenKind::Comma;
    }
    return isNamedTuple;
  }

  void readMember() {
    while (cursor.at(TokenKind::At)) // all functions of the class are traced
      skipLine();
    if (cursor.at(TokenKind::Def)) {
      record->methods.push_back(StatementParser(cursor).parseFunction());
      return;
    }
    bool isField = cursor.at(TokenKind::Identifier) && cursor.peek(1).kind == TokenKind::Colon;
    if (isField)
      return readField();
    if (!cursor.at(TokenKind::String) && !cursor.at(TokenKind::Pass))
      cursor.failExpected("a field or a function");
    skipLine();
  }

  void readField() {
    ast::Record::Field field{std::string(cursor.take().text()), nullptr};
    cursor.skip();
    ExpressionParser(cursor).parse(); // types are those of the values
    if (cursor.accept(TokenKind::Equal))
      field.defaultValue = ExpressionParser(cursor).parse();
    record->fields.push_back(std::move(field));
    if (!cursor.accept(TokenKind::Newline))
      cursor.failExpected("the end of the field");
  }

  void skipLine() {
    while (!cursor.atEnd() && !cursor.at(TokenKind::Newline))
      cursor.skip();
    cursor.skip();
  }

  TokenCursor &cursor;
  std::unique_ptr<ast::Record> record = std::make_unique<ast::Record>();
};

} // namespace

std::unique_ptr<ast::Record> parseRecord(TokenCursor &cursor, bool isAggregate) {
  size_t start = cursor.position();
  try {
    if (auto record = RecordReader(cursor).read(isAggregate))
      return record;
  } catch (const SourceError &) {
    // A class of the host's.
  }
  cursor.rewind(start);
  return nullptr;
}

} // namespace nereid
