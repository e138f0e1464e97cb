// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// while, which is scf.while; a turn that breaks or returns stops it before its condition is asked
// again.
#include "frontend/emit/control/Carried.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace nereid::emit {

namespace {

/// One loop while it is made.
class WhileLoop {
public:
  WhileLoop(Emitter &emitter, const ast::While &stmt)
      : emitter(emitter), stmt(stmt), where(stmt.condition->range), mayStop(mayEndLoop(stmt.body)),
        before(emitter.frame->scope) {}

  Flow run();

private:
  void traceTest();
  mlir::Value testUnless(mlir::Value stops);
  std::optional<mlir::Value> conditionHere();
  TurnEnd traceTurn(std::optional<CarriedExits> &exits);
  void yield(const TurnEnd &end, llvm::ArrayRef<mlir::Value> exits);
  [[noreturn]] void failEndless() {
    failWithNote(where, {{}, "a break or return ends it"}, DiagnosticId::unsupported_control_flow,
                 "a while loop that never ends");
  }

  Emitter &emitter;
  const ast::While &stmt;
  SourceRange where;
  bool mayStop;
  Scope before;
  std::set<std::string> assigned;
  Carried carried;
  mlir::Region test, turn;
  bool neverRuns = false, isEndless = false;
};

/// The condition as a value; nothing where it is constant.
std::optional<mlir::Value> WhileLoop::conditionHere() {
  auto truth = emitter.condition(emitter.evaluate(*stmt.condition), where);
  const bool *constant = std::get_if<bool>(&truth);
  if (!constant)
    return std::get<mlir::Value>(truth);
  isEndless = *constant;
  neverRuns = !*constant;
  return std::nullopt;
}

static bool isPure(mlir::Block &block) {
  return llvm::all_of(block, [](mlir::Operation &op) { return mlir::isPure(&op); });
}

/// The condition, which is not asked where the loop stops, unless asking is harmless.
mlir::Value WhileLoop::testUnless(mlir::Value stops) {
  const char *name = "the condition";
  Tensor stopped{stops, {{DType::Int1}, {}}};
  Tensor goesOn = *emitter.logicalNot(stopped, where).as<Tensor>();
  emitter.enterRegion(where);
  Emitter::Branch asked = emitter.traceBranch([&] {
    auto more = conditionHere();
    Value bit = more ? Value(Tensor{*more, stopped.type}) : boolValue(isEndless);
    emitter.frame->scope.define(name, bit);
    return Flow::Next;
  });
  Emitter::Branch spared = emitter.traceBranch([&] {
    emitter.frame->scope.define(name, boolValue(false));
    return Flow::Next;
  });
  --emitter.regionDepth;
  mlir::Block *here = emitter.builder.getInsertionBlock();
  if (mlir::Block &block = asked.region->front(); isPure(block)) {
    here->getOperations().splice(here->end(), block.getOperations());
    emitter.frame->scope = std::move(asked.scope);
  } else {
    emitter.mergeBranches(goesOn.value, asked, spared, where);
  }
  Value more = std::move(emitter.frame->scope.values.extract(name).mapped());
  more = emitter.logical(ast::BoolOp::And, goesOn, more, where);
  return emitter.toTensor(more, where).value;
}

void WhileLoop::traceTest() {
  mlir::OpBuilder &builder = emitter.builder;
  mlir::OpBuilder::InsertionGuard guard(builder);
  LoopBody inside(emitter, carried, stmt.range);
  std::vector<mlir::Type> types = carried.types();
  if (mayStop)
    types.push_back(builder.getI1Type());
  std::vector<mlir::Location> locations(types.size(), emitter.locate(stmt.range));
  mlir::Block *block = builder.createBlock(&test, {}, types, locations);
  rebind(emitter, carried, block->getArguments().take_front(carried.parts.size()));
  std::optional<mlir::Value> more =
      mayStop ? testUnless(block->getArguments().back()) : conditionHere();
  if (neverRuns)
    return;
  if (!more)
    failEndless();
  std::vector<mlir::Value> passed = finalParts(emitter, carried, where);
  if (mayStop)
    passed.push_back(block->getArguments().back());
  mlir::scf::ConditionOp::create(builder, emitter.locate(where), *more, passed);
}

TurnEnd WhileLoop::traceTurn(std::optional<CarriedExits> &exits) {
  mlir::OpBuilder &builder = emitter.builder;
  mlir::OpBuilder::InsertionGuard guard(builder);
  LoopBody inside(emitter, carried, stmt.range);
  emitter.frame->scope = before;
  std::vector<mlir::Location> locations(carried.parts.size(), emitter.locate(stmt.range));
  mlir::Block *block = builder.createBlock(&turn, {}, carried.types(), locations);
  rebind(emitter, carried, block->getArguments());
  Flow flow = emitter.run(stmt.body);
  TurnEnd end = endOfTurn(emitter, carried, flow, block->getArguments(), where, stmt);
  if (!end.exits.empty())
    exits.emplace(emitter, end, /*mayStopOtherwise=*/false, where);
  else if (isEndless)
    failEndless();
  return end;
}

/// Ends the turn; the test and the turn pass on what the exits carry.
void WhileLoop::yield(const TurnEnd &end, llvm::ArrayRef<mlir::Value> exits) {
  mlir::Location location = emitter.locate(stmt.range);
  auto condition = llvm::cast<mlir::scf::ConditionOp>(test.front().getTerminator());
  for (auto [i, exit] : llvm::enumerate(exits)) {
    turn.front().addArgument(exit.getType(), location);
    if (i > 0)
      condition.getArgsMutable().append(test.front().addArgument(exit.getType(), location));
  }
  if (mayStop && exits.empty()) { // no path did, after all
    unsigned flag = static_cast<unsigned>(carried.parts.size());
    condition.getArgsMutable().erase(flag);
    mlir::OpBuilder::InsertionGuard guard(emitter.builder);
    emitter.builder.setInsertionPointToStart(&test.front());
    Tensor no = emitter.toTensor(boolValue(false), where);
    test.front().getArgument(flag).replaceAllUsesWith(no.value);
    test.front().eraseArgument(flag);
  }
  mlir::OpBuilder::InsertionGuard guard(emitter.builder);
  emitter.builder.setInsertionPointToEnd(&turn.front());
  std::vector<mlir::Value> yielded = end.parts;
  llvm::append_range(yielded, exits);
  mlir::scf::YieldOp::create(emitter.builder, location, yielded);
}

Flow WhileLoop::run() {
  assigned = namesChangedBy(emitter, stmt.body);
  assigned.merge(assignedNames(*stmt.condition));
  carried = carriedBy(emitter, assigned, stmt.body, where);
  before = emitter.frame->scope;
  traceTest();
  if (neverRuns) {
    emitter.frame->scope = std::move(before);
    return Flow::Next;
  }
  std::optional<CarriedExits> exits;
  TurnEnd end = traceTurn(exits);
  yield(end, exits ? exits->final : std::vector<mlir::Value>());
  std::vector<mlir::Value> inits = carried.parts;
  if (exits)
    llvm::append_range(inits, exits->initial());
  auto loop = mlir::scf::WhileOp::create(emitter.builder, emitter.locate(stmt.range),
                                         mlir::ValueRange(inits).getTypes(), inits);
  loop.getBefore().takeBody(test);
  loop.getAfter().takeBody(turn);
  size_t count = carried.parts.size();
  leaveLoop(emitter, std::move(before), carried, assigned, loop.getResults().take_front(count),
            where, stmt);
  return exits ? exits->leave(loop.getResults().drop_front(count)) : Flow::Next;
}

} // namespace

/// Where Python would compute: turn by turn.
static Flow runHostWhile(Emitter &emitter, const ast::While &stmt) {
  std::set<std::string> names; // all paths are one here
  const std::set<std::string> *outer = std::exchange(emitter.frame->handedOn, &names);
  Flow flow = Flow::Next;
  while (goesOn(flow) && emitter.constantCondition(emitter.evaluate(*stmt.condition),
                                                   "the condition", stmt.condition->range)) {
    emitter.countStep(stmt.range);
    flow = emitter.endTurn(emitter.run(stmt.body), stmt.range);
  }
  emitter.frame->handedOn = outer;
  return emitter.frame->scope.exits.erase(Flow::Break) ? Flow::Next : flow;
}

Flow Emitter::runWhile(const ast::While &stmt) {
  if (frame->isHost)
    return runHostWhile(*this, stmt);
  return retryWider(*this, stmt.range, [&] { return WhileLoop(*this, stmt).run(); });
}

} // namespace nereid::emit
