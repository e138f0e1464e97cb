// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// return, break and continue wherever they stand. A path that leaves is recorded in the scope's
// exits; what follows a branch that some paths left stands under the condition that this one did
// not.
#include "frontend/emit/Emitter.h"

#include "llvm/ADT/ScopeExit.h"

namespace nereid::emit {

using sema::ConstantValue;

constexpr Flow ways[] = {Flow::Return, Flow::Break, Flow::Continue};

Flow Emitter::leave(const ast::Stmt &stmt) {
  Flow way = stmt.kind == ast::StmtKind::Break      ? Flow::Break
             : stmt.kind == ast::StmtKind::Continue ? Flow::Continue
                                                    : Flow::Return;
  if (way != Flow::Return && !frame->handedOn)
    fail(stmt.range, DiagnosticId::unsupported_syntax,
         "'" + std::string(stmt.range.text()) + "' outside a loop");
  if (way != Flow::Return) {
    frame->scope.exits[way] = boolValue(true);
    return way;
  }
  const auto &expr = llvm::cast<ast::Return>(stmt).value;
  Value result = expr ? evaluate(*expr) : Value();
  if (!frame->caller && !result.isNone())
    failWithNote(
        stmt.range,
        {{}, isOfThreads() ? "results are written to arrays" : "results are written with tl.store"},
        DiagnosticId::kernel_returns_value, frame->function->name);
  // Both at once: branches inside the expression have not left yet.
  frame->scope.result = decay(result, stmt.range);
  frame->scope.resultRange = stmt.range;
  frame->scope.exits[way] = boolValue(true);
  if (&stmt != frame->end)
    keepVariable("__return__", *frame->scope.result, stmt.range); // pdb's name for it
  return way;
}

Value Emitter::hasLeft(llvm::ArrayRef<Flow> asked, SourceRange range) {
  Value any = boolValue(false);
  for (Flow way : asked)
    if (auto exit = frame->scope.exits.find(way); exit != frame->scope.exits.end())
      any = logical(ast::BoolOp::Or, any, exit->second, range);
  return any;
}

/// How the paths left that the exits record, of which none goes on.
static Flow leftBy(const std::map<Flow, Value> &exits) {
  return exits.size() == 1 ? exits.begin()->first : Flow::Left;
}

Flow Emitter::runOnOpenPaths(SourceRange range, llvm::function_ref<Flow()> body) {
  auto running = condition(logicalNot(hasLeft(ways, range), range), range);
  const std::map<Flow, Value> exits = frame->scope.exits;
  if (const bool *constant = std::get_if<bool>(&running))
    return *constant ? body() : leftBy(exits);
  // One such branch after another is a chain as elif makes them.
  ++chainDepth;
  llvm::scope_exit leaveChain([&] { --chainDepth; });
  enterRegion(range);
  Branch inside = traceBranch([&] {
    frame->scope.exits.clear();
    return body();
  });
  Branch outside = traceBranch([&] { return leftBy(exits); });
  --regionDepth;
  // Inside, the earlier exits were not taken, which is what they say themselves.
  inside.scope.exits.insert(exits.begin(), exits.end());
  return mergeBranches(std::get<mlir::Value>(running), inside, outside, range);
}

Flow Emitter::endTurn(Flow flow, SourceRange range) {
  Scope &scope = frame->scope;
  bool isPartial = flow == Flow::Open || flow == Flow::Left;
  bool someGoOn = goesOn(flow) || scope.exits.contains(Flow::Continue);
  scope.exits.erase(Flow::Continue);
  if (isPartial) {
    // Where paths come together, only what all of them define is defined.
    std::vector<std::string> made;
    for (const auto &[name, value] : scope.values)
      if (!frame->handedOn->contains(name))
        made.push_back(name);
    for (const std::string &name : made)
      scope.lose(name, {range, "a break or continue may come before this is assigned"});
  }
  if (scope.exits.empty())
    return Flow::Next;
  return someGoOn ? Flow::Open : leftBy(scope.exits);
}

} // namespace nereid::emit
