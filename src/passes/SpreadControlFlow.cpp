// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Branches and loops of a kernel of threads: where threads part, both sides are run under masks,
// and a loop goes round while any thread does.
#include "passes/Spreader.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace nereid::passes {

// Branches

void Spreader::emitIf(scf::IfOp op) { uniformity.parts(op) ? emitParted(op) : emitTogether(op); }

void Spreader::emitTogether(scf::IfOp op) {
  SmallVector<Type> types;
  for (Value result : op.getResults())
    types.push_back(typeOf(result));
  auto branch =
      scf::IfOp::create(b, op.getLoc(), types, now(op.getCondition()), op.elseBlock() != nullptr);
  for (auto [from, into] : {std::pair(op.thenBlock(), branch.thenBlock()),
                            std::pair(op.elseBlock(), branch.elseBlock())}) {
    if (!from)
      continue;
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(into);
    emit(*from);
    if (types.empty())
      continue; // the terminator is there
    lanes.at(op.getLoc());
    SmallVector<Value> yielded;
    for (auto [value, result] : llvm::zip(from->getTerminator()->getOperands(), op.getResults()))
      yielded.push_back(asTyped(value, result));
    scf::YieldOp::create(b, op.getLoc(), yielded);
  }
  for (auto [result, value] : llvm::zip(op.getResults(), branch.getResults()))
    set(result, value);
}

/// What the block yields, computed by the threads of `where`.
SmallVector<Value> Spreader::emitUnder(Value where, Block &block) {
  Value outer = std::exchange(mask, where);
  emit(block);
  lanes.at(block.getTerminator()->getLoc());
  mask = outer;
  SmallVector<Value> yielded;
  for (Value value : block.getTerminator()->getOperands())
    yielded.push_back(now(value));
  return yielded;
}

/// Loops and what stands in them would go round for nobody.
static bool isWorthSkipping(Block &block) {
  return block
      .walk([](Operation *op) {
        return llvm::isa<scf::ForOp, scf::WhileOp>(op) ? WalkResult::interrupt()
                                                       : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The same, skipped where there is no such thread if that is worth it.
SmallVector<Value> Spreader::emitWhere(Value where, Block *block, TypeRange types) {
  if (!isWorthSkipping(*block))
    return emitUnder(where, *block);
  auto branch =
      scf::IfOp::create(b, lanes.loc(), types, lanes.any(where), /*withElseRegion=*/!types.empty());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  SmallVector<Value> yielded = emitUnder(where, *block);
  if (types.empty())
    return {};
  for (Value &value : yielded)
    value = lanes.spread(value);
  scf::YieldOp::create(b, lanes.loc(), yielded);
  b.setInsertionPointToStart(branch.elseBlock());
  SmallVector<Value> nothing;
  for (Type type : types)
    nothing.push_back(lanes.zero(type));
  scf::YieldOp::create(b, lanes.loc(), nothing);
  return llvm::to_vector_of<Value>(branch.getResults());
}

/// The load under `where`, of which no more is computed than what leaves zero as it is; null if the
/// value is something else.
static tile::LoadOp loadOf(Value value, Value where) {
  using namespace arith;
  Operation *op = value.getDefiningOp();
  while (op && llvm::isa<ExtSIOp, ExtUIOp, TruncIOp, ExtFOp, TruncFOp, SIToFPOp, UIToFPOp>(op))
    op = op->getOperand(0).getDefiningOp();
  auto load = llvm::dyn_cast_if_present<tile::LoadOp>(op);
  return load && load.getMask() == where && !load.getOther() ? load : tile::LoadOp();
}

/// `x[i] if inside else 0`: the load itself gives the zero, and nothing is chosen.
bool Spreader::loadsZeroElse(Value value, Value where, Value other) {
  tile::LoadOp load = loadOf(value, where);
  if (!load || !(matchPattern(other, m_Zero()) || matchPattern(other, m_PosZeroFloat())))
    return false;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(load);
  load.getOtherMutable().assign(lanes.zero(load.getType()));
  return true;
}

void Spreader::emitParted(scf::IfOp op) {
  Value condition = spread(op.getCondition());
  SmallVector<Type> types;
  for (Value result : op.getResults())
    types.push_back(lanes.typeOf(result.getType()));
  Value where = both(mask, condition);
  SmallVector<Value> thenValues = emitWhere(where, op.thenBlock(), types), elseValues;
  lanes.at(op.getLoc());
  if (op.elseBlock())
    elseValues = emitWhere(both(mask, lanes.opposite(condition)), op.elseBlock(), types);
  lanes.at(op.getLoc());
  for (auto [result, one, other] : llvm::zip(op.getResults(), thenValues, elseValues))
    set(result, loadsZeroElse(one, where, other) ? one : choose(condition, one, other));
}

// Loops

void Spreader::emitFor(scf::ForOp op) {
  if (uniformity.parts(op))
    return emitPartedFor(op);
  SmallVector<Value> initial;
  for (auto [value, argument] : llvm::zip(op.getInitArgs(), op.getRegionIterArgs()))
    initial.push_back(asTyped(value, argument));
  auto loop = scf::ForOp::create(b, op.getLoc(), now(op.getLowerBound()), now(op.getUpperBound()),
                                 now(op.getStep()), initial, nullptr, op.getUnsignedCmp());
  if (loop.getBody()->mightHaveTerminator() && !loop.getBody()->empty())
    loop.getBody()->back().erase();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  set(op.getInductionVar(), loop.getInductionVar());
  for (auto [old, argument] : llvm::zip(op.getRegionIterArgs(), loop.getRegionIterArgs()))
    set(old, argument);
  emit(*op.getBody());
  lanes.at(op.getLoc());
  SmallVector<Value> yielded;
  for (auto [value, argument] : llvm::zip(op.getYieldedValues(), op.getRegionIterArgs()))
    yielded.push_back(asTyped(value, argument));
  scf::YieldOp::create(b, op.getLoc(), yielded);
  for (auto [old, result] : llvm::zip(op.getResults(), loop.getResults()))
    set(old, result);
}

/// While any thread goes on, each with a counter of its own. What is left up to the bound is
/// positive while it does, and compared as unsigned never wraps.
void Spreader::emitPartedFor(scf::ForOp op) {
  using Predicate = arith::CmpIPredicate;
  auto compare = [&](Predicate predicate, Value lhs, Value rhs) {
    return arith::CmpIOp::create(b, op.getLoc(), predicate, lhs, rhs).getResult();
  };
  bool isUnsigned = op.getUnsignedCmp();
  SmallVector<Value> carried;
  for (Value value : op.getInitArgs())
    carried.push_back(spread(value));
  std::optional<Start> start = startOf(op);
  Value lower = start ? emitWholeTurns(op, *start, carried) : spread(op.getLowerBound());
  Value upper = spread(op.getUpperBound()), step = spread(op.getStep());
  Value live = both(mask, compare(isUnsigned ? Predicate::ult : Predicate::slt, lower, upper));
  live = both(
      live, compare(isUnsigned ? Predicate::ne : Predicate::sgt, step, lanes.zero(step.getType())));
  SmallVector<Value> initial = {live, lower};
  llvm::append_range(initial, carried);
  SmallVector<Type> types(ValueRange(initial).getTypes());
  SmallVector<Location> places(types.size(), op.getLoc());
  auto loop = scf::WhileOp::create(b, op.getLoc(), types, initial);
  OpBuilder::InsertionGuard guard(b);
  Block *test = b.createBlock(&loop.getBefore(), {}, types, places);
  scf::ConditionOp::create(b, op.getLoc(), lanes.any(test->getArgument(0)), test->getArguments());
  Block *turn = b.createBlock(&loop.getAfter(), {}, types, places);
  live = turn->getArgument(0);
  Value counter = turn->getArgument(1);
  set(op.getInductionVar(), counter);
  for (auto [old, argument] : llvm::zip(op.getRegionIterArgs(), turn->getArguments().drop_front(2)))
    set(old, argument);
  SmallVector<Value> yielded = emitUnder(live, *op.getBody());
  lanes.at(op.getLoc());
  Value left = arith::SubIOp::create(b, op.getLoc(), upper, counter);
  SmallVector<Value> next = {both(live, compare(Predicate::ugt, left, step)),
                             arith::AddIOp::create(b, op.getLoc(), counter, step)};
  for (auto [value, before] : llvm::zip(yielded, turn->getArguments().drop_front(2)))
    next.push_back(choose(live, value, before));
  scf::YieldOp::create(b, op.getLoc(), next);
  for (auto [old, result] : llvm::zip(op.getResults(), loop.getResults().drop_front(2)))
    set(old, result);
}

void Spreader::emitWhile(scf::WhileOp op) {
  if (uniformity.parts(op))
    return emitPartedWhile(op);
  SmallVector<Value> initial;
  for (auto [value, argument] : llvm::zip(op.getInits(), op.getBeforeArguments()))
    initial.push_back(asTyped(value, argument));
  SmallVector<Type> types, resultTypes;
  for (Value argument : op.getBeforeArguments())
    types.push_back(typeOf(argument));
  for (Value result : op.getResults())
    resultTypes.push_back(typeOf(result));
  auto loop = scf::WhileOp::create(b, op.getLoc(), resultTypes, initial);
  OpBuilder::InsertionGuard guard(b);
  auto open = [&](Region &region, ArrayRef<Type> list, ValueRange arguments) {
    SmallVector<Location> places(list.size(), op.getLoc());
    Block *block = b.createBlock(&region, {}, list, places);
    for (auto [old, argument] : llvm::zip(arguments, block->getArguments()))
      set(old, argument);
  };
  open(loop.getBefore(), types, op.getBeforeArguments());
  emit(*op.getBeforeBody());
  lanes.at(op.getLoc());
  SmallVector<Value> passed;
  for (auto [value, result] : llvm::zip(op.getConditionOp().getArgs(), op.getResults()))
    passed.push_back(asTyped(value, result));
  scf::ConditionOp::create(b, op.getLoc(), now(op.getConditionOp().getCondition()), passed);
  open(loop.getAfter(), resultTypes, op.getAfterArguments());
  emit(*op.getAfterBody());
  lanes.at(op.getLoc());
  SmallVector<Value> yielded;
  for (auto [value, argument] :
       llvm::zip(op.getAfterBody()->getTerminator()->getOperands(), op.getBeforeArguments()))
    yielded.push_back(asTyped(value, argument));
  scf::YieldOp::create(b, op.getLoc(), yielded);
  for (auto [old, result] : llvm::zip(op.getResults(), loop.getResults()))
    set(old, result);
}

/// While any thread goes on. The loop carries who does, what each carries, and what each has passed
/// out of the test, which stays as it is once a thread has left.
void Spreader::emitPartedWhile(scf::WhileOp op) {
  scf::ConditionOp condition = op.getConditionOp();
  SmallVector<Value> initial = {mask ? lanes.spread(mask) : lanes.everyone()};
  for (Value value : op.getInits())
    initial.push_back(spread(value));
  SmallVector<Type> resultTypes;
  for (Value result : op.getResults())
    resultTypes.push_back(lanes.typeOf(result.getType()));
  for (Type type : resultTypes)
    initial.push_back(lanes.zero(type));
  SmallVector<Type> types(ValueRange(initial).getTypes()), passedTypes = {types[0]};
  llvm::append_range(passedTypes, resultTypes);
  SmallVector<Location> places(types.size(), op.getLoc()),
      passedPlaces(passedTypes.size(), op.getLoc());
  size_t carried = op.getInits().size();

  auto loop = scf::WhileOp::create(b, op.getLoc(), passedTypes, initial);
  OpBuilder::InsertionGuard guard(b);
  Block *test = b.createBlock(&loop.getBefore(), {}, types, places);
  Value live = test->getArgument(0);
  for (auto [old, argument] : llvm::zip(op.getBeforeArguments(), test->getArguments().drop_front()))
    set(old, argument);
  Value outer = std::exchange(mask, live);
  emit(*op.getBeforeBody());
  lanes.at(op.getLoc());
  mask = outer;
  SmallVector<Value> passed = {both(live, now(condition.getCondition()))};
  for (auto [value, before] :
       llvm::zip(condition.getArgs(), test->getArguments().drop_front(1 + carried)))
    passed.push_back(lanes.spread(choose(live, now(value), before)));
  scf::ConditionOp::create(b, op.getLoc(), lanes.any(passed[0]), passed);

  Block *turn = b.createBlock(&loop.getAfter(), {}, passedTypes, passedPlaces);
  for (auto [old, argument] : llvm::zip(op.getAfterArguments(), turn->getArguments().drop_front()))
    set(old, argument);
  SmallVector<Value> next = {turn->getArgument(0)};
  for (Value value : emitUnder(turn->getArgument(0), *op.getAfterBody()))
    next.push_back(lanes.spread(value));
  lanes.at(op.getLoc());
  llvm::append_range(next, turn->getArguments().drop_front());
  scf::YieldOp::create(b, op.getLoc(), next);
  for (auto [old, result] : llvm::zip(op.getResults(), loop.getResults().drop_front()))
    set(old, result);
}

} // namespace nereid::passes
