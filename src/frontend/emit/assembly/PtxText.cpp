// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/emit/assembly/PtxText.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <bit>

namespace nereid::emit::ptx {
namespace {

using llvm::StringRef;

std::string withoutComments(StringRef text) {
  std::string kept;
  while (!text.empty()) {
    bool isLine = text.starts_with("//"), isBlock = text.starts_with("/*");
    if (!isLine && !isBlock) {
      kept += text.front();
      text = text.drop_front();
      continue;
    }
    size_t end = text.find(isLine ? "\n" : "*/", 2);
    text = end == StringRef::npos ? "" : text.drop_front(end + (isLine ? 0 : 2));
    kept += ' ';
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
