// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/emit/names/Scope.h"

#include "frontend/sema/Annotation.h"

#include "llvm/Support/Casting.h"

namespace nereid::emit {
namespace {

class AssignmentCollector {
public:
  explicit AssignmentCollector(std::set<std::string> &names, bool skipsDeclarations = false,
                               bool countsElements = true)
      : names(names), skipsDeclarations(skipsDeclarations), countsElements(countsElements) {}

  void visit(const ast::StmtList &body) {
    for (const ast::StmtPtr &stmt : body)
      visit(*stmt);
  }
  void visit(llvm::ArrayRef<ast::If::Arm> arms) {
    for (const ast::If::Arm &arm : arms) {
      visit(arm.condition.get());
      visit(arm.body);
    }
  }
  void visit(const ast::Stmt &stmt);
  void visit(const ast::Expr *expr);

private:
  void visit(const ast::ExprList &list) {
    for (const ast::ExprPtr &expr : list)
      visit(expr.get());
  }
  void target(const ast::Expr &expr);

  std::set<std::string> &names;
  bool skipsDeclarations; // of constexprs
  bool countsElements;
};

void AssignmentCollector::target(const ast::Expr &expr) {
  if (const auto *name = llvm::dyn_cast<ast::Name>(&expr))
    names.insert(name->name);
  else if (const auto *element = llvm::dyn_cast<ast::Subscript>(&expr); element && countsElements)
    target(*element->object); // a new tile takes the name
  else if (const auto *tuple = llvm::dyn_cast<ast::Tuple>(&expr))
    for (const ast::ExprPtr &element : tuple->elements)
      target(*element);
  else if (const auto *list = llvm::dyn_cast<ast::List>(&expr))
    for (const ast::ExprPtr &element : list->elements)
      target(*element);
}

void AssignmentCollector::visit(const ast::Stmt &stmt) {
  using Kind = ast::StmtKind;
  switch (stmt.kind) {
  case Kind::Assign:
    for (const ast::ExprPtr &expr : llvm::cast<ast::Assign>(stmt).targets)
      target(*expr);
    return visit(llvm::cast<ast::Assign>(stmt).value.get());
  case Kind::AugAssign:
    target(*llvm::cast<ast::AugAssign>(stmt).target);
    return visit(llvm::cast<ast::AugAssign>(stmt).value.get());
  case Kind::AnnAssign: {
    const auto &assignment = llvm::cast<ast::AnnAssign>(stmt);
    if (!skipsDeclarations || !sema::readAnnotation(assignment.annotation.get()).isConstexpr)
      target(*assignment.target);
    return visit(assignment.value.get());
  }
  case Kind::ExprStmt:
    return visit(llvm::cast<ast::ExprStmt>(stmt).value.get());
  case Kind::If:
    visit(llvm::cast<ast::If>(stmt).arms);
    return visit(llvm::cast<ast::If>(stmt).elseBody);
  case Kind::For:
    target(*llvm::cast<ast::For>(stmt).target);
    visit(llvm::cast<ast::For>(stmt).iterable.get());
    return visit(llvm::cast<ast::For>(stmt).body);
  case Kind::While:
    visit(llvm::cast<ast::While>(stmt).condition.get());
    return visit(llvm::cast<ast::While>(stmt).body);
  case Kind::Return:
    return visit(llvm::cast<ast::Return>(stmt).value.get());
  case Kind::Definition:
    names.insert(llvm::cast<ast::Definition>(stmt).function->name);
    return;
  default:
    return;
  }
}

void AssignmentCollector::visit(const ast::Expr *expr) {
  using Kind = ast::ExprKind;
  if (!expr)
    return;
  switch (expr->kind) {
  case Kind::NamedExpr:
    names.insert(llvm::cast<ast::NamedExpr>(expr)->name);
    return visit(llvm::cast<ast::NamedExpr>(expr)->value.get());
  case Kind::Tuple:
    return visit(llvm::cast<ast::Tuple>(expr)->elements);
  case Kind::List:
    return visit(llvm::cast<ast::List>(expr)->elements);
  case Kind::Dictionary:
    visit(llvm::cast<ast::Dictionary>(expr)->keys);
    return visit(llvm::cast<ast::Dictionary>(expr)->values);
  case Kind::Attribute:
    return visit(llvm::cast<ast::Attribute>(expr)->object.get());
  case Kind::Subscript:
    visit(llvm::cast<ast::Subscript>(expr)->object.get());
    return visit(llvm::cast<ast::Subscript>(expr)->index.get());
  case Kind::Call:
    visit(llvm::cast<ast::Call>(expr)->callee.get());
    for (const ast::Argument &argument : llvm::cast<ast::Call>(expr)->arguments)
      visit(argument.value.get());
    return;
  case Kind::Unary:
    return visit(llvm::cast<ast::Unary>(expr)->operand.get());
  case Kind::Binary:
    visit(llvm::cast<ast::Binary>(expr)->first.get());
    for (const ast::Binary::Step &step : llvm::cast<ast::Binary>(expr)->steps)
      visit(step.operand.get());
    return;
  case Kind::Bool:
    return visit(llvm::cast<ast::Bool>(expr)->operands);
  case Kind::Compare:
    return visit(llvm::cast<ast::Compare>(expr)->operands);
  case Kind::Conditional:
    visit(llvm::cast<ast::Conditional>(expr)->condition.get());
    visit(llvm::cast<ast::Conditional>(expr)->thenValue.get());
    return visit(llvm::cast<ast::Conditional>(expr)->elseValue.get());
  default:
    return;
  }
}

} // namespace

static bool isName(const ast::Expr &expr, const std::string &name) {
  const auto *reference = llvm::dyn_cast<ast::Name>(&expr);
  return reference && reference->name == name;
}

static bool isAdvance(const ast::Stmt &stmt, const std::string &name) {
  const auto *assign = llvm::dyn_cast<ast::Assign>(&stmt);
  if (!assign || assign->targets.size() != 1 || !isName(*assign->targets[0], name))
    return false;
  const auto *call = llvm::dyn_cast<ast::Call>(assign->value.get());
  const auto *callee = call ? llvm::dyn_cast<ast::Attribute>(call->callee.get()) : nullptr;
  if (!callee || callee->name != "advance" || call->arguments.empty())
    return false;
  return isName(*callee->object, name) || isName(*call->arguments[0].value, name);
}

bool isOnlyAdvanced(const std::string &name, const ast::StmtList &body) {
  for (const ast::StmtPtr &stmt : body) {
    bool isFine = isAdvance(*stmt, name);
    if (const auto *branch = llvm::dyn_cast<ast::If>(stmt.get()))
      isFine =
          isOnlyAdvanced(name, branch->elseBody) &&
          llvm::all_of(branch->arms, [&](const ast::If::Arm &arm) {
            return isOnlyAdvanced(name, arm.body) && !assignedNames(*arm.condition).contains(name);
          });
    else if (const auto *loop = llvm::dyn_cast<ast::For>(stmt.get()))
      isFine = isOnlyAdvanced(name, loop->body) && !isName(*loop->target, name);
    else if (!isFine) {
      std::set<std::string> names;
      AssignmentCollector(names).visit(*stmt);
      isFine = !names.contains(name);
    }
    if (!isFine)
      return false;
  }
  return true;
}

static bool mayEndLoop(const ast::StmtList &body, bool isInner) {
  return llvm::any_of(body, [&](const ast::StmtPtr &stmt) {
    if (const auto *branch = llvm::dyn_cast<ast::If>(stmt.get()))
      return mayEndLoop(branch->elseBody, isInner) ||
             llvm::any_of(branch->arms,
                          [&](const ast::If::Arm &arm) { return mayEndLoop(arm.body, isInner); });
    if (const auto *loop = llvm::dyn_cast<ast::For>(stmt.get()))
      return mayEndLoop(loop->body, true);
    if (const auto *loop = llvm::dyn_cast<ast::While>(stmt.get()))
      return mayEndLoop(loop->body, true);
    return stmt->kind == ast::StmtKind::Return || stmt->kind == ast::StmtKind::Raise ||
           (stmt->kind == ast::StmtKind::Break && !isInner);
  });
}

bool mayEndLoop(const ast::StmtList &body) { return mayEndLoop(body, false); }

/// Whether `isSuch` holds for the statement or for one inside it.
static bool anyInside(const ast::Stmt &stmt, llvm::function_ref<bool(const ast::Stmt &)> isSuch) {
  auto any = [&](const ast::StmtList &body) {
    return llvm::any_of(body, [&](const ast::StmtPtr &inner) { return anyInside(*inner, isSuch); });
  };
  if (isSuch(stmt))
    return true;
  if (const auto *branch = llvm::dyn_cast<ast::If>(&stmt))
    return any(branch->elseBody) ||
           llvm::any_of(branch->arms, [&](const ast::If::Arm &arm) { return any(arm.body); });
  if (const auto *loop = llvm::dyn_cast<ast::For>(&stmt))
    return any(loop->body);
  const auto *loop = llvm::dyn_cast<ast::While>(&stmt);
  return loop && any(loop->body);
}

bool mayReturn(const ast::Stmt &stmt) {
  return anyInside(stmt, [](const ast::Stmt &s) {
    return s.kind == ast::StmtKind::Return || s.kind == ast::StmtKind::Raise;
  });
}

bool holdsAny(const ast::Stmt &stmt, const std::set<const ast::Stmt *> &parts) {
  return anyInside(stmt, [&](const ast::Stmt &inner) { return parts.contains(&inner); });
}

std::set<std::string> assignedNames(const ast::Stmt &stmt) {
  std::set<std::string> names;
  AssignmentCollector(names).visit(stmt);
  return names;
}

std::set<std::string> assignedNames(const ast::StmtList &body) {
  std::set<std::string> names;
  AssignmentCollector(names).visit(body);
  return names;
}

std::set<std::string> reboundNames(const ast::StmtList &body) {
  std::set<std::string> names;
  AssignmentCollector(names, /*skipsDeclarations=*/false, /*countsElements=*/false).visit(body);
  return names;
}

std::set<std::string> reassignedNames(const ast::StmtList &body) {
  std::set<std::string> names;
  AssignmentCollector(names, /*skipsDeclarations=*/true).visit(body);
  return names;
}

std::set<std::string> assignedNames(llvm::ArrayRef<ast::If::Arm> arms) {
  std::set<std::string> names;
  AssignmentCollector(names).visit(arms);
  return names;
}

std::set<std::string> assignedNames(const ast::Expr &expr) {
  std::set<std::string> names;
  AssignmentCollector(names).visit(&expr);
  return names;
}

} // namespace nereid::emit
