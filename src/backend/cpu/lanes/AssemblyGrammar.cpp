// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/cpu/lanes/AssemblyGrammar.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace nereid::backend::cpu {
namespace {

constexpr llvm::StringRef blanks = " \t\r\v\f";
/// In front of a mnemonic.
constexpr llvm::StringRef prefixes[] = {"lock",  "rep",     "repe",     "repz",
                                        "repne", "repnz",   "data16",   "addr32",
                                        "bnd",   "notrack", "xacquire", "xrelease"};
constexpr llvm::StringRef accepted =
    "accepted are instructions in AT&T's syntax with $0, %eax, $$1 and 8($1) as operands, and "
    "labels that are numbers (1: and jnz 1b)";

/// Reads one statement after the other; each reader takes what it knows from the front of `rest`.
class AssemblyReader {
public:
  explicit AssemblyReader(llvm::StringRef text) : text(text), rest(text) {}

  std::optional<std::string> mistake() {
    while (!rest.empty()) {
      skipBlanks();
      llvm::StringRef statement = rest.take_until([](char c) { return c == '\n' || c == ';'; });
      if (!readStatement())
        return "'" + statement.rtrim().str() + "' is no instruction: " + accepted.str();
    }
    for (const auto &[place, label, isBefore] : jumps)
      if (!hasLabel(place, label, isBefore))
        return "no label " + label.str() + ": stands " + (isBefore ? "before" : "behind") +
               " the jump to it";
    return std::nullopt;
  }

private:
  struct Label {
    size_t place;
    llvm::StringRef digits;
  };
  struct Jump {
    size_t place;
    llvm::StringRef label;
    bool isBefore;
  };

  void skipBlanks() { rest = rest.ltrim(blanks); }
  bool take(llvm::StringRef mark) {
    skipBlanks();
    return rest.consume_front(mark);
  }
  llvm::StringRef takeWhile(bool (*isPart)(char)) {
    llvm::StringRef part = rest.take_while(isPart);
    rest = rest.drop_front(part.size());
    return part;
  }
  static bool isDigit(char c) { return llvm::isDigit(c); }
  static bool isAlnum(char c) { return llvm::isAlnum(c); }
  size_t place() const { return static_cast<size_t>(rest.begin() - text.begin()); }

  bool hasLabel(size_t jump, llvm::StringRef digits, bool isBefore) const {
    return llvm::any_of(labels, [&](const Label &label) {
      return label.digits == digits && (label.place < jump) == isBefore;
    });
  }

  /// With what ends it. A label ends itself.
  bool readStatement() {
    skipBlanks();
    llvm::StringRef before = rest;
    llvm::StringRef digits = takeWhile(isDigit);
    if (!digits.empty() && take(":")) {
      labels.push_back({place(), digits});
      return true;
    }
    rest = before;
    bool isEmpty = rest.empty() || llvm::StringRef("#;\n").contains(rest.front());
    if (!isEmpty && !readInstruction())
      return false;
    skipBlanks();
    if (rest.starts_with("#"))
      rest = rest.drop_until([](char c) { return c == '\n'; });
    return rest.empty() || rest.consume_front("\n") || rest.consume_front(";");
  }

  bool readInstruction() {
    while (rest.starts_with("{"))
      if (!readBraces())
        return false;
    llvm::StringRef mnemonic;
    do {
      skipBlanks();
      if (rest.empty() || !llvm::isAlpha(rest.front()))
        return false; // a prefix alone would be one of what stands behind the text
      mnemonic = takeWhile(isAlnum);
    } while (llvm::is_contained(prefixes, mnemonic.lower()));
    skipBlanks();
    if (rest.empty() || llvm::StringRef("#;\n").contains(rest.front()))
      return true;
    std::string lower = mnemonic.lower();
    bool jumps = lower[0] == 'j' || llvm::StringRef(lower).starts_with("loop");
    do
      if (!readOperand(jumps))
        return false;
    while (take(","));
    return true;
  }

  bool readOperand(bool jumps) {
    skipBlanks();
    if (jumps)
      return readTarget();
    bool isRead = rest.starts_with("$$") ? readImmediate() : readRegister() || readMemory();
    if (!isRead)
      return false;
    for (skipBlanks(); rest.starts_with("{"); skipBlanks())
      if (!readBraces())
        return false;
    return true;
  }

  bool readTarget() {
    size_t at = place();
    llvm::StringRef digits = takeWhile(isDigit);
    bool isBefore = rest.starts_with("b"), isBehind = rest.starts_with("f");
    if (digits.empty() || (!isBefore && !isBehind))
      return false;
    rest = rest.drop_front();
    jumps.push_back({at, digits, isBefore});
    return true;
  }

  bool readImmediate() { return rest.consume_front("$$") && readNumber(); }

  bool readNumber() {
    rest.consume_front("-") || rest.consume_front("~");
    if (rest.empty() || !llvm::isDigit(rest.front()))
      return false;
    llvm::StringRef digits = takeWhile(isAlnum), hex = digits;
    if (hex.consume_front_insensitive("0x"))
      return !hex.empty() && llvm::all_of(hex, llvm::isHexDigit);
    return llvm::all_of(digits, isDigit);
  }

  /// A register by its name, or one of the operands'.
  bool readRegister() {
    if (rest.consume_front("%")) {
      llvm::StringRef name = takeWhile(isAlnum);
      bool isStack = name == "st" && rest.size() > 2 && rest[0] == '(' && llvm::isDigit(rest[1]) &&
                     rest[2] == ')';
      rest = rest.drop_front(isStack ? 3 : 0);
      return !name.empty();
    }
    if (rest.starts_with("$$") || !rest.consume_front("$"))
      return false;
    bool isBraced = rest.consume_front("{");
    bool isKnown = !takeWhile(isDigit).empty();
    if (isBraced && rest.consume_front(":"))
      isKnown &= !takeWhile(isAlnum).empty();
    return isKnown && (!isBraced || rest.consume_front("}"));
  }

  bool readMemory() {
    if (!rest.starts_with("(") && !readNumber())
      return false;
    if (!take("("))
      return false;
    skipBlanks();
    bool hasBase = !rest.starts_with(",");
    if (hasBase && !readRegister())
      return false;
    if (take(",")) {
      skipBlanks();
      if (!readRegister() || (take(",") && (skipBlanks(), takeWhile(isDigit).empty())))
        return false;
    }
    return take(")");
  }

  /// "{%k1}", "{z}", "{rn-sae}"; before an instruction "{evex}".
  bool readBraces() {
    rest.consume_front("{");
    rest.consume_front("%");
    bool isWord = !takeWhile([](char c) { return llvm::isAlnum(c) || c == '-'; }).empty();
    bool isClosed = rest.consume_front("}");
    skipBlanks();
    return isWord && isClosed;
  }

  llvm::StringRef text, rest;
  std::vector<Label> labels;
  std::vector<Jump> jumps;
};

} // namespace

std::optional<std::string> mistakeInAssembly(llvm::StringRef text) {
  return AssemblyReader(text).mistake();
}

} // namespace nereid::backend::cpu
