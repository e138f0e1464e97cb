// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// if, and `a if c else b`: decided while tracing if the condition is constant, else as scf.if.
#include "frontend/emit/Emitter.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/ScopeExit.h"

namespace nereid::emit {

using sema::ConstantValue;

/// A chain of elif is as deep as it is long in the IR, but not to its author.
constexpr unsigned deepestRegion = 200, longestChain = 2000;

/// The name under which a branch leaves the value that the function returns.
constexpr const char *returnedName = "return";

namespace {

bool alwaysLeave(llvm::ArrayRef<ast::If::Arm> arms);

bool alwaysLeaves(const ast::StmtList &body) {
  if (body.empty())
    return false;
  const ast::Stmt &last = *body.back();
  if (const auto *branch = llvm::dyn_cast<ast::If>(&last))
    return alwaysLeave(branch->arms) && alwaysLeaves(branch->elseBody);
  return last.kind == ast::StmtKind::Return || last.kind == ast::StmtKind::Continue;
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
    return stmt->kind == ast::StmtKind::Return || stmt->kind == ast::StmtKind::Continue ||
           stmt->kind == ast::StmtKind::Break;
  });
}

} // namespace

void Emitter::enterRegion(SourceRange range) {
  if (++regionDepth > deepestRegion + chainDepth)
    fail(range, DiagnosticId::nested_too_deeply, deepestRegion);
}

Emitter::Branch Emitter::traceBranch(llvm::function_ref<Flow()> body) {
  Branch branch;
  branch.region = std::make_unique<mlir::Region>();
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(branch.region.get());
  branch.flow = body();
  return branch;
}

bool Emitter::unify(Value &lhs, Branch &lhsBranch, Value &rhs, Branch &rhsBranch,
                    SourceRange range) {
  if (isSame(lhs, rhs))
    return true;
  auto isNumber = [](const Value &value) {
    const auto *constant = value.as<ConstantValue>();
    return value.is<Tensor>() || (constant && sema::asNumber(*constant));
  };
  if (isNumber(lhs) && isNumber(rhs)) {
    mlir::OpBuilder::InsertionGuard guard(builder);
    for (auto [value, branch] : {std::pair(&lhs, &lhsBranch), std::pair(&rhs, &rhsBranch)}) {
      builder.setInsertionPointToEnd(&branch->region->back());
      *value = toTensor(*value, range);
    }
    return lhs.as<Tensor>()->type == rhs.as<Tensor>()->type;
  }
  if (auto *left = lhs.as<Tuple>(), *right = rhs.as<Tuple>(); left && right) {
    bool isEqual = left->elements.size() == right->elements.size();
    for (size_t i = 0; isEqual && i < left->elements.size(); ++i)
      isEqual = unify(left->elements[i], lhsBranch, right->elements[i], rhsBranch, range);
    return isEqual;
  }
  auto *left = lhs.as<BlockPointer>(), *right = rhs.as<BlockPointer>();
  if (!left || !right || left->block != right->block || left->base.type != right->base.type)
    return false;
  left->isPinned = right->isPinned = isSameArray(*left, *right);
  return true;
}

std::map<std::string, Value> Emitter::mergeBranches(mlir::Value condition, Branch &thenBranch,
                                                    Branch &elseBranch, SourceRange range) {
  std::map<std::string, Value> merged;
  std::vector<Tensor> thenParts, elseParts;
  std::vector<std::string> carried;
  for (auto &[name, thenValue] : thenBranch.values) {
    auto other = elseBranch.values.find(name);
    if (other == elseBranch.values.end())
      continue;
    if (isSame(thenValue, other->second)) {
      merged[name] = thenValue;
      continue;
    }
    if (!unify(thenValue, thenBranch, other->second, elseBranch, range))
      fail(range, DiagnosticId::branch_types_differ, name, describe(thenValue),
           describe(other->second));
    carried.push_back(name);
    flatten(thenValue, thenParts);
    flatten(other->second, elseParts);
  }
  std::vector<mlir::Type> types;
  for (const Tensor &part : thenParts)
    types.push_back(part.value.getType());
  mlir::Location location = locate(range);
  auto ifOp = mlir::scf::IfOp::create(builder, location, types, condition, /*withElse=*/false);
  for (auto [region, branch, parts] :
       {std::tuple(&ifOp.getThenRegion(), &thenBranch, &thenParts),
        std::tuple(&ifOp.getElseRegion(), &elseBranch, &elseParts)}) {
    region->takeBody(*branch->region);
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&region->back());
    std::vector<mlir::Value> yielded;
    for (const Tensor &part : *parts)
      yielded.push_back(part.value);
    mlir::scf::YieldOp::create(builder, location, yielded);
  }
  llvm::SmallVector<mlir::Value> results(ifOp.getResults());
  const mlir::Value *next = results.data();
  for (const std::string &name : carried)
    merged[name] = rebuild(thenBranch.values[name], next);
  return merged;
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
    unsigned leaveDepth = frame->continueDepth.value_or(frame->returnDepth);
    bool leaves =
        alwaysLeaves(arm.body) || (alwaysLeave(arms.drop_front()) && alwaysLeaves(all.elseBody));
    if (!leaves || leaveDepth != regionDepth)
      return runDynamicIf({arms, all.elseBody}, bit);
    ranRest = true;
    return runLeavingIf({arms, all.elseBody}, bit, rest);
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

Flow Emitter::runDynamicIf(Remainder arms, mlir::Value bit) {
  const ast::If::Arm &arm = arms.arms.front();
  SourceRange where = arm.condition->range;
  enterRegion(where);
  Scope before = frame->scope;
  auto trace = [&](llvm::function_ref<Flow()> body) {
    frame->scope = before;
    Branch branch = traceBranch(body);
    branch.values = std::move(frame->scope.values);
    return branch;
  };
  Branch thenBranch = trace([&] { return run(arm.body); });
  Branch elseBranch = trace([&] { return runElse(arms, nullptr); });
  --regionDepth;
  frame->scope = std::move(before);
  std::set<std::string> names = assignedNames(arm.body);
  names.merge(assignedNames(arms.arms.drop_front()));
  names.merge(assignedNames(arms.elseBody));
  frame->scope.values = mergeBranches(bit, thenBranch, elseBranch, where);
  for (const std::string &name : names)
    if (!frame->scope.values.contains(name))
      frame->scope.lose(name, where);
    else
      frame->scope.lost.erase(name);
  return Flow::Next;
}

Flow Emitter::runLeavingIf(Remainder arms, mlir::Value bit, const Continuation &rest) {
  const ast::If::Arm &arm = arms.arms.front();
  bool inLoop = frame->continueDepth.has_value();
  Scope before = frame->scope;
  // What follows stands inside the other arm in the IR only: one `if ...: return` after another is
  // a chain as elif makes them.
  ++chainDepth;
  llvm::scope_exit leave([&] { --chainDepth; });
  enterRegion(arm.condition->range);
  unsigned &leaveDepth = inLoop ? *frame->continueDepth : frame->returnDepth;
  unsigned outerDepth = std::exchange(leaveDepth, regionDepth);
  auto trace = [&](llvm::function_ref<Flow()> body) {
    frame->scope = before;
    frame->returned = {};
    Branch branch = traceBranch(body);
    if (inLoop)
      branch.values = std::move(frame->scope.values);
    else
      branch.values[returnedName] = frame->returned; // None where the end is reached
    return branch;
  };
  Branch thenBranch = trace([&] { return run(arm.body, &rest); });
  Branch elseBranch = trace([&] { return runElse(arms, &rest); });
  leaveDepth = outerDepth;
  --regionDepth;
  auto merged = mergeBranches(bit, thenBranch, elseBranch, arm.condition->range);
  frame->scope = std::move(before);
  if (!inLoop) {
    frame->returned = merged[returnedName];
    return Flow::Return;
  }
  for (auto &[name, value] : frame->scope.values)
    value = merged[name];
  return Flow::Continue;
}

Value Emitter::conditional(const ast::Conditional &expr) {
  auto truth = condition(evaluate(*expr.condition), expr.condition->range);
  if (const bool *constant = std::get_if<bool>(&truth))
    return evaluate(*constant ? *expr.thenValue : *expr.elseValue);
  enterRegion(expr.range);
  auto trace = [&](const ast::Expr &arm) {
    Scope before = frame->scope;
    Value value;
    Branch branch = traceBranch([&] {
      // A number is a scalar here even where both arms give the same one.
      value = decay(evaluate(arm), arm.range);
      return Flow::Next;
    });
    frame->scope = std::move(before);
    branch.values["the result"] = std::move(value);
    return branch;
  };
  Branch thenBranch = trace(*expr.thenValue), elseBranch = trace(*expr.elseValue);
  --regionDepth;
  return mergeBranches(std::get<mlir::Value>(truth), thenBranch, elseBranch,
                       expr.range)["the result"];
}

} // namespace nereid::emit
