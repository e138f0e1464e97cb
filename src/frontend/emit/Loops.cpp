// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// for and while: static_range is unrolled while tracing, everything else becomes scf.
#include "frontend/emit/Advice.h"
#include "frontend/sema/Promotion.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace nereid::emit {

using sema::ConstantValue;

constexpr sema::Integer longestUnroll = 16384;

namespace {

/// The names that a loop carries from turn to turn, and their values on entry.
struct Carried {
  std::vector<std::string> names;
  std::vector<Value> initial;
  std::vector<mlir::Value> parts;

  std::vector<mlir::Type> types() const {
    std::vector<mlir::Type> types;
    for (mlir::Value part : parts)
      types.push_back(part.getType());
    return types;
  }
};

/// Names that exist before the loop and that its body may assign.
Carried carriedBy(Emitter &emitter, const std::set<std::string> &assigned,
                  const ast::StmtList &body, SourceRange range) {
  Carried carried;
  for (const std::string &name : assigned) {
    const Scope &scope = emitter.frame->scope;
    auto entry = scope.values.find(name);
    if (entry == scope.values.end() || scope.constexprs.contains(name))
      continue;
    carried.names.push_back(name);
    carried.initial.push_back(emitter.runtimeForm(entry->second, range));
    if (auto *block = carried.initial.back().as<BlockPointer>())
      block->isPinned = isOnlyAdvanced(name, body);
    std::vector<Tensor> parts;
    flatten(carried.initial.back(), parts);
    for (const Tensor &part : parts)
      carried.parts.push_back(part.value);
  }
  return carried;
}

void rebind(Emitter &emitter, const Carried &carried, mlir::ValueRange values) {
  llvm::SmallVector<mlir::Value> list(values);
  const mlir::Value *next = list.data();
  for (size_t i = 0; i < carried.names.size(); ++i)
    emitter.frame->scope.define(carried.names[i], rebuild(carried.initial[i], next));
}

bool isSameForm(const Value &lhs, const Value &rhs) {
  if (const auto *tensor = lhs.as<Tensor>()) {
    const auto *other = rhs.as<Tensor>();
    return other && tensor->type == other->type;
  }
  if (const auto *tuple = lhs.as<Tuple>()) {
    const auto *other = rhs.as<Tuple>();
    return other && std::equal(tuple->elements.begin(), tuple->elements.end(),
                               other->elements.begin(), other->elements.end(), isSameForm);
  }
  if (const auto *block = lhs.as<BlockPointer>()) {
    const auto *other = rhs.as<BlockPointer>();
    return other && block->block == other->block && block->base.type == other->base.type &&
           (!block->isPinned || isSameArray(*block, *other));
  }
  return isSame(lhs, rhs);
}

/// The carried values at the end of a turn, which must have kept their types.
std::vector<mlir::Value> finalParts(Emitter &emitter, const Carried &carried, SourceRange range) {
  std::vector<mlir::Value> result;
  for (size_t i = 0; i < carried.names.size(); ++i) {
    const std::string &name = carried.names[i];
    auto entry = emitter.frame->scope.values.find(name);
    NEREID_CHECK(entry != emitter.frame->scope.values.end(), "a carried name was lost");
    Value value = emitter.runtimeForm(entry->second, range);
    if (!isSameForm(carried.initial[i], value))
      failWithNote(range, {{}, startAdvice(name, carried.initial[i], value)},
                   DiagnosticId::carried_type_changed, name, describe(carried.initial[i]),
                   describe(value));
    if (auto *block = value.as<BlockPointer>())
      block->isPinned = carried.initial[i].as<BlockPointer>()->isPinned;
    std::vector<Tensor> parts;
    flatten(value, parts);
    for (const Tensor &part : parts)
      result.push_back(part.value);
  }
  return result;
}

/// After the loop its carried names have the results, and names that it made are gone.
void leaveLoop(Emitter &emitter, Scope before, const Carried &carried,
               const std::set<std::string> &assigned, mlir::ValueRange results, SourceRange range) {
  emitter.frame->scope = std::move(before);
  rebind(emitter, carried, results);
  for (const std::string &name : assigned)
    if (!llvm::is_contained(carried.names, name) && !emitter.frame->scope.constexprs.contains(name))
      emitter.frame->scope.lose(name, range);
}

/// Sets how the body of a run-time loop may be left, and puts the outer loop's rules back.
class LoopBody {
public:
  LoopBody(Emitter &emitter, SourceRange range)
      : emitter(emitter), outerContinue(emitter.frame->continueDepth),
        outerBreak(emitter.frame->breakDepth) {
    emitter.enterRegion(range);
    emitter.frame->continueDepth = emitter.regionDepth;
    emitter.frame->breakDepth = std::nullopt;
  }
  ~LoopBody() {
    --emitter.regionDepth;
    emitter.frame->continueDepth = outerContinue;
    emitter.frame->breakDepth = outerBreak;
  }

private:
  Emitter &emitter;
  std::optional<unsigned> outerContinue, outerBreak;
};

Tensor boundOf(Emitter &emitter, const Value &value, SourceRange range) {
  const auto *constant = value.as<ConstantValue>();
  bool isInteger = constant && sema::asInteger(*constant);
  if (const auto *tensor = value.as<Tensor>())
    isInteger = !tensor->isTile() && !tensor->isPointer() && nereid::isInteger(tensor->dtype());
  if (!isInteger)
    fail(range, DiagnosticId::argument_type, "bound", "range", "an integer scalar",
         describe(value));
  return emitter.toTensor(value, range);
}

} // namespace

Value Emitter::runtimeForm(const Value &value, SourceRange range) {
  if (const auto *block = value.as<BlockPointer>()) {
    BlockPointer free = *block;
    free.isPinned = false;
    return free;
  }
  const auto *tuple = value.as<Tuple>();
  if (!tuple)
    return decay(value, range);
  Tuple result;
  for (const Value &element : tuple->elements)
    result.elements.push_back(runtimeForm(element, range));
  return result;
}

std::vector<Value> Emitter::staticElements(const RangeValue &range, SourceRange where) {
  auto bound = [&](const Value &value) {
    auto constant = asConstant(value);
    auto integer = constant ? sema::asInteger(*constant) : std::nullopt;
    if (!integer)
      failNotConstexpr(*this, value,
                       diagnose(where, DiagnosticId::not_constexpr, "a bound of static_range"));
    return *integer;
  };
  sema::Integer lower = bound(*range.lower), upper = bound(*range.upper), step = bound(*range.step);
  if (step == 0)
    fail(where, DiagnosticId::argument_value, "step", "static_range", "a number other than 0", "0");
  sema::Integer span = step > 0 ? upper - lower : lower - upper, stride = step > 0 ? step : -step;
  sema::Integer count = span <= 0 ? 0 : (span + stride - 1) / stride;
  if (count > longestUnroll)
    fail(where, DiagnosticId::unroll_too_long, sema::toString(ConstantValue(count)),
         sema::toString(ConstantValue(longestUnroll)));
  std::vector<Value> elements;
  for (sema::Integer i = 0; i < count; ++i)
    elements.push_back(integerValue(lower + i * step));
  return elements;
}

Flow Emitter::runFor(const ast::For &stmt) {
  if (!stmt.elseBody.empty())
    fail(stmt.range, DiagnosticId::unsupported_control_flow, "else after a loop");
  Value iterable = evaluate(*stmt.iterable);
  if (const auto *tuple = iterable.as<Tuple>())
    return runStaticFor(stmt, tuple->elements);
  const auto *range = iterable.as<RangeValue>();
  if (!range)
    failWithNote(stmt.iterable->range, {{}, "range, tl.range, tl.static_range and tuples can be"},
                 DiagnosticId::cannot_iterate, describe(iterable));
  if (range->isStatic)
    return runStaticFor(stmt, staticElements(*range, stmt.iterable->range));
  runDynamicFor(stmt, *range);
  return Flow::Next;
}

Flow Emitter::runStaticFor(const ast::For &stmt, const std::vector<Value> &elements) {
  auto outerContinue = std::exchange(frame->continueDepth, regionDepth);
  auto outerBreak = std::exchange(frame->breakDepth, regionDepth);
  Flow flow = Flow::Next;
  for (const Value &element : elements) {
    countStep(stmt.range);
    if (const auto *name = llvm::dyn_cast<ast::Name>(stmt.target.get()))
      frame->scope.define(name->name, element); // stays a constexpr
    else
      assign(*stmt.target, element);
    flow = run(stmt.body);
    if (flow == Flow::Break || flow == Flow::Return)
      break;
  }
  frame->continueDepth = outerContinue;
  frame->breakDepth = outerBreak;
  return flow == Flow::Return ? flow : Flow::Next;
}

namespace {

/// The bounds of a run-time loop, as scf.for reads them: signed, with a positive step.
struct LoopBounds {
  Tensor lower, upper, step;
  DType variableType;
  bool isReversed = false;
  Tensor first; // where a reversed loop starts
};

bool areFarApart(const Value &lower, const Value &upper) {
  auto first = asConstant(lower), last = asConstant(upper);
  auto from = first ? sema::asInteger(*first) : std::nullopt;
  auto to = last ? sema::asInteger(*last) : std::nullopt;
  if (!from || !to)
    return false;
  sema::Integer distance = *from < *to ? *to - *from : *from - *to;
  return distance > std::numeric_limits<int32_t>::max();
}

LoopBounds loopBounds(Emitter &emitter, const RangeValue &range, SourceRange where) {
  LoopBounds bounds;
  bounds.lower = boundOf(emitter, *range.lower, where);
  bounds.upper = boundOf(emitter, *range.upper, where);
  bounds.step = boundOf(emitter, *range.step, where);
  bounds.variableType = sema::promoteIntegers(
      sema::promoteIntegers(bounds.lower.dtype(), bounds.upper.dtype()), bounds.step.dtype());
  if (isBool(bounds.variableType))
    bounds.variableType = DType::Int32;
  auto step = asConstant(*range.step);
  if (step && sema::asInteger(*step) == sema::Integer(0))
    fail(where, DiagnosticId::argument_value, "step", "range", "a number other than 0", "0");
  // scf.for compares as signed, so unsigned bounds count in int64. So do constant bounds further
  // apart than their type can say: MLIR folds such loops away.
  bool isNarrow = isSigned(bounds.variableType) && !areFarApart(*range.lower, *range.upper);
  sema::ScalarType counted{isNarrow ? bounds.variableType : DType::Int64};
  for (Tensor *bound : {&bounds.lower, &bounds.upper, &bounds.step})
    *bound = emitter.cast(emitter.cast(*bound, {bounds.variableType}, where), counted, where);
  if (step && *sema::asInteger(*step) < 0) {
    // range(a, b, -s) runs over a, a - s ...; counting i from b up to a, that is a + b - i.
    bounds.isReversed = true;
    bounds.step = emitter.constant(ConstantValue(-*sema::asInteger(*step)), counted, where);
    std::swap(bounds.lower, bounds.upper);
    bounds.first = emitter.like<mlir::arith::AddIOp>(where, bounds.lower, bounds.upper);
  }
  return bounds;
}

Tensor loopVariable(Emitter &emitter, const LoopBounds &bounds, mlir::Value counter,
                    SourceRange where) {
  Tensor variable{counter, bounds.lower.type};
  if (bounds.isReversed)
    variable = emitter.like<mlir::arith::SubIOp>(where, bounds.first, variable);
  return emitter.cast(variable, {bounds.variableType}, where);
}

void keepOptions(mlir::OpBuilder &builder, mlir::Operation *loop, const RangeValue &range) {
  for (const auto &[name, value] : range.options)
    if (auto integer = sema::asInteger(value))
      loop->setAttr("tile." + name, builder.getI32IntegerAttr(static_cast<int32_t>(*integer)));
}

} // namespace

void Emitter::runDynamicFor(const ast::For &stmt, const RangeValue &range) {
  SourceRange where = stmt.iterable->range;
  LoopBounds bounds = loopBounds(*this, range, where);
  std::set<std::string> assigned = assignedNames(stmt.body), targets;
  if (const auto *name = llvm::dyn_cast<ast::Name>(stmt.target.get()))
    targets.insert(name->name);
  else
    fail(stmt.target->range, DiagnosticId::cannot_unpack, 1, 0);
  for (const std::string &name : targets)
    assigned.erase(name);
  Carried carried = carriedBy(*this, assigned, stmt.body, where);
  Scope before = frame->scope;
  auto loop = mlir::scf::ForOp::create(builder, locate(stmt.range), bounds.lower.value,
                                       bounds.upper.value, bounds.step.value, carried.parts);
  keepOptions(builder, loop, range);
  {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    LoopBody body(*this, stmt.range);
    rebind(*this, carried, loop.getRegionIterArgs());
    assign(*stmt.target, loopVariable(*this, bounds, loop.getInductionVar(), where));
    run(stmt.body);
    std::vector<mlir::Value> parts = finalParts(*this, carried, stmt.iterable->range);
    if (loop.getBody()->mightHaveTerminator())
      loop.getBody()->getTerminator()->erase();
    builder.setInsertionPointToEnd(loop.getBody());
    mlir::scf::YieldOp::create(builder, locate(stmt.range), parts);
  }
  assigned.merge(targets);
  leaveLoop(*this, std::move(before), carried, assigned, loop.getResults(), stmt.iterable->range);
}

void Emitter::runWhile(const ast::While &stmt) {
  if (!stmt.elseBody.empty())
    fail(stmt.range, DiagnosticId::unsupported_control_flow, "else after a loop");
  SourceRange where = stmt.condition->range;
  std::set<std::string> assigned = assignedNames(stmt.body);
  assigned.merge(assignedNames(*stmt.condition));
  Carried carried = carriedBy(*this, assigned, stmt.body, where);
  Scope before = frame->scope;
  std::vector<mlir::Type> types = carried.types();
  std::vector<mlir::Location> locations(types.size(), locate(stmt.range));
  mlir::OpBuilder::InsertPoint outside = builder.saveInsertionPoint();
  mlir::Region test, turn;
  bool neverRuns = false;
  {
    LoopBody body(*this, stmt.range);
    mlir::Block *block = builder.createBlock(&test, {}, types, locations);
    rebind(*this, carried, block->getArguments());
    auto truth = condition(evaluate(*stmt.condition), where);
    if (const bool *constant = std::get_if<bool>(&truth)) {
      if (*constant)
        fail(where, DiagnosticId::unsupported_control_flow, "a while loop that never ends");
      neverRuns = true;
    } else {
      mlir::scf::ConditionOp::create(builder, locate(where), std::get<mlir::Value>(truth),
                                     finalParts(*this, carried, where));
    }
  }
  if (!neverRuns) {
    LoopBody body(*this, stmt.range);
    frame->scope = before;
    mlir::Block *block = builder.createBlock(&turn, {}, types, locations);
    rebind(*this, carried, block->getArguments());
    run(stmt.body);
    mlir::scf::YieldOp::create(builder, locate(stmt.range), finalParts(*this, carried, where));
  }
  builder.restoreInsertionPoint(outside);
  if (neverRuns) {
    frame->scope = std::move(before);
    return;
  }
  auto loop = mlir::scf::WhileOp::create(builder, locate(stmt.range), types, carried.parts);
  loop.getBefore().takeBody(test);
  loop.getAfter().takeBody(turn);
  leaveLoop(*this, std::move(before), carried, assigned, loop.getResults(), where);
}

} // namespace nereid::emit
