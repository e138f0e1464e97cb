// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The evaluator that traces a kernel: constants are computed, everything else becomes operations.
// Its members are spread over the files named beside them.
#pragma once

#include "frontend/emit/names/Frame.h"
#include "frontend/emit/tiles/TileBuilder.h"
#include "frontend/names/Language.h"
#include "frontend/names/Names.h"
#include "frontend/sema/Environment.h"
#include "frontend/sema/Specialization.h"

#include "dialect/tile/Kernel.h"
#include "dialect/tile/Tile.h"
#include "support/Check.h"
#include "support/Diagnostics.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseSet.h"

#include <map>
#include <set>

namespace nereid::emit {

class Arguments;

namespace threads {
struct Recursion;
/// By function and the types of its arguments' numbers (threads/Recursion.h).
using Recursions = std::map<std::pair<const ast::Function *, std::vector<DType>>, Recursion>;
} // namespace threads

/// What follows a list of statements inside the same function or loop body.
struct Continuation {
  llvm::ArrayRef<ast::StmtPtr> statements;
  const Continuation *next = nullptr;
};

class Emitter final : public TileBuilder, names::Evaluator {
public:
  /// `context` may be null if only what stands outside kernels is evaluated.
  Emitter(mlir::MLIRContext *context, const sema::Environment &environment,
          llvm::raw_ostream *types);

  /// EmitOptions::keepsVariables; not in functions of elements, which have no lines of their own.
  bool keepsVariables = false;

  // EmitTile.cpp
  mlir::OwningOpRef<mlir::ModuleOp> run(const ast::Module &module, const ast::Function &function,
                                        const sema::Specialization &specialization);
  mlir::func::FuncOp kernelUnderWay() const { return kernel; }
  /// A block's memory whose size the launch says, from the beginning, whatever its elements.
  Tensor dynamicMemory(DType element, SourceRange range);

  /// Bounds how deep this evaluator calls itself, so that no text exhausts the stack.
  class DepthGuard {
  public:
    DepthGuard(Emitter &emitter, SourceRange range);
    ~DepthGuard() { --emitter.evaluationDepth; }

  private:
    Emitter &emitter;
  };

  // Names.cpp
  Value lookUp(const ast::Name &name);
  Value evaluateAttribute(const ast::Attribute &expr);
  Value attribute(const Value &object, const std::string &name, SourceRange range);
  Value moduleAttribute(const ModuleReference &module, const std::string &name, SourceRange range);
  Value partOf(const ModuleReference &module, const std::string &name, SourceRange range);
  std::optional<Value> builtinOf(std::string_view module, const std::string &name);
  /// What is meant as a value: what the library writes is a function of its own.
  Value valueOf(const names::Meaning &meaning);

  // Globals.cpp
  /// What a module gives a name, as it stands at the offset `before`; nothing if it does not bind
  /// it.
  std::optional<Value> globalValue(const ast::Module &module, const std::string &name,
                                   uint32_t before, SourceRange use);
  /// The value that the caller of the compiler gives for a name or an expression.
  std::optional<Value> definition(const std::string &text);
  std::optional<Value> definition(const ast::Expr &expr);

  // Hosted.cpp
  /// What a running host says of a name of its text, or of a parameter's default.
  std::optional<Value> hostedValue(const ast::Module &module, const std::string &name,
                                   SourceRange use);
  std::optional<Value> hostedDefault(const ast::Module &module, const std::string &parameter,
                                     SourceRange use);
  Value valueOf(const sema::HostValue &given, SourceRange use);
  Value hostedAttribute(const sema::HostNamespace &space, const std::string &name,
                        SourceRange range);
  std::shared_ptr<const RecordType> recordType(const std::shared_ptr<const sema::HostRecord> &host);

  // Imports.cpp
  /// A part of the language by its path: "triton.language.load".
  Value tritonValue(llvm::StringRef path, SourceRange range);
  Value importedValue(const ast::Module &module, const ast::Binding &binding,
                      const std::string &name, SourceRange use);
  std::optional<names::Foreign> foreignName(const ast::Name &name);
  [[noreturn]] void failForeign(const std::string &path, const std::string &module,
                                SourceRange range, std::vector<DiagnosticNote> notes = {});
  /// What is known of Python's own modules: "math.pi", "os.environ".
  std::optional<Value> hostValue(const std::string &path);
  Value callHost(const sema::HostFunction &function, llvm::ArrayRef<Value> arguments,
                 SourceRange range);
  /// An environment variable, or what stands for one that is not set; nothing makes that a mistake.
  Value environmentVariable(const Value &name, const std::optional<Value> &otherwise,
                            SourceRange range);

  // Expressions.cpp
  Value evaluate(const ast::Expr &expr);
  Value evaluateKind(const ast::Expr &expr);
  Value evaluateFString(const ast::FString &expr);
  Value evaluateBinary(const ast::Binary &chain);
  Value evaluateBool(const ast::Bool &expr);
  Value evaluateCompare(const ast::Compare &expr);
  Value evaluateComprehension(const ast::ListComprehension &expr);
  Value evaluateDictionary(const ast::Dictionary &expr);
  Value evaluateElements(const ast::ExprList &elements, SourceRange range);
  /// Tuples are copied with all they hold, so their size, nested ones included, has a limit.
  Value checkedTuple(Tuple tuple, SourceRange range);
  void checkTupleSize(size_t size, SourceRange range);
  Value evaluateSubscript(const ast::Subscript &expr);
  Value evaluateSlice(const ast::Slice &expr);
  /// A constexpr, or a run-time condition as an i1.
  std::variant<bool, mlir::Value> condition(const Value &value, SourceRange range);
  /// The condition as a constexpr; anything else is refused, naming `what`.
  bool constantCondition(const Value &value, std::string_view what, SourceRange range);

  // Elements.cpp
  Value subscript(const Value &object, const Value &index, SourceRange range);
  /// `tile[i]`, `tile[:, j]`, `tile[None, a:b]`: each index is a scalar, None or a slice.
  Tensor element(const Tensor &tile, llvm::ArrayRef<Value> indices, SourceRange range);
  /// `name[index] = value` and, with an operator, `name[index] op= value`: the name stands for a
  /// new tile.
  void assignElement(const ast::Subscript &target, const Value &value,
                     std::optional<ast::BinaryOp> op, const ast::Expr &valueExpr);

  // Operators.cpp
  Value unary(ast::UnaryOp op, const Value &operand, SourceRange range);
  Value binary(ast::BinaryOp op, const Value &lhs, const Value &rhs, SourceRange range);
  Value compare(ast::CompareOp op, const Value &lhs, const Value &rhs, SourceRange range);
  Value logical(ast::BoolOp op, const Value &lhs, const Value &rhs, SourceRange range);
  Value logicalNot(const Value &operand, SourceRange range);

  // Calls.cpp
  Value evaluateCall(const ast::Call &call);
  struct CallArgument {
    std::string name; // empty if positional
    Value value;
    SourceRange range;
    SourceRange nameRange = {};
    /// In the library, the parameter of the function that the author called which this hands on.
    std::string origin = {};
  };
  CallArgument evaluateArgument(const ast::Argument &argument);
  Value call(const Value &callee, std::vector<CallArgument> arguments, SourceRange range);
  Value callConstant(const ConstantMethod &method, std::vector<CallArgument> arguments,
                     SourceRange range);
  /// 2j and `...`, in kernels of threads; nothing for all else.
  std::optional<Value> literalOfThreads(const ast::Constant &literal);
  Value callJit(const JitFunction &function, std::vector<CallArgument> arguments,
                SourceRange range);
  Value callBuiltin(const sema::Builtin &builtin, std::vector<CallArgument> arguments,
                    SourceRange range);
  Value callOutside(const Value &callee, const std::vector<CallArgument> &arguments,
                    SourceRange range);
  /// Hosted.cpp: has the host run one of its own functions.
  Value callHosted(const std::shared_ptr<const sema::HostCall> &callee,
                   const std::vector<CallArgument> &arguments, SourceRange range);
  Value callType(const sema::ScalarType &type, const std::vector<CallArgument> &arguments,
                 SourceRange range);
  // DeviceCalls.cpp
  Value callDevice(const sema::DeviceFunction &function, std::vector<CallArgument> arguments,
                   SourceRange range);
  Value defaultValue(const ast::Module &module, const ast::Function &function,
                     const ast::Parameter &parameter);
  Value traceBody(const ast::Function &function, Frame &frame);
  /// An argument that is no constant, of a function that Python would run.
  struct RuntimeArgument {
    Value value;
    Diagnostic mistake;
  };
  Value traceWithRuntime(const ast::Function &function, Frame &inner, const RuntimeArgument &given);

  // Records.cpp
  Value makeRecord(const std::shared_ptr<const RecordType> &type, std::vector<CallArgument> given,
                   SourceRange range);
  std::optional<Value> recordAttribute(const Tuple &tuple, const std::string &name,
                                       SourceRange range);
  bool assignField(const ast::Attribute &target, const Value &value);
  Tuple *self();
  /// `super().name` in a method: what the classes after its own have; nothing if it is not that.
  std::optional<Value> superMethod(const ast::Attribute &expr);
  /// In an `__init__`, the fields that another class's, called as `callee`, gave the object.
  bool takeFields(const ast::Expr &callee, const Value &made);

  // Retrace.cpp
  /// Passes a statement that holds a mistake: what it assigns is not known from here on.
  Flow goRound(const ast::Stmt &stmt);
  /// Ends a trace at what is missing because of a mistake that was reported.
  [[noreturn]] void failAsConsequence(SourceRange range);

  /// Counters of loops that begin at zero or above and go up, in kernels of threads: indices that
  /// do not count from the end of an array.
  llvm::DenseSet<mlir::Value> risingCounters;
  /// Of kernels of threads, by loop: the names that its turns assign and that are read behind it.
  using NamesAfterLoops = std::map<const ast::Stmt *, std::set<std::string>>;
  NamesAfterLoops *namesAfterLoops = nullptr;
  /// Ends a trace that came to such a name: the kernel is traced anew, and the loop carries it.
  struct IsReadAfterLoop {};
  /// Functions of kernels of threads that the run calls from within themselves.
  threads::Recursions *recursions = nullptr;

  /// A loop whose variable has another type after a turn than before, in a kernel of threads: the
  /// loop is made anew, with the type that is right for both from the start (Carried.cpp).
  struct WidensVariable {
    std::string name;
    DType type;
    bool isComplex = false; // `type` is that of its parts
  };

  // Statements.cpp
  Flow run(llvm::ArrayRef<ast::StmtPtr> statements, const Continuation *next = nullptr);
  /// Runs the statement, and what follows it where that belongs to branches of it, which `ranRest`
  /// tells.
  Flow runFirst(const ast::Stmt &stmt, const Continuation &rest, bool &ranRest);
  Flow runStatement(const ast::Stmt &stmt);
  void assign(const ast::Expr &target, const Value &value);
  void assignArrayField(const ast::Attribute &target, const Value &value,
                        std::optional<ast::BinaryOp> op);
  void assignName(const std::string &name, const Value &value, SourceRange range);
  void assignConstexpr(const std::string &name, const Value &value, SourceRange range);
  void annotatedAssign(const ast::AnnAssign &stmt);
  void augmentedAssign(const ast::AugAssign &stmt);
  void runExpression(const ast::Expr &expr);
  void checkAssertion(const ast::Assert &stmt);
  [[noreturn]] void failRaised(const ast::Raise &stmt);
  void emitAssert(const Value &condition, const std::string &message, SourceRange range);
  /// One that is known to fail fails where it is run: a kernel may never come there.
  void emitReachedAssert(const Value &condition, const std::string &message, SourceRange range);
  void listType(const std::string &name, const Value &value, SourceRange range);

  // Exits.cpp
  Flow leave(const ast::Stmt &stmt);
  /// Runs `body` on the paths that have not left yet, which must be some.
  Flow runOnOpenPaths(SourceRange range, llvm::function_ref<Flow()> body);
  /// Ends a turn of a loop, which some paths may have left: those that go on with the next turn
  /// come together. Gives how the others left: Next if there are none.
  Flow endTurn(Flow flow, SourceRange range);
  /// Whether some of the exits of the scope that are named have been taken.
  Value hasLeft(llvm::ArrayRef<Flow> ways, SourceRange range);

  // MergeBranches.cpp
  /// One arm of a run-time branch, traced into a block of its own, and what it leaves behind.
  struct Branch {
    std::unique_ptr<mlir::Region> region;
    Scope scope;
    Flow flow = Flow::Next;
  };
  /// Traces into a block of its own, from the scope as it is, which stays.
  Branch traceBranch(llvm::function_ref<Flow()> body);
  /// Makes the scf.if, and continues the scope with what both branches know.
  Flow mergeBranches(mlir::Value condition, Branch &thenBranch, Branch &elseBranch,
                     SourceRange range);

  // Branches.cpp
  /// Runs an `if`. When an arm always leaves, what follows the `if` belongs to the other arm; then
  /// `rest` has been run too, which `ranRest` tells.
  Flow runIf(const ast::If &stmt, const Continuation &rest, bool &ranRest);
  /// The same for what is left of an `if` whose first arms have been passed.
  struct Remainder {
    llvm::ArrayRef<ast::If::Arm> arms;
    const ast::StmtList &elseBody;
  };
  Flow runArms(Remainder arms, const Continuation &rest, bool &ranRest);
  Flow runElse(Remainder arms, const Continuation *next);
  Flow runDynamicIf(Remainder arms, mlir::Value condition, const Continuation *rest);
  Value conditional(const ast::Conditional &expr);
  void enterRegion(SourceRange range);

  // Loops.cpp, ForLoops.cpp and WhileLoops.cpp
  Flow runFor(const ast::For &stmt);
  Flow runStaticFor(const ast::For &stmt, const std::vector<Value> &elements);
  /// Over a range; with `element`, its turns have what that gives for their numbers.
  Flow runDynamicFor(const ast::For &stmt, const RangeValue &range,
                     const std::function<Value(const Tensor &)> &element = {});
  Flow runWhile(const ast::While &stmt);
  std::vector<Value> staticElements(const RangeValue &range, SourceRange where);
  /// Numbers inside become scalars, so that control flow can carry them.
  Value runtimeForm(const Value &value, SourceRange range);

  // Shared by the built-ins
  /// Of a GPU's program, for who counts threads: as the launch chose, or as Triton would.
  unsigned countedWarps();
  /// The run-time parameters of the kernel that a mistake was about because they are no constants.
  mutable std::vector<std::string> wantedConstants;
  /// The author's statements that held mistakes when the kernel was traced before; null when it is
  /// traced first.
  const std::set<const ast::Stmt *> *mistaken = nullptr;
  /// The innermost of the author's statements that is being traced; where a trace ended.
  const ast::Stmt *current = nullptr;
  /// The call that is a statement by itself, whose result nothing takes.
  const ast::Expr *dropped = nullptr;
  /// The trace ended at a consequence of what `mistaken` holds.
  bool endedByConsequence = false;
  /// tile::Kernel::receivers
  std::vector<tile::Receiver> receivers;
  /// sema::Specialization::target
  std::string target;
  /// sema::Specialization::tuning
  std::array<uint32_t, 3> block = {};
  uint32_t sharedBytes = 0;   // the same
  bool checksAsserts = false; // sema::Specialization::checksAsserts
  Frame *frame = nullptr;
  unsigned regionDepth = 0;

private:
  std::vector<std::shared_ptr<const RecordType>> basesOf(const ast::Module &module,
                                                         const ast::Binding &binding);
  std::shared_ptr<const RecordType> recordType(const ast::Module &module,
                                               const ast::Binding &binding);
  /// A method of the class or of one of its bases.
  std::optional<Value> methodOf(const RecordType &type, std::string_view name, SourceRange use);
  std::optional<Value> fieldDefault(const RecordType &type, const std::string &field,
                                    SourceRange use);

  Surroundings surroundings() const override;

  // Globals.cpp
  std::optional<bool> holds(const ast::Module &module, const ast::Choice &choice,
                            const ast::Expr &condition) override;
  bool isComputable(const ast::Module &module, const ast::Binding &constant) override;
  std::optional<std::set<std::string>> namesExported(const ast::Module &module) override;
  bool knowsModule(std::string_view path) override;
  Value meaning(const ast::Module &module, const ast::Binding &binding, const std::string &name,
                SourceRange use);
  Value agreedMeaning(const ast::Module &module, const names::Meanings::Bindings &bindings,
                      const std::string &name, SourceRange use);
  Value moduleConstant(const ast::Module &module, const ast::Binding &constant);
  /// Evaluates what stands in a module outside functions, as it is when the module comes to it.
  Value evaluateOutside(const ast::Expr &expr, const ast::Module &module, uint32_t before);

  // Imports.cpp
  Value memberOf(const ast::Module &from, const ast::Module &importer, const ast::Binding &binding,
                 const std::string &member, SourceRange use);

  // Variables.cpp
  /// Tells debuggers of a name's value, where an assignment stands at `range`.
  void keepVariable(const std::string &name, const Value &value, SourceRange range);
  void keepParameters(const ast::Function &function, Frame &inner);
  void makeVariable(const std::string &name, const Value &value, SourceRange range,
                    bool isStatement);

  const sema::Environment &environment;
  mlir::func::FuncOp kernel;
  unsigned warps = 0;            // the same
  std::optional<Tensor> dynamic; // dynamicMemory() of its first use
  const bool hasDefinitions;
  llvm::raw_ostream *types;
  unsigned callDepth = 0, evaluationDepth = 0, chainDepth = 0;
  std::map<const ast::Binding *, std::optional<Value>> moduleConstants;
  std::map<const ast::Binding *, std::shared_ptr<const RecordType>> recordTypes;
  std::map<const sema::HostRecord *, std::shared_ptr<const RecordType>> hostedTypes;
  names::Names names{environment, *this};
  std::set<std::pair<const ast::Module *, std::string>> importsUnderWay;
};

/// The unsigned integer of 8, 16, 32 or 64 bits.
DType unsignedOf(unsigned width);

/// tuple(x) and tl.tuple(x): of another, without its names, or of a range; nothing of all else.
std::optional<Value> asTuple(Emitter &emitter, const Value &value, SourceRange range);
/// What a call of tl.tuple_type or tl.block_type makes.
Value constructType(Emitter &emitter, const ClassReference &type,
                    const std::vector<Emitter::CallArgument> &arguments, SourceRange range);

/// tl.aggregate_replace(object, field=value, ...): another object with some fields of its own.
Value withFields(const std::vector<Emitter::CallArgument> &arguments, SourceRange range);

/// collections.namedtuple(name, fields)
Value makeNamedTuple(const std::vector<Emitter::CallArgument> &arguments, SourceRange range);

} // namespace nereid::emit
