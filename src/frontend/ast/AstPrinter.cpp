// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/ast/Ast.h"
#include "support/Check.h"

#include "llvm/ADT/APInt.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Casting.h"
#include "llvm/Support/raw_ostream.h"

#include <charconv>
#include <cmath>

namespace nereid::ast {
namespace {

void printFloat(double value, llvm::raw_ostream &out) {
  if (std::isinf(value)) {
    out << "1e999";
    return;
  }
  char digits[32];
  auto [end, error] = std::to_chars(digits, digits + sizeof(digits), value);
  NEREID_CHECK(error == std::errc(), "the shortest form of a double fits 32 characters");
  std::string_view text(digits, end - digits);
  out << text << (text.find_first_of(".e") == std::string_view::npos ? ".0" : "");
}

/// Escapes as Python does; `quote` is the quote that `text` will stand between.
void printEscaped(std::string_view text, char quote, llvm::raw_ostream &out) {
  for (char c : text) {
    if (c == '\n')
      out << "\\n";
    else if (c == '\\' || c == quote)
      out << '\\' << c;
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      out << "\\x" << llvm::hexdigit(c >> 4, true) << llvm::hexdigit(c & 15, true);
    else
      out << c;
  }
}

class Printer {
public:
  explicit Printer(llvm::raw_ostream &out) : out(out) {}

  void print(Place place);
  void print(const Binding &binding);
  void print(const Module &module);
  void print(const Function &function);
  void print(const Expr &expr) {
    switch (expr.kind) {
#define EXPR(node)                                                                                 \
  case ExprKind::node:                                                                             \
    return printNode(llvm::cast<node>(expr));
#include "frontend/ast/nodes.def"
    }
  }

private:
#define EXPR(node) void printNode(const node &);
#define STMT(node) void printNode(const node &);
#include "frontend/ast/nodes.def"

  void print(const Stmt &stmt) {
    switch (stmt.kind) {
#define STMT(node)                                                                                 \
  case StmtKind::node:                                                                             \
    return printNode(llvm::cast<node>(stmt));
#include "frontend/ast/nodes.def"
    }
  }

  void print(const Parameter &parameter);
  void print(const Argument &argument);
  void printOptional(std::string_view before, const ExprPtr &expr) {
    if (!expr)
      return;
    out << before;
    print(*expr);
  }
  void printList(const ExprList &elements) {
    for (size_t i = 0; i < elements.size(); ++i) {
      out << (i ? ", " : "");
      print(*elements[i]);
    }
  }
  llvm::raw_ostream &line() { return out.indent(2 * depth); }
  void printBlock(const StmtList &body) {
    ++depth;
    for (const StmtPtr &stmt : body)
      print(*stmt);
    --depth;
  }
  void printElse(const StmtList &body) {
    if (body.empty())
      return;
    line() << "else\n";
    printBlock(body);
  }

  llvm::raw_ostream &out;
  unsigned depth = 0;
};

void Printer::printNode(const Name &expr) { out << expr.name; }

void Printer::printNode(const Constant &expr) {
  switch (expr.valueKind) {
  case Constant::Kind::None:
    out << "None";
    break;
  case Constant::Kind::Bool:
    out << (expr.intValue ? "True" : "False");
    break;
  case Constant::Kind::Int: {
    uint64_t words[] = {static_cast<uint64_t>(expr.intValue),
                        static_cast<uint64_t>(expr.intValue >> 64)};
    llvm::APInt(128, words).print(out, /*isSigned=*/false);
    break;
  }
  case Constant::Kind::Float:
    printFloat(expr.floatValue, out);
    break;
  case Constant::Kind::Imaginary:
    printFloat(expr.floatValue, out);
    out << 'j';
    break;
  case Constant::Kind::Bytes:
    out << 'b';
    [[fallthrough]];
  case Constant::Kind::String:
    out << '"';
    printEscaped(expr.stringValue, '"', out);
    out << '"';
    break;
  case Constant::Kind::Ellipsis:
    out << "...";
    break;
  }
}

void Printer::printNode(const FString &expr) {
  out << "f\"";
  for (const FString::Piece &piece : expr.pieces) {
    for (char c : piece.literal) {
      if (c == '{' || c == '}')
        out << c;
      printEscaped({&c, 1}, '"', out);
    }
    if (!piece.value)
      continue;
    out << '{';
    print(*piece.value);
    if (piece.conversion != 's')
      out << '!' << piece.conversion;
    out << (piece.format.empty() ? "" : ":") << piece.format << '}';
  }
  out << '"';
}

void Printer::printNode(const Tuple &expr) {
  out << '(';
  printList(expr.elements);
  out << (expr.elements.size() == 1 ? ",)" : ")");
}

void Printer::printNode(const List &expr) {
  out << '[';
  printList(expr.elements);
  out << ']';
}

void Printer::printNode(const Dictionary &expr) {
  out << '{';
  for (size_t i = 0; i < expr.keys.size(); ++i) {
    out << (i ? ", " : "");
    print(*expr.keys[i]);
    if (!expr.isSet)
      printOptional(": ", expr.values[i]);
  }
  out << '}';
}

void Printer::printNode(const ListComprehension &expr) {
  out << '[';
  print(*expr.element);
  printOptional(" for ", expr.target);
  printOptional(" in ", expr.iterable);
  for (const ExprPtr &condition : expr.conditions)
    printOptional(" if ", condition);
  out << ']';
}

void Printer::printNode(const Attribute &expr) {
  // A number's point would swallow the attribute's.
  bool isNumber = llvm::isa<Constant>(*expr.object);
  out << (isNumber ? "(" : "");
  print(*expr.object);
  out << (isNumber ? ")." : ".") << expr.name;
}

void Printer::printNode(const Subscript &expr) {
  print(*expr.object);
  out << '[';
  // A parenthesised slice would not be Python.
  if (const auto *indices = llvm::dyn_cast<Tuple>(expr.index.get());
      indices && !indices->elements.empty()) {
    printList(indices->elements);
    out << (indices->elements.size() == 1 ? "," : "");
  } else {
    print(*expr.index);
  }
  out << ']';
}

void Printer::printNode(const Slice &expr) {
  printOptional("", expr.lower);
  out << ':';
  printOptional("", expr.upper);
  printOptional(":", expr.step);
}

void Printer::printNode(const Call &expr) {
  print(*expr.callee);
  out << '(';
  for (size_t i = 0; i < expr.arguments.size(); ++i) {
    out << (i ? ", " : "");
    print(expr.arguments[i]);
  }
  out << ')';
}

void Printer::print(const Argument &argument) {
  if (!argument.name.empty())
    out << argument.name << '=';
  out << (argument.isStarred ? "*" : "");
  print(*argument.value);
}

void Printer::printNode(const Unary &expr) {
  out << '(' << spelling(expr.op) << (expr.op == UnaryOp::Not ? " " : "");
  print(*expr.operand);
  out << ')';
}

void Printer::printNode(const Binary &expr) {
  out << '(';
  print(*expr.first);
  for (const Binary::Step &step : expr.steps) {
    out << ' ' << spelling(step.op) << ' ';
    print(*step.operand);
  }
  out << ')';
}

void Printer::printNode(const Bool &expr) {
  out << '(';
  print(*expr.operands.front());
  for (size_t i = 1; i < expr.operands.size(); ++i) {
    out << ' ' << spelling(expr.op) << ' ';
    print(*expr.operands[i]);
  }
  out << ')';
}

void Printer::printNode(const Compare &expr) {
  out << '(';
  print(*expr.operands.front());
  for (size_t i = 0; i < expr.ops.size(); ++i) {
    out << ' ' << spelling(expr.ops[i]) << ' ';
    print(*expr.operands[i + 1]);
  }
  out << ')';
}

void Printer::printNode(const Conditional &expr) {
  out << '(';
  print(*expr.thenValue);
  printOptional(" if ", expr.condition);
  printOptional(" else ", expr.elseValue);
  out << ')';
}

void Printer::printNode(const NamedExpr &expr) {
  out << '(' << expr.name << " := ";
  print(*expr.value);
  out << ')';
}

void Printer::printNode(const Assign &stmt) {
  line();
  for (const ExprPtr &target : stmt.targets) {
    print(*target);
    out << " = ";
  }
  print(*stmt.value);
  out << '\n';
}

void Printer::printNode(const AugAssign &stmt) {
  line();
  print(*stmt.target);
  out << ' ' << spelling(stmt.op) << "= ";
  print(*stmt.value);
  out << '\n';
}

void Printer::printNode(const AnnAssign &stmt) {
  line();
  print(*stmt.target);
  printOptional(": ", stmt.annotation);
  printOptional(" = ", stmt.value);
  out << '\n';
}

void Printer::printNode(const ExprStmt &stmt) {
  line();
  print(*stmt.value);
  out << '\n';
}

void Printer::printNode(const If &stmt) {
  for (const If::Arm &arm : stmt.arms) {
    line();
    printOptional(&arm == &stmt.arms.front() ? "if " : "elif ", arm.condition);
    out << '\n';
    printBlock(arm.body);
  }
  printElse(stmt.elseBody);
}

void Printer::printNode(const For &stmt) {
  line();
  printOptional("for ", stmt.target);
  printOptional(" in ", stmt.iterable);
  out << '\n';
  printBlock(stmt.body);
}

void Printer::printNode(const While &stmt) {
  line();
  printOptional("while ", stmt.condition);
  out << '\n';
  printBlock(stmt.body);
}

void Printer::printNode(const Return &stmt) {
  line() << "return";
  printOptional(" ", stmt.value);
  out << '\n';
}

void Printer::printNode(const Break &) { line() << "break\n"; }
void Printer::printNode(const Continue &) { line() << "continue\n"; }
void Printer::printNode(const Pass &) { line() << "pass\n"; }

void Printer::printNode(const Assert &stmt) {
  line();
  printOptional("assert ", stmt.condition);
  printOptional(", ", stmt.message);
  out << '\n';
}

void Printer::printNode(const Raise &stmt) {
  line() << "raise";
  printOptional(" ", stmt.value);
  out << '\n';
}

void Printer::printNode(const Definition &stmt) { print(*stmt.function); }

void Printer::print(const Parameter &parameter) {
  out << (parameter.isVariadic ? "*" : "") << parameter.name;
  printOptional(": ", parameter.annotation);
  printOptional(" = ", parameter.defaultValue);
}

void Printer::print(const Function &function) {
  line() << (function.isConstexpr ? "constexpr "
             : function.isExtern  ? "extern "
                                  : "")
         << "function " << function.name << '(';
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    const Parameter &parameter = function.parameters[i];
    bool needsStar =
        parameter.isKeywordOnly && (i == 0 || !(function.parameters[i - 1].isKeywordOnly ||
                                                function.parameters[i - 1].isVariadic));
    out << (i ? ", " : "") << (needsStar ? "*, " : "");
    print(parameter);
  }
  out << ")\n";
  if (!function.docstring.empty()) {
    line() << "  docstring \"";
    printEscaped(function.docstring, '"', out);
    out << "\"\n";
  }
  printBlock(function.body);
}

/// The conditions under which a binding counts, from the outside in: "if a: try: ".
void Printer::print(Place place) {
  const Choice *choice = place.choice;
  if (!choice)
    return;
  print(choice->place);
  bool hasCondition = place.arm < choice->conditions.size();
  if (choice->kind == Choice::Kind::Try)
    out << (place.arm == 0 ? "try" : "except");
  else
    out << (place.arm == 0 ? "if" : hasCondition ? "elif" : "else");
  if (hasCondition && !choice->conditions[place.arm])
    out << " ...";
  else if (hasCondition)
    printOptional(" ", choice->conditions[place.arm]);
  out << ": ";
}

void Printer::print(const Binding &binding) {
  print(binding.place);
  switch (binding.kind) {
  case Binding::Kind::Function:
    return print(*binding.function);
  case Binding::Kind::Constant:
    out << "constant " << binding.name;
    printOptional(": ", binding.annotation);
    out << " = ";
    print(*binding.value);
    for (auto [index, count] : binding.path)
      out << " element " << index << " of " << count;
    break;
  case Binding::Kind::Import:
    out << "import " << binding.name << " = " << binding.import.path();
    break;
  case Binding::Kind::Record:
    out << "record " << binding.name;
    for (const Record::Field &field : binding.record->fields) {
      out << ' ' << field.name;
      printOptional(" = ", field.defaultValue);
    }
    break;
  case Binding::Kind::Skipped:
    out << "skipped " << binding.name;
    break;
  case Binding::Kind::Parameter:
    out << "parameter " << binding.name;
    break;
  case Binding::Kind::Unread:
    out << "unread " << binding.name;
    break;
  }
  out << '\n';
}

void Printer::print(const Module &module) {
  for (const Binding &binding : module.bindings)
    print(binding);
}

} // namespace

void print(const Module &module, llvm::raw_ostream &out) { Printer(out).print(module); }
void print(const Function &function, llvm::raw_ostream &out) { Printer(out).print(function); }
void print(const Expr &expr, llvm::raw_ostream &out) { Printer(out).print(expr); }

} // namespace nereid::ast
