// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// for over a range that is known only at run time: scf.for, or scf.while if paths leave it by break
// or return.
#include "frontend/emit/Advice.h"
#include "frontend/emit/control/Carried.h"
#include "frontend/emit/control/LoopBounds.h"
#include "frontend/emit/threads/Arrays.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace nereid::emit {

namespace {

void keepOptions(mlir::OpBuilder &builder, mlir::Operation *loop, const RangeValue &range) {
  for (const auto &[name, value] : range.options)
    if (auto integer = sema::asInteger(value))
      loop->setAttr("tile." + name, builder.getI32IntegerAttr(static_cast<int32_t>(*integer)));
}

using ElementOf = std::function<Value(const Tensor &)>;

/// What the loop over elements calls its number, which no text can.
const std::string position = "the position";

void addNames(const ast::Expr &target, std::set<std::string> &names) {
  if (const auto *name = llvm::dyn_cast<ast::Name>(&target))
    names.insert(name->name);
  if (const auto *tuple = llvm::dyn_cast<ast::Tuple>(&target))
    for (const ast::ExprPtr &element : tuple->elements)
      addNames(*element, names);
}

/// One loop while it is made.
class ForLoop {
public:
  ForLoop(Emitter &emitter, const ast::For &stmt, const RangeValue &range,
          const ElementOf &elementOf)
      : emitter(emitter), stmt(stmt), range(range), elementOf(elementOf),
        where(stmt.iterable->range), bounds(loopBounds(emitter, range, where)) {
    const auto *target = llvm::dyn_cast<ast::Name>(stmt.target.get());
    if (!target && !elementOf)
      fail(stmt.target->range, DiagnosticId::cannot_unpack, 1, 0);
    name = elementOf ? position : target->name;
  }

  Flow run();

private:
  std::set<std::string> namesAssigned() const;
  bool isOfForm(const Value &value, const sema::ValueType &type) const;
  void carryVariable();
  TurnEnd traceBody(mlir::Region &body, std::optional<CarriedExits> &exits);
  void makeFor(mlir::Region &body, const TurnEnd &end);
  Flow makeWhile(mlir::Region &body, const TurnEnd &end, CarriedExits &exits);
  void makeTest(mlir::scf::WhileOp loop);
  void makeNextTurn(mlir::Block &body, const TurnEnd &end, llvm::ArrayRef<mlir::Value> exits);
  bool goesByOne() const;
  void leave(Scope before, mlir::ValueRange results);

  Emitter &emitter;
  const ast::For &stmt;
  const RangeValue &range;
  const ElementOf &elementOf; // if it goes over these
  SourceRange where;
  LoopBounds bounds;
  std::string name;
  Carried carried;
  bool carriesVariable = false, isVariableReplaced = false;
};

/// Whether the variable may have the value: one of the loop's own type or, of a thread, any number,
/// of which the variable has the type that fits all.
bool ForLoop::isOfForm(const Value &value, const sema::ValueType &type) const {
  if (emitter.isOfThreads())
    return isNumber(value) && !isPointer(value);
  const auto *tensor = value.as<Tensor>();
  return tensor && tensor->type == type;
}

/// The variable keeps its last value after the loop, and the one before if there was no turn. It is
/// carried only where that value cannot be computed from the bounds: where there is a value before,
/// or paths leave the loop.
void ForLoop::carryVariable() {
  Scope &scope = emitter.frame->scope;
  if (scope.constexprs.contains(name))
    return;
  auto earlier = scope.values.find(name);
  sema::ValueType type{{bounds.variableType}, {}};
  Value initial;
  if (earlier != scope.values.end()) {
    initial = emitter.runtimeForm(earlier->second, where);
    if (!isOfForm(initial, type))
      return;
  } else if (mayEndLoop(stmt.body)) {
    initial = loopVariable(emitter, bounds, bounds.lower.value, where);
  } else {
    return;
  }
  carriesVariable = true;
  carried.names.push_back(name);
  std::vector<Tensor> parts;
  flatten(initial, parts);
  for (const Tensor &part : parts)
    carried.parts.push_back(part.value);
  carried.initial.push_back(std::move(initial));
}

TurnEnd ForLoop::traceBody(mlir::Region &body, std::optional<CarriedExits> &exits) {
  mlir::OpBuilder &builder = emitter.builder;
  mlir::OpBuilder::InsertionGuard guard(builder);
  std::vector<mlir::Type> types = carried.types();
  types.insert(types.begin(), bounds.lower.value.getType());
  std::vector<mlir::Location> locations(types.size(), emitter.locate(stmt.range));
  mlir::Block *block = builder.createBlock(&body, {}, types, locations);
  LoopBody inside(emitter, carried, stmt.range);
  mlir::ValueRange begun = block->getArguments().drop_front();
  rebind(emitter, carried, begun);
  bool goesUp = !bounds.isReversed && !bounds.isBackwards;
  if (emitter.isOfThreads() && goesUp && threads::isNotNegative(emitter, bounds.lower.value))
    emitter.risingCounters.insert(block->getArgument(0));
  Tensor variable = loopVariable(emitter, bounds, block->getArgument(0), where);
  if (elementOf)
    emitter.frame->scope.define(name, variable);
  emitter.assign(*stmt.target, elementOf ? elementOf(variable) : Value(variable));
  Flow flow = emitter.run(stmt.body);
  Scope &scope = emitter.frame->scope;
  isVariableReplaced = !scope.values.contains(name) || !isOfForm(scope.values[name], variable.type);
  if (carriesVariable && isVariableReplaced)
    scope.define(name, variable);
  TurnEnd end = endOfTurn(emitter, carried, flow, begun, where, stmt);
  if (!end.exits.empty())
    exits.emplace(emitter, end, !goesByOne(), where);
  return end;
}

bool ForLoop::goesByOne() const {
  auto step = asConstant(bounds.step);
  return step && sema::asInteger(*step) == sema::Integer(1);
}

void ForLoop::makeFor(mlir::Region &body, const TurnEnd &end) {
  mlir::OpBuilder &builder = emitter.builder;
  mlir::Location location = emitter.locate(stmt.range);
  auto loop = mlir::scf::ForOp::create(builder, location, bounds.lower.value, bounds.upper.value,
                                       bounds.step.value, carried.parts);
  keepOptions(builder, loop, range);
  loop.getRegion().takeBody(body);
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(loop.getBody());
  mlir::scf::YieldOp::create(builder, location, end.parts);
  leave(std::move(emitter.frame->scope), loop.getResults());
}

/// Goes on while the bound is not reached and nothing stops the loop.
void ForLoop::makeTest(mlir::scf::WhileOp loop) {
  mlir::OpBuilder &builder = emitter.builder;
  mlir::OpBuilder::InsertionGuard guard(builder);
  mlir::Block *test =
      emitter.builder.createBlock(&loop.getBefore(), {}, loop.getResultTypes(),
                                  std::vector<mlir::Location>(loop.getNumResults(), loop.getLoc()));
  mlir::Value inRange = emitter.make<mlir::arith::CmpIOp>(where, mlir::arith::CmpIPredicate::slt,
                                                          test->getArgument(0), bounds.upper.value);
  Tensor stops{test->getArgument(1 + static_cast<unsigned>(carried.parts.size())),
               {{DType::Int1}, {}}};
  Tensor more = emitter.like<mlir::arith::AndIOp>(where, Tensor{inRange, stops.type},
                                                  *emitter.logicalNot(stops, where).as<Tensor>());
  mlir::scf::ConditionOp::create(builder, loop.getLoc(), more.value, test->getArguments());
}

void ForLoop::makeNextTurn(mlir::Block &body, const TurnEnd &end,
                           llvm::ArrayRef<mlir::Value> exits) {
  mlir::OpBuilder &builder = emitter.builder;
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&body);
  Tensor counter{body.getArgument(0), bounds.lower.type};
  Tensor next = emitter.like<mlir::arith::AddIOp>(where, counter, bounds.step);
  std::vector<mlir::Value> yielded{next.value};
  llvm::append_range(yielded, end.parts);
  llvm::append_range(yielded, exits);
  if (!goesByOne()) { // a counter that wraps past the bound must not go on
    mlir::Value wraps = emitter.make<mlir::arith::CmpIOp>(where, mlir::arith::CmpIPredicate::sle,
                                                          next.value, counter.value);
    mlir::Value &stops = yielded[1 + end.parts.size()];
    stops = emitter.make<mlir::arith::OrIOp>(where, stops, wraps);
  }
  mlir::scf::YieldOp::create(builder, emitter.locate(stmt.range), yielded);
}

Flow ForLoop::makeWhile(mlir::Region &body, const TurnEnd &end, CarriedExits &exits) {
  mlir::Location location = emitter.locate(stmt.range);
  std::vector<mlir::Value> inits{bounds.lower.value}, flags = exits.initial();
  if (!asConstant(bounds.step)) { // a step that leads nowhere makes no turn
    Tensor zero = emitter.integer(0, bounds.step.dtype(), where);
    flags[0] = emitter.make<mlir::arith::CmpIOp>(where, mlir::arith::CmpIPredicate::sle,
                                                 bounds.step.value, zero.value);
  }
  llvm::append_range(inits, carried.parts);
  llvm::append_range(inits, flags);
  auto loop = mlir::scf::WhileOp::create(emitter.builder, location,
                                         mlir::ValueRange(inits).getTypes(), inits);
  keepOptions(emitter.builder, loop, range);
  makeTest(loop);
  loop.getAfter().takeBody(body);
  mlir::Block &turn = loop.getAfter().front();
  for (mlir::Value flag : flags)
    turn.addArgument(flag.getType(), location);
  makeNextTurn(turn, end, exits.final);
  leave(std::move(emitter.frame->scope), loop.getResults().drop_front());
  return exits.leave(loop.getResults().drop_front(1 + carried.parts.size()));
}

/// By the body and, of elements, by the loop itself.
std::set<std::string> ForLoop::namesAssigned() const {
  std::set<std::string> assigned = namesChangedBy(emitter, stmt.body);
  if (elementOf)
    addNames(*stmt.target, assigned);
  return assigned;
}

void ForLoop::leave(Scope before, mlir::ValueRange results) {
  std::set<std::string> assigned = namesAssigned();
  bool isComputed = !carriesVariable && !before.values.contains(name) && !assigned.contains(name);
  assigned.insert(name);
  leaveLoop(emitter, std::move(before), carried, assigned, results.take_front(carried.parts.size()),
            where, stmt);
  if (carriesVariable && isVariableReplaced)
    emitter.frame->scope.lose(name, {where, "the loop's body gives it another type"});
  if (isComputed)
    emitter.frame->scope.lastTurns[name] = [&emitter = emitter, bounds = bounds, where = where] {
      return lastTurn(emitter, bounds, where);
    };
}

Flow ForLoop::run() {
  std::set<std::string> assigned = namesAssigned();
  assigned.erase(name);
  carried = carriedBy(emitter, assigned, stmt.body, where);
  carryVariable();
  Scope before = emitter.frame->scope;
  mlir::Region body;
  std::optional<CarriedExits> exits;
  TurnEnd end = traceBody(body, exits);
  emitter.frame->scope = std::move(before);
  if (exits)
    return makeWhile(body, end, *exits);
  makeFor(body, end);
  return Flow::Next;
}

} // namespace

Flow Emitter::runDynamicFor(const ast::For &stmt, const RangeValue &range,
                            const std::function<Value(const Tensor &)> &element) {
  return retryWider(*this, stmt.range, [&] { return ForLoop(*this, stmt, range, element).run(); });
}

} // namespace nereid::emit
