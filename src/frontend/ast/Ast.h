// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The syntax tree of the Python subset that kernels are written in. Plain data: nodes own their
// children, know their source range, and say their kind; nothing here knows types or values.
#pragma once

#include "support/Source.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace llvm {
class raw_ostream;
}

namespace nereid {
struct Diagnostic;
}
namespace nereid::sema {
struct HostScope;
}

namespace nereid::ast {

enum class ExprKind {
#define EXPR(node) node,
#include "frontend/ast/nodes.def"
};

enum class StmtKind {
#define STMT(node) node,
#include "frontend/ast/nodes.def"
};

struct Expr {
  Expr(ExprKind kind, SourceRange range) : kind(kind), range(range) {}
  virtual ~Expr() = default;

  const ExprKind kind;
  SourceRange range;
  /// How many nodes deep the tree below is; the parser bounds it, so walkers may recurse.
  unsigned height = 1;
};

struct Stmt {
  Stmt(StmtKind kind, SourceRange range) : kind(kind), range(range) {}
  virtual ~Stmt() = default;

  const StmtKind kind;
  SourceRange range;
};

using ExprPtr = std::unique_ptr<Expr>;
using StmtPtr = std::unique_ptr<Stmt>;
using ExprList = std::vector<ExprPtr>;
using StmtList = std::vector<StmtPtr>;

/// Gives a node its kind and the `classof` that llvm::isa/cast/dyn_cast ask.
template <ExprKind nodeKind> struct ExprNode : Expr {
  explicit ExprNode(SourceRange range) : Expr(nodeKind, range) {}
  static bool classof(const Expr *expr) { return expr->kind == nodeKind; }
};
template <StmtKind nodeKind> struct StmtNode : Stmt {
  explicit StmtNode(SourceRange range) : Stmt(nodeKind, range) {}
  static bool classof(const Stmt *stmt) { return stmt->kind == nodeKind; }
};

enum class UnaryOp { Plus, Minus, Not, Invert };
enum class BinaryOp { Add, Sub, Mul, Div, FloorDiv, Mod, Pow, Shl, Shr, And, Or, Xor, MatMul };
enum class BoolOp { And, Or };
enum class CompareOp { Eq, Ne, Lt, Le, Gt, Ge, Is, IsNot, In, NotIn };

/// The operator as written: "+", "//", "is not".
std::string_view spelling(UnaryOp op);
std::string_view spelling(BinaryOp op);
std::string_view spelling(BoolOp op);
std::string_view spelling(CompareOp op);

struct Name : ExprNode<ExprKind::Name> {
  using ExprNode::ExprNode;
  std::string name;
};

/// None, True, False, a number or a string.
struct Constant : ExprNode<ExprKind::Constant> {
  using ExprNode::ExprNode;
  enum class Kind {
    None,
    Bool,
    Int,
    Float,
    Imaginary,
    String,
    Bytes,
    Ellipsis
  } valueKind = Kind::None;
  /// The value of True (1), False (0) or an integer literal, which may exceed 64 bits signed.
  unsigned __int128 intValue = 0;
  double floatValue = 0;   // of an imaginary number, what stands before the j
  std::string stringValue; // escapes resolved
};

/// f"...": literal pieces and formatted expressions in order.
struct FString : ExprNode<ExprKind::FString> {
  using ExprNode::ExprNode;
  struct Piece {
    std::string literal;   // text before the expression
    ExprPtr value;         // null in the last piece, which is only text
    char conversion = 's'; // 'r' or 'a' after '!', and 'r' of {value=}
    std::string format;    // what stands after ':'
  };
  std::vector<Piece> pieces;
};

struct Tuple : ExprNode<ExprKind::Tuple> {
  using ExprNode::ExprNode;
  ExprList elements;
};
struct List : ExprNode<ExprKind::List> {
  using ExprNode::ExprNode;
  ExprList elements;
};

/// {key: value, ...}, or the set {key, ...}, which has no values
struct Dictionary : ExprNode<ExprKind::Dictionary> {
  using ExprNode::ExprNode;
  ExprList keys, values;
  bool isSet = false;
};

/// [element for target in iterable if condition ...], and the same without brackets in a call
struct ListComprehension : ExprNode<ExprKind::ListComprehension> {
  using ExprNode::ExprNode;
  ExprPtr element, target, iterable;
  ExprList conditions;
};

struct Attribute : ExprNode<ExprKind::Attribute> {
  using ExprNode::ExprNode;
  ExprPtr object;
  std::string name;
  SourceRange nameRange;
};

/// object[index]; several indices make a Tuple.
struct Subscript : ExprNode<ExprKind::Subscript> {
  using ExprNode::ExprNode;
  ExprPtr object, index;
};

/// lower:upper:step inside a subscript; each part may be null.
struct Slice : ExprNode<ExprKind::Slice> {
  using ExprNode::ExprNode;
  ExprPtr lower, upper, step;
};

struct Argument {
  std::string name; // empty if positional
  SourceRange nameRange;
  ExprPtr value;
  bool isStarred = false; // *value
};

struct Call : ExprNode<ExprKind::Call> {
  using ExprNode::ExprNode;
  ExprPtr callee;
  std::vector<Argument> arguments;
};

struct Unary : ExprNode<ExprKind::Unary> {
  using ExprNode::ExprNode;
  UnaryOp op = UnaryOp::Plus;
  ExprPtr operand;
};
/// a + b - c: one node for operators of one precedence, which apply from the left. A long sum is
/// flat, and so is whatever walks over it.
struct Binary : ExprNode<ExprKind::Binary> {
  using ExprNode::ExprNode;
  struct Step {
    BinaryOp op;
    SourceRange opRange;
    ExprPtr operand;
    SourceRange range; // from the first operand of all to this one
  };
  ExprPtr first;
  std::vector<Step> steps;
};
/// a and b and c: one node with all operands.
struct Bool : ExprNode<ExprKind::Bool> {
  using ExprNode::ExprNode;
  BoolOp op = BoolOp::And;
  ExprList operands;
};
/// a < b <= c: operands[0] ops[0] operands[1] ops[1] operands[2].
struct Compare : ExprNode<ExprKind::Compare> {
  using ExprNode::ExprNode;
  ExprList operands;
  std::vector<CompareOp> ops;
};
/// thenValue if condition else elseValue
struct Conditional : ExprNode<ExprKind::Conditional> {
  using ExprNode::ExprNode;
  ExprPtr condition, thenValue, elseValue;
};
/// (name := value)
struct NamedExpr : ExprNode<ExprKind::NamedExpr> {
  using ExprNode::ExprNode;
  std::string name;
  ExprPtr value;
};

/// a = b = value: targets are Name, Tuple, List, Attribute or Subscript.
struct Assign : StmtNode<StmtKind::Assign> {
  using StmtNode::StmtNode;
  ExprList targets;
  ExprPtr value;
};
struct AugAssign : StmtNode<StmtKind::AugAssign> {
  using StmtNode::StmtNode;
  ExprPtr target;
  BinaryOp op = BinaryOp::Add;
  SourceRange opRange;
  ExprPtr value;
};
/// target: annotation = value, where value may be null.
struct AnnAssign : StmtNode<StmtKind::AnnAssign> {
  using StmtNode::StmtNode;
  ExprPtr target, annotation, value;
};
struct ExprStmt : StmtNode<StmtKind::ExprStmt> {
  using StmtNode::StmtNode;
  ExprPtr value;
};
/// if and every elif are arms of one node.
struct If : StmtNode<StmtKind::If> {
  using StmtNode::StmtNode;
  struct Arm {
    ExprPtr condition;
    StmtList body;
  };
  std::vector<Arm> arms;
  StmtList elseBody;
};
struct For : StmtNode<StmtKind::For> {
  using StmtNode::StmtNode;
  ExprPtr target, iterable;
  StmtList body;
};
struct While : StmtNode<StmtKind::While> {
  using StmtNode::StmtNode;
  ExprPtr condition;
  StmtList body;
};
struct Return : StmtNode<StmtKind::Return> {
  using StmtNode::StmtNode;
  ExprPtr value; // may be null
};
struct Break : StmtNode<StmtKind::Break> {
  using StmtNode::StmtNode;
};
struct Continue : StmtNode<StmtKind::Continue> {
  using StmtNode::StmtNode;
};
struct Pass : StmtNode<StmtKind::Pass> {
  using StmtNode::StmtNode;
};
struct Assert : StmtNode<StmtKind::Assert> {
  using StmtNode::StmtNode;
  ExprPtr condition, message; // message may be null
};
struct Raise : StmtNode<StmtKind::Raise> {
  using StmtNode::StmtNode;
  ExprPtr value; // may be null
};

struct Parameter {
  std::string name;
  SourceRange range;
  ExprPtr annotation, defaultValue; // each may be null
  bool isVariadic = false;          // *args
  bool isKeywordOnly = false;       // after `*` or `*args`
  /// @triton.jit(do_not_specialize=[...]): an argument of 1 is an integer like others.
  bool isSpecialized = true;
  /// do_not_specialize_on_alignment, too: multiples of 16 are.
  bool knowsAlignment = true;
};

/// A function decorated with @triton.jit, with @triton.constexpr_function or @tl.constexpr, or with
/// @core.extern or @core.builtin.
struct Function {
  std::string name;
  SourceRange range, nameRange;
  std::vector<Parameter> parameters;
  StmtList body;
  std::string docstring;
  /// Of the second kind: it computes constants while kernels are compiled.
  bool isConstexpr = false;
  /// Of the third kind: part of a library that kernels call. It is compiled as they are, launched
  /// by nobody, and hands on what upstream's compiler would give it (_semantic).
  bool isExtern = false;
  /// Whether it can be launched.
  bool isKernel() const { return !isConstexpr && !isExtern; }
  /// @triton.jit(floor_division=True): `//` and `%` of integers are Python's.
  bool floorsDivision = false;
  /// @cuda.jit: it says what one thread does, in Numba's terms.
  bool isOfThreads = false;
  /// @triton.must_use_result(reason): a call is no statement by itself. The reason may be empty.
  std::optional<std::string> resultMatters;
  /// Why the text cannot be read; nothing below its name is known then. It concerns only those who
  /// use the function.
  std::shared_ptr<const Diagnostic> mistake;
};

/// A function inside of a function, in kernels of threads.
struct Definition : StmtNode<StmtKind::Definition> {
  using StmtNode::StmtNode;
  std::unique_ptr<Function> function;
};

/// A class of tuples with names (NamedTuple, aggregate), or one of enum, whose fields are members.
struct Record {
  struct Field {
    std::string name;
    ExprPtr defaultValue; // may be null
  };
  std::string name;
  /// The classes whose fields and methods it has too, as far as they are plain names.
  std::vector<std::string> bases;
  std::vector<Field> fields;
  std::vector<std::unique_ptr<Function>> methods;

  /// Null if it has none of that name.
  const Function *method(std::string_view name) const;
};

struct Choice;

/// Where a statement stands: in an arm of an `if` or `try` outside functions, or in none.
struct Place {
  const Choice *choice = nullptr;
  unsigned arm = 0;

  /// Whether everything that stands at `inner` stands here too.
  bool encloses(Place inner) const;
};

/// An `if` or `try` outside functions: which of its arms runs decides what the module defines.
struct Choice {
  enum class Kind { If, Try } kind;
  SourceRange range; // its keyword
  Place place;       // where it stands itself
  /// Of an `if`: one for each arm but the `else`, null where it is not read. The arms of a `try`
  /// are its body, with what follows in `else`, and then each `except`.
  ExprList conditions;
  /// Of a `try`: the body holds statements that are not read, and might raise.
  bool holdsUnread = false;
};

/// `import a.b`, `import a.b as c`, `from a.b import c as d`, `from a import *`.
struct Import {
  std::string module; // "a.b", or "..a.b" with its leading points
  std::string member; // of a `from`; "*" for all
  bool hasAlias = false;

  /// What the bound name stands for: `import a.b` binds a, and `from a import b` binds a.b.
  std::string path() const;
};

/// A statement that gives a name of a module its meaning.
struct Binding {
  /// One of the elements that a tuple must have to be assigned to so many names.
  struct Element {
    size_t index, count;
  };
  enum class Kind {
    Function,  // a @triton.jit function
    Constant,  // NAME = value, also as part of an assignment to several
    Import,    // of one name; "*" if it is of all
    Record,    // a class of tuples with names, or of enum
    Skipped,   // an ordinary def or class: known, so that a call of one is explained
    Parameter, // of the function whose body this is: what its callers say
    Unread,    // bound in a way that is not read: by a loop, a `with`, a value of another kind ...
  } kind;
  std::string name;
  SourceRange range;
  Place place = {};
  std::unique_ptr<Function> function = {};
  ExprPtr annotation = {};                // of a constant; may be null
  std::shared_ptr<const Expr> value = {}; // of a constant; names assigned together share it
  /// Of a constant: which part of the value it is, from the outside in.
  std::vector<Element> path = {};
  Import import = {};
  std::unique_ptr<ast::Record> record = {};
};

struct Module;

struct ModuleContents {
  const SourceFile *file = nullptr;
  std::vector<Binding> bindings;
  std::vector<std::unique_ptr<const Choice>> choices;
  /// Of a function that a running host gave: what its names stand for. Null for a file.
  std::shared_ptr<const sema::HostScope> host = {};
  /// The bodies of ordinary functions that hold kernels.
  std::vector<std::unique_ptr<Module>> locals = {};
  /// Of such a body: where a name leads that it does not bind, and the function's name, "f" or
  /// "Class.f".
  const Module *outer = nullptr;
  std::string holder = {};
};

/// One file, or the body of a function in one: what a kernel in it may name, in the order of the
/// file, which decides what a name stands for.
struct Module : ModuleContents {
  Module() = default;
  Module(Module &&other) noexcept : ModuleContents(std::move(other)) { adoptLocals(); }
  Module &operator=(Module &&other) noexcept;

  /// The names of its @triton.jit functions, each once.
  std::vector<std::string> functionNames() const;
  /// Those inside of other functions, as `holder.name`.
  std::vector<std::string> localFunctionNames() const;
  /// Where the function stands: here, or in a body inside.
  const Module &moduleOf(const Function &function) const;
  /// The last function of that name; null if there is none.
  const Function *function(std::string_view name) const;
  /// Whether something of that kind has the name.
  bool binds(std::string_view name, Binding::Kind kind) const;

private:
  void adoptLocals();
  const Module *find(const Function &function) const;
};

/// An indented listing of the tree, one node a line (`--dump=ast`).
void print(const Module &module, llvm::raw_ostream &out);
void print(const Function &function, llvm::raw_ostream &out);
/// One line, as Python would write it, fully parenthesised.
void print(const Expr &expr, llvm::raw_ostream &out);

} // namespace nereid::ast
