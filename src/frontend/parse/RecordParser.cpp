// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/parse/RecordParser.h"

#include "frontend/parse/ExpressionParser.h"
#include "frontend/parse/StatementParser.h"
#include "support/Diagnostics.h"

#include "llvm/ADT/STLExtras.h"

namespace nereid {
namespace {

bool isClassOfEnum(std::string_view name) {
  constexpr std::string_view names[] = {"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"};
  return llvm::is_contained(names, name);
}

class RecordReader {
public:
  explicit RecordReader(TokenCursor &cursor) : cursor(cursor) {}

  /// Null if what stands there is neither a class of tuples nor one of enum.
  std::unique_ptr<ast::Record> read(bool isAggregate) {
    cursor.skip();
    if (!cursor.at(TokenKind::Identifier))
      return nullptr;
    record->name = cursor.take().text();
    readBases();
    if ((!isNamedTuple && !isAggregate && !isEnumeration) || !cursor.accept(TokenKind::Colon) ||
        !cursor.accept(TokenKind::Newline) || !cursor.accept(TokenKind::Indent))
      return nullptr;
    while (!cursor.accept(TokenKind::Dedent))
      isEnumeration ? readNamedValue() : readMember();
    return std::move(record);
  }

private:
  void readBases() {
    bool isStart = true;
    if (!cursor.accept(TokenKind::LParen))
      return;
    while (!cursor.atEnd() && !cursor.accept(TokenKind::RParen)) {
      TokenKind after = cursor.peek(1).kind;
      bool isPlain = isStart && cursor.at(TokenKind::Identifier) &&
                     (after == TokenKind::Comma || after == TokenKind::RParen);
      Token token = cursor.take();
      isNamedTuple |= token.text() == "NamedTuple";
      isEnumeration |= isClassOfEnum(token.text());
      if (isPlain || isClassOfEnum(token.text())) // `enum.IntEnum`, too
        record->bases.emplace_back(token.text());
      isStart = token.kind == TokenKind::Comma;
    }
  }

  /// `NAME = VALUE` of an enumeration. All else in it is the host's.
  void readNamedValue() {
    size_t start = cursor.position();
    if (cursor.at(TokenKind::Identifier)) {
      ast::Record::Field member{std::string(cursor.take().text()), nullptr};
      if (cursor.accept(TokenKind::Equal)) {
        member.defaultValue = ExpressionParser(cursor).parse();
        if (cursor.accept(TokenKind::Newline)) {
          record->fields.push_back(std::move(member));
          return;
        }
      }
    }
    cursor.rewind(start);
    cursor.skipLine();
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
  bool isNamedTuple = false, isEnumeration = false;
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

bool isEnumeration(const ast::Record &record) { return llvm::any_of(record.bases, isClassOfEnum); }

} // namespace nereid
