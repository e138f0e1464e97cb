// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/emit/Advice.h"
#include "frontend/emit/threads/Arrays.h"
#include "frontend/emit/threads/Functions.h"
#include "frontend/emit/threads/Structures.h"
#include "frontend/sema/Annotation.h"

namespace nereid::emit {

using sema::ConstantValue;

/// `...`, which stands where a body has nothing to do.
static bool isEllipsis(const ast::Expr &expr) {
  const auto *constant = llvm::dyn_cast<ast::Constant>(&expr);
  return constant && constant->valueKind == ast::Constant::Kind::Ellipsis;
}

Flow Emitter::run(llvm::ArrayRef<ast::StmtPtr> statements, const Continuation *next) {
  DepthGuard guard(*this, statements.empty() ? SourceRange() : statements.front()->range);
  for (size_t i = 0; i < statements.size(); ++i) {
    const ast::Stmt &stmt = *statements[i];
    countStep(stmt.range);
    const ast::Stmt *outer = current;
    if (!frame->isLibrary && !frame->isHost && &stmt != frame->end)
      current = &stmt;
    bool ranRest = false;
    Flow flow = runFirst(stmt, {statements.drop_front(i + 1), next}, ranRest);
    current = outer; // not where an exception leaves: it tells where
    if (ranRest || flow != Flow::Next)
      return flow;
  }
  return next ? run(next->statements, next->next) : Flow::Next;
}

Flow Emitter::runFirst(const ast::Stmt &stmt, const Continuation &rest, bool &ranRest) {
  Flow flow;
  if (mistaken && mistaken->contains(&stmt))
    flow = goRound(stmt);
  else if (const auto *branch = llvm::dyn_cast<ast::If>(&stmt))
    flow = runIf(*branch, rest, ranRest);
  else
    flow = runStatement(stmt);
  if (ranRest || flow != Flow::Open || (rest.statements.empty() && !rest.next))
    return flow;
  ranRest = true;
  return runOnOpenPaths(stmt.range, [&] { return run(rest.statements, rest.next); });
}

Flow Emitter::runStatement(const ast::Stmt &stmt) {
  using Kind = ast::StmtKind;
  switch (stmt.kind) {
  case Kind::Assign: {
    const auto &assignment = llvm::cast<ast::Assign>(stmt);
    Value value = evaluate(*assignment.value);
    for (const ast::ExprPtr &target : assignment.targets)
      if (const auto *element = llvm::dyn_cast<ast::Subscript>(target.get()))
        assignElement(*element, value, std::nullopt, *assignment.value);
      else
        assign(*target, value);
    return Flow::Next;
  }
  case Kind::AugAssign:
    augmentedAssign(llvm::cast<ast::AugAssign>(stmt));
    return Flow::Next;
  case Kind::AnnAssign:
    annotatedAssign(llvm::cast<ast::AnnAssign>(stmt));
    return Flow::Next;
  case Kind::ExprStmt:
    if (!isEllipsis(*llvm::cast<ast::ExprStmt>(stmt).value))
      runExpression(*llvm::cast<ast::ExprStmt>(stmt).value);
    return Flow::Next;
  case Kind::For:
    return runFor(llvm::cast<ast::For>(stmt));
  case Kind::While:
    return runWhile(llvm::cast<ast::While>(stmt));
  case Kind::Return:
  case Kind::Break:
  case Kind::Continue:
    return leave(stmt);
  case Kind::Assert:
    checkAssertion(llvm::cast<ast::Assert>(stmt));
    return Flow::Next;
  case Kind::Raise:
    if (isOfThreads() && !frame->isHost)
      return threads::raise(*this, llvm::cast<ast::Raise>(stmt));
    failRaised(llvm::cast<ast::Raise>(stmt));
  case Kind::Definition:
    threads::defineFunction(*this, llvm::cast<ast::Definition>(stmt));
    return Flow::Next;
  case Kind::Pass:
    return Flow::Next;
  case Kind::If:
    break;
  }
  NEREID_UNREACHABLE("a statement of unknown kind");
}

void Emitter::runExpression(const ast::Expr &expr) {
  dropped = &expr;
  evaluate(expr);
}

static std::string_view targetName(const ast::Expr &target) {
  switch (target.kind) {
  case ast::ExprKind::Subscript:
    return "an element";
  case ast::ExprKind::Attribute:
    return "an attribute";
  default:
    return "an expression";
  }
}

void Emitter::assign(const ast::Expr &target, const Value &value) {
  if (const auto *name = llvm::dyn_cast<ast::Name>(&target))
    return assignName(name->name, value, target.range);
  if (const auto *field = llvm::dyn_cast<ast::Attribute>(&target);
      field && assignField(*field, value))
    return;
  if (const auto *element = llvm::dyn_cast<ast::Subscript>(&target); element && isOfThreads())
    return assignElement(*element, value, std::nullopt, target);
  if (const auto *field = llvm::dyn_cast<ast::Attribute>(&target); field && isOfThreads())
    return assignArrayField(*field, value, std::nullopt);
  const auto *tuple = llvm::dyn_cast<ast::Tuple>(&target);
  const auto *list = llvm::dyn_cast<ast::List>(&target);
  if (!tuple && !list)
    fail(target.range, DiagnosticId::invalid_assignment_target, targetName(target));
  const ast::ExprList &targets = tuple ? tuple->elements : list->elements;
  const auto *values = value.as<Tuple>();
  size_t count = values ? values->elements.size() : 1;
  if (!values || count != targets.size())
    fail(target.range, DiagnosticId::cannot_unpack, count, targets.size());
  for (size_t i = 0; i < count; ++i)
    assign(*targets[i], values->elements[i]);
}

/// `record.field = value` and `record.field += value`.
void Emitter::assignArrayField(const ast::Attribute &target, const Value &value,
                               std::optional<ast::BinaryOp> op) {
  Value object = evaluate(*target.object);
  const auto *record = object.as<ArrayView>();
  if (!record || !record->structure)
    fail(target.range, DiagnosticId::invalid_assignment_target, targetName(target));
  Value next = value;
  if (op)
    next = binary(*op, threads::readField(*this, *record, target.name, target.range), value,
                  target.range);
  threads::writeField(*this, *record, target.name, next, target.range);
}

void Emitter::assignName(const std::string &name, const Value &value, SourceRange range) {
  Scope &scope = frame->scope;
  if (scope.constexprs.contains(name) && !scope.values.contains(name))
    return assignConstexpr(name, value, range); // it was declared without a value
  scope.constexprs.erase(name);
  if (const auto *array = value.as<ArrayView>())
    threads::nameMemory(*this, *array, name);
  scope.define(name, decay(value, range));
  listType(name, scope.values[name], range);
  keepVariable(name, scope.values[name], range);
}

/// A run-time value is taken as it is, for whatever does not need it to be a constant.
void Emitter::assignConstexpr(const std::string &name, const Value &value, SourceRange range) {
  Value taken = constexprForm(value).value_or(value);
  frame->scope.define(name, taken);
  listType(name, taken, range);
  keepVariable(name, taken, range);
}

void Emitter::annotatedAssign(const ast::AnnAssign &stmt) {
  const auto *name = llvm::dyn_cast<ast::Name>(stmt.target.get());
  if (!name)
    fail(stmt.target->range, DiagnosticId::invalid_assignment_target, targetName(*stmt.target));
  if (!sema::readAnnotation(stmt.annotation.get()).isConstexpr) {
    if (stmt.value)
      assignName(name->name, evaluate(*stmt.value), name->range);
    return;
  }
  Scope &scope = frame->scope;
  auto [known, isNew] = scope.constexprs.try_emplace(name->name, &stmt);
  bool isDefined = scope.values.contains(name->name);
  if (isDefined && (isNew || known->second != &stmt))
    fail(name->range, DiagnosticId::constexpr_reassigned, name->name);
  if (stmt.value)
    assignConstexpr(name->name, evaluate(*stmt.value), name->range);
  else
    scope.values.erase(name->name);
}

void Emitter::augmentedAssign(const ast::AugAssign &stmt) {
  if (const auto *element = llvm::dyn_cast<ast::Subscript>(stmt.target.get()))
    return assignElement(*element, evaluate(*stmt.value), stmt.op, *stmt.value);
  if (const auto *field = llvm::dyn_cast<ast::Attribute>(stmt.target.get()); field && isOfThreads())
    return assignArrayField(*field, evaluate(*stmt.value), stmt.op);
  const auto *name = llvm::dyn_cast<ast::Name>(stmt.target.get());
  if (!name)
    fail(stmt.target->range, DiagnosticId::invalid_assignment_target, targetName(*stmt.target));
  Value before = lookUp(*name), operand = evaluate(*stmt.value);
  if (!isOfThreads())
    refuseOperator(stmt.op, name->name, before, stmt.value->range.text(), operand, stmt.range);
  assignName(name->name, binary(stmt.op, before, operand, stmt.range), name->range);
}

void Emitter::emitAssert(const Value &value, const std::string &message, SourceRange range) {
  if (auto constant = asConstant(value)) {
    if (!sema::isTrue(*constant))
      fail(range, DiagnosticId::static_assert_failed, message.empty() ? "" : ": " + message);
    return;
  }
  Tensor truth = notZero(toTensor(value, range), range);
  tile::AssertOp::create(builder, locate(range), truth.value, message);
}

void Emitter::emitReachedAssert(const Value &value, const std::string &message, SourceRange range) {
  if (auto constant = asConstant(value); constant && !sema::isTrue(*constant))
    tile::AssertOp::create(builder, locate(range), toTensor(boolValue(false), range).value,
                           message);
  else
    emitAssert(value, message, range);
}

void Emitter::checkAssertion(const ast::Assert &stmt) {
  Value value = evaluate(*stmt.condition);
  std::string message(stmt.condition->range.text());
  if (stmt.message) {
    auto text = asConstant(evaluate(*stmt.message));
    const auto *string = text ? std::get_if<std::string>(&*text) : nullptr;
    if (!string)
      fail(stmt.message->range, DiagnosticId::not_constexpr, "the message of an assertion");
    message = *string;
  }
  // A kernel's assertion is a check even of constants: without checks its programs go on. The
  // host's code runs here and now.
  if (frame->isHost)
    emitAssert(value, message, stmt.condition->range);
  else
    emitReachedAssert(value, message, stmt.condition->range);
}

/// A raise that tracing comes to ends it, with the text of the exception if that is known.
void Emitter::failRaised(const ast::Raise &stmt) {
  std::vector<DiagnosticNote> notes;
  const auto *call = llvm::dyn_cast_or_null<ast::Call>(stmt.value.get());
  if (call && call->arguments.size() == 1 && llvm::isa<ast::FString>(*call->arguments[0].value)) {
    auto text = asConstant(evaluate(*call->arguments[0].value));
    if (const auto *string = text ? std::get_if<std::string>(&*text) : nullptr)
      notes.push_back({{}, *string});
  }
  if (regionDepth > 0)
    notes.push_back({{}, "what depends on run-time values is checked by tl.device_assert"});
  failWithNotes(std::move(notes), diagnose(stmt.range, DiagnosticId::raised,
                                           stmt.value ? stmt.value->range.text() : "an exception"));
}

void Emitter::listType(const std::string &name, const Value &value, SourceRange range) {
  if (!types || frame->isLibrary)
    return;
  auto [line, column] = range.file->position(range.begin);
  *types << line << ':' << column << ' ' << name << ": " << describe(value) << '\n';
}

} // namespace nereid::emit
