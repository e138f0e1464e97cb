// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// if, and `a if c else b`: decided while tracing if the condition is constant, else as scf.if.
#include "frontend/emit/Emitter.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace nereid::emit {

using sema::ConstantValue;

constexpr unsigned deepestRegion = 200;

/// The name under which a branch leaves the value that the function returns.
constexpr const char *returnedName = "return";

namespace {

bool alwaysLeaves(const ast::StmtList &body) {
  if (body.empty())
    return false;
  const ast::Stmt &last = *body.back();
  if (const auto *branch = llvm::dyn_cast<ast::If>(&last))
    return alwaysLeaves(branch->thenBody) && alwaysLeaves(branch->elseBody);
  return last.kind == ast::StmtKind::Return || last.kind == ast::StmtKind::Continue;
}

/// Whether a return, continue or break stands in the body itself or in branches of it.
bool mayLeave(const ast::StmtList &body) {
  return llvm::any_of(body, [](const ast::StmtPtr &stmt) {
    if (const auto *branch = llvm::dyn_cast<ast::If>(stmt.get()))
      return mayLeave(branch->thenBody) || mayLeave(branch->elseBody);
    return stmt->kind == ast::StmtKind::Return || stmt->kind == ast::StmtKind::Continue ||
           stmt->kind == ast::StmtKind::Break;
  });
}

} // namespace

void Emitter::enterRegion(SourceRange range) {
  if (++regionDepth > deepestRegion)
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
  auto truth = condition(evaluate(*stmt.condition), stmt.condition->range);
  if (const bool *constant = std::get_if<bool>(&truth)) {
    const ast::StmtList &body = *constant ? stmt.thenBody : stmt.elseBody;
    ranRest = mayLeave(body);
    return run(body, ranRest ? &rest : nullptr);
  }
  mlir::Value bit = std::get<mlir::Value>(truth);
  unsigned leaveDepth = frame->continueDepth.value_or(frame->returnDepth);
  bool leaves = alwaysLeaves(stmt.thenBody) || alwaysLeaves(stmt.elseBody);
  if (leaves && leaveDepth == regionDepth) {
    ranRest = true;
    return runLeavingIf(stmt, bit, rest);
  }
  enterRegion(stmt.condition->range);
  Scope before = frame->scope;
  auto trace = [&](const ast::StmtList &body) {
    frame->scope = before;
    Branch branch = traceBranch([&] { return run(body); });
    branch.values = std::move(frame->scope.values);
    return branch;
  };
  Branch thenBranch = trace(stmt.thenBody), elseBranch = trace(stmt.elseBody);
  --regionDepth;
  frame->scope = std::move(before);
  std::set<std::string> names = assignedNames(stmt.thenBody);
  names.merge(assignedNames(stmt.elseBody));
  frame->scope.values = mergeBranches(bit, thenBranch, elseBranch, stmt.condition->range);
  for (const std::string &name : names)
    if (!frame->scope.values.contains(name))
      frame->scope.lose(name, stmt.condition->range);
    else
      frame->scope.lost.erase(name);
  return Flow::Next;
}

Flow Emitter::runLeavingIf(const ast::If &stmt, mlir::Value bit, const Continuation &rest) {
  bool inLoop = frame->continueDepth.has_value();
  Scope before = frame->scope;
  enterRegion(stmt.condition->range);
  unsigned &leaveDepth = inLoop ? *frame->continueDepth : frame->returnDepth;
  unsigned outerDepth = std::exchange(leaveDepth, regionDepth);
  auto trace = [&](const ast::StmtList &body) {
    frame->scope = before;
    frame->returned = {};
    Branch branch = traceBranch([&] { return run(body, &rest); });
    if (inLoop)
      branch.values = std::move(frame->scope.values);
    else
      branch.values[returnedName] = frame->returned; // None where the end is reached
    return branch;
  };
  Branch thenBranch = trace(stmt.thenBody), elseBranch = trace(stmt.elseBody);
  leaveDepth = outerDepth;
  --regionDepth;
  auto merged = mergeBranches(bit, thenBranch, elseBranch, stmt.condition->range);
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
      value = evaluate(arm);
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
