// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/emit/assembly/PtxText.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <bit>

namespace nereid::emit::ptx {
namespace {

using llvm::StringRef;

/// Of the comment that `text` begins with: 0 without one, npos if it does not end.
size_t commentLength(StringRef text) {
  bool isLine = text.starts_with("//");
  if (!isLine && !text.starts_with("/*"))
    return 0;
  size_t end = text.find(isLine ? "\n" : "*/", 2);
  if (end == StringRef::npos)
    return isLine ? text.size() : StringRef::npos;
  return end + (isLine ? 0 : 2);
}

std::string withoutComments(StringRef text) {
  std::string kept;
  while (!text.empty()) {
    size_t length = commentLength(text);
    kept += length ? ' ' : text.front();
    text = text.substr(std::max<size_t>(length, 1));
  }
  return kept;
}

bool isPartOfName(char c) { return llvm::isAlnum(c) || c == '_' || c == '$' || c == '%'; }

/// One statement, without its semicolon.
class StatementReader {
public:
  explicit StatementReader(StringRef text) : rest(text.trim()) {}

  /// Nothing where it cannot be read.
  std::optional<Instruction> read() {
    Instruction instruction;
    instruction.text = rest.str();
    if (rest.consume_front("@")) {
      instruction.isGuardNegated = rest.consume_front("!");
      instruction.guard = readOperand();
      if (!instruction.guard)
        return std::nullopt;
    }
    StringRef opcode = rest.take_until([](char c) { return llvm::isSpace(c); });
    rest = rest.drop_front(opcode.size()).ltrim();
    for (StringRef word : llvm::split(opcode, '.'))
      instruction.words.push_back(word.str());
    if (instruction.words.front().empty())
      return std::nullopt;
    while (!rest.empty()) {
      auto operand = readOperand();
      if (!operand)
        return std::nullopt;
      instruction.operands.push_back(std::move(*operand));
      // `setp.lt.s32 p|q, a, b` gives two predicates, which nothing here asks for.
      if (!rest.empty() && !rest.consume_front(","))
        return std::nullopt;
      rest = rest.ltrim();
    }
    return instruction;
  }

private:
  std::optional<Operand> readOperand() {
    rest = rest.ltrim();
    std::optional<Operand> operand = rest.starts_with("{") ? readSeveral() : readOne();
    rest = rest.ltrim();
    return operand;
  }

  std::optional<Operand> readSeveral() {
    rest = rest.drop_front().ltrim();
    Operand all{.kind = Operand::Kind::Several};
    while (!rest.consume_front("}")) {
      auto part = readOperand();
      if (!part || rest.empty())
        return std::nullopt;
      all.parts.push_back(std::move(*part));
      rest.consume_front(",");
      rest = rest.ltrim();
    }
    return all;
  }

  std::optional<Operand> readOne() {
    bool isNegative = rest.consume_front("-");
    StringRef word = rest.take_while([](char c) { return isPartOfName(c) || c == '.'; });
    if (word.empty())
      return std::nullopt;
    rest = rest.drop_front(word.size());
    if (llvm::isDigit(word.front()))
      return readNumber(word, isNegative);
    if (isNegative)
      return std::nullopt;
    unsigned index = 0;
    if (word.front() == '$' && !word.drop_front().getAsInteger(10, index))
      return Operand{.kind = Operand::Kind::Placeholder, .index = index};
    return Operand{.kind = Operand::Kind::Register, .name = word.str()};
  }

  static std::optional<Operand> readNumber(StringRef word, bool isNegative) {
    Operand number{.kind = Operand::Kind::Number};
    StringRef hex = word;
    if (hex.consume_front_insensitive("0f") || hex.consume_front_insensitive("0d")) {
      if (hex.getAsInteger(16, number.bits))
        return std::nullopt;
      return number;
    }
    if (word.contains('.')) {
      double real = 0;
      if (word.getAsDouble(real))
        return std::nullopt;
      number.bits = std::bit_cast<uint64_t>(isNegative ? -real : real);
      number.isReal = true;
      return number;
    }
    word.consume_back("U");
    if (word.getAsInteger(0, number.bits))
      return std::nullopt;
    number.bits = isNegative ? -number.bits : number.bits;
    return number;
  }

  StringRef rest;
};

/// A brace that opens or closes a block, and none round operands.
StringRef withoutBlockBraces(StringRef statement) {
  statement = statement.trim();
  while (statement.starts_with("{") || statement.starts_with("}"))
    statement = statement.drop_front().ltrim();
  return statement;
}

} // namespace

std::optional<FormMistake> mistakeInForm(const std::string &text) {
  StringRef all = text, rest = text;
  auto at = [&](StringRef place, const char *what, const char *accepted) {
    size_t line = 1 + all.drop_back(place.size()).count('\n');
    return FormMistake{"line " + std::to_string(line) + " of it " + what, accepted};
  };
  std::vector<StringRef> open;
  while (!rest.empty()) {
    size_t length = commentLength(rest);
    if (length == StringRef::npos)
      return at(rest, "begins a comment that does not end",
                "'*/' ends it; one that begins with '//' is a line's");
    if (rest.starts_with("\"")) { // what looks like a comment or a brace in it is none
      size_t end = rest.find('"', 1);
      if (end == StringRef::npos)
        return at(rest, "begins a string that does not end", "a '\"' ends it");
      length = end + 1;
    }
    if (rest.starts_with("{"))
      open.push_back(rest);
    if (rest.starts_with("}")) {
      if (open.empty())
        return at(rest, "closes a block that it did not open", "each '}' has its '{' before it");
      open.pop_back();
    }
    rest = rest.substr(std::max<size_t>(length, 1));
  }
  if (open.empty())
    return std::nullopt;
  return at(open.back(), "opens a block that it does not close", "each '{' has its '}' behind it");
}

std::optional<std::vector<Instruction>> parse(const std::string &text, std::string &mistake) {
  std::vector<Instruction> instructions;
  std::string kept = withoutComments(text);
  for (StringRef part : llvm::split(StringRef(kept), ';')) {
    StringRef statement = withoutBlockBraces(part);
    if (statement.empty() || statement.starts_with(".reg"))
      continue;
    auto instruction = StatementReader(statement).read();
    if (!instruction) {
      mistake = statement.str();
      return std::nullopt;
    }
    instructions.push_back(std::move(*instruction));
  }
  return instructions;
}

} // namespace nereid::emit::ptx
