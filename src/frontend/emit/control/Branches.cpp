// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// if, and `a if c else b`: decided while tracing if the condition is constant, else as scf.if.
#include "frontend/emit/Emitter.h"

#include "llvm/ADT/ScopeExit.h"

namespace nereid::emit {

using sema::ConstantValue;

/// A chain of elif is as deep as it is long in the IR, but not to its author.
constexpr unsigned deepestRegion = 200, longestChain = 2000;

namespace {

bool isLeaving(const ast::Stmt &stmt) {
  using Kind = ast::StmtKind;
  return stmt.kind == Kind::Return || stmt.kind == Kind::Raise || stmt.kind == Kind::Continue ||
         stmt.kind == Kind::Break;
}

bool alwaysLeave(llvm::ArrayRef<ast::If::Arm> arms);

bool alwaysLeaves(const ast::StmtList &body) {
  if (body.empty())
    return false;
  const ast::Stmt &last = *body.back();
  if (const auto *branch = llvm::dyn_cast<ast::If>(&last))
    return alwaysLeave(branch->arms) && alwaysLeaves(branch->elseBody);
  return isLeaving(last);
}

bool alwaysLeave(llvm::ArrayRef<ast::If::Arm> arms) {
  return llvm::all_of(arms, [](const ast::If::Arm &arm) { return alwaysLeaves(arm.body); });
}

/// Whether a return, continue or break stands in the body itself or in branches of it.
bool mayLeave(const ast::StmtList &body) {
  return llvm::any_of(body, [](const ast::StmtPtr &stmt) {
    if (const auto *branch = llvm::dyn_cast<ast::If>(stmt.get()))
      return mayLeave(branch->elseBody) ||
             llvm::any_of(branch->arms, [](const ast::If::Arm &arm) { return mayLeave(arm.body); });
    return isLeaving(*stmt);
  });
}

} // namespace

void Emitter::enterRegion(SourceRange range) {
  if (++regionDepth > deepestRegion + chainDepth)
    fail(range, DiagnosticId::nested_too_deeply, deepestRegion);
}

Flow Emitter::runIf(const ast::If &stmt, const Continuation &rest, bool &ranRest) {
  return runArms({stmt.arms, stmt.elseBody}, rest, ranRest);
}

Flow Emitter::runArms(Remainder all, const Continuation &rest, bool &ranRest) {
  auto runBody = [&](const ast::StmtList &body) {
    ranRest = mayLeave(body);
    return run(body, ranRest ? &rest : nullptr);
  };
  for (auto arms = all.arms; !arms.empty(); arms = arms.drop_front()) {
    const ast::If::Arm &arm = arms.front();
    auto truth = condition(evaluate(*arm.condition), arm.condition->range);
    if (const bool *constant = std::get_if<bool>(&truth)) {
      if (*constant)
        return runBody(arm.body);
      continue;
    }
    mlir::Value bit = std::get<mlir::Value>(truth);
    ranRest =
        alwaysLeaves(arm.body) || (alwaysLeave(arms.drop_front()) && alwaysLeaves(all.elseBody));
    return runDynamicIf({arms, all.elseBody}, bit, ranRest ? &rest : nullptr);
  }
  return runBody(all.elseBody);
}

/// What runs if the first of `arms` does not, and then `next`.
Flow Emitter::runElse(Remainder arms, const Continuation *next) {
  if (arms.arms.size() == 1)
    return run(arms.elseBody, next);
  if (++chainDepth > longestChain)
    fail(arms.arms.front().condition->range, DiagnosticId::nested_too_deeply, longestChain);
  llvm::scope_exit leave([&] { --chainDepth; });
  bool ranRest = false;
  Flow flow =
      runArms({arms.arms.drop_front(), arms.elseBody}, next ? *next : Continuation{}, ranRest);
  if (ranRest || flow != Flow::Next || !next)
    return flow;
  return run(next->statements, next->next);
}

/// `rest`, if given, follows the arms that come to their end, and is run in them.
Flow Emitter::runDynamicIf(Remainder arms, mlir::Value bit, const Continuation *rest) {
  const ast::If::Arm &arm = arms.arms.front();
  SourceRange where = arm.condition->range;
  // What follows stands inside the other arm in the IR only: one `if ...: return` after another is
  // a chain as elif makes them.
  unsigned links = rest ? 1 : 0;
  chainDepth += links;
  llvm::scope_exit leave([&] { chainDepth -= links; });
  enterRegion(where);
  Branch thenBranch = traceBranch([&] { return run(arm.body, rest); });
  Branch elseBranch = traceBranch([&] { return runElse(arms, rest); });
  --regionDepth;
  return mergeBranches(bit, thenBranch, elseBranch, where);
}

Value Emitter::conditional(const ast::Conditional &expr) {
  auto truth = condition(evaluate(*expr.condition), expr.condition->range);
  if (const bool *constant = std::get_if<bool>(&truth))
    return evaluate(*constant ? *expr.thenValue : *expr.elseValue);
  const char *name = "the result";
  auto trace = [&](const ast::Expr &arm) {
    return traceBranch([&] {
      // A number is a scalar here even where both arms give the same one.
      frame->scope.define(name, decay(evaluate(arm), arm.range));
      return Flow::Next;
    });
  };
  enterRegion(expr.range);
  Branch thenBranch = trace(*expr.thenValue), elseBranch = trace(*expr.elseValue);
  --regionDepth;
  mergeBranches(std::get<mlir::Value>(truth), thenBranch, elseBranch, expr.range);
  return std::move(frame->scope.values.extract(name).mapped());
}

} // namespace nereid::emit
