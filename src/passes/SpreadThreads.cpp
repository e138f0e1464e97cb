// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel of threads as a kernel of tiles: what differs between the threads of a block becomes a
// tile with a lane for each of them, and where threads part, a mask says who goes on. All lanes do
// one operation before any does the next, which is one of the orders that threads may take.
#include "passes/Passes.h"

#include "analysis/Uniformity.h"
#include "passes/ThreadLanes.h"
#include "passes/WarpLanes.h"

#include "llvm/ADT/TypeSwitch.h"

namespace nereid::passes {

#define GEN_PASS_DEF_SPREADTHREADS
#include "passes/Passes.h.inc"

namespace {

using namespace mlir;

class Spreader {
public:
  explicit Spreader(func::FuncOp kernel)
      : kernel(kernel), uniformity(kernel), b(kernel.getContext()),
        lanes(b, *tile::blockOf(kernel)) {}

  void run();

private:
  /// The value as it is now: a scalar, or a tile where threads differ.
  Value now(Value old) const { return values.lookup(old); }
  /// The same as a tile, whatever it is.
  Value spread(Value old) { return lanes.spread(now(old)); }
  bool isTile(Value old) const { return tile::isTile(now(old).getType()); }
  void set(Value old, Value value) { values[old] = value; }
  Type typeOf(Value old) const {
    return uniformity.differs(old) ? lanes.typeOf(old.getType()) : old.getType();
  }
  Value spreadMask() { return mask ? lanes.spread(mask) : Value(); }
  /// As typeOf() says: what differs is a tile even where its value is the same for now.
  Value asTyped(Value old, Value like) { return uniformity.differs(like) ? spread(old) : now(old); }

  void emit(Block &block);
  void emit(Operation *op);
  void emitElementwise(Operation *op);
  void emitLoad(tile::LoadOp op);
  void emitStore(tile::StoreOp op);
  void emitAtomic(tile::AtomicRmwOp op);
  void emitCas(tile::AtomicCasOp op);
  void emitAssert(tile::AssertOp op);
  void emitPrint(tile::PrintOp op);
  void emitCount(tile::SyncThreadsCountOp op);
  void emitIf(scf::IfOp op);
  void emitTogether(scf::IfOp op);
  void emitParted(scf::IfOp op);
  void emitFor(scf::ForOp op);
  void emitPartedFor(scf::ForOp op);
  void emitWhile(scf::WhileOp op);
  void emitPartedWhile(scf::WhileOp op);
  SmallVector<Value> emitWhere(Value where, Block *block, TypeRange types);
  SmallVector<Value> emitUnder(Value where, Block &block);
  Value both(Value one, Value other);
  Value choose(Value where, Value one, Value other);
  void emitIfAny(Value where, llvm::function_ref<void()> emit);

  func::FuncOp kernel;
  analysis::Uniformity uniformity;
  OpBuilder b;
  ThreadLanes lanes;
  llvm::DenseMap<Value, Value> values;
  Value mask; // who goes on here; null: all threads
};

void Spreader::run() {
  Block &old = kernel.getBody().front();
  Block fresh;
  for (BlockArgument argument : old.getArguments())
    set(argument, fresh.addArgument(argument.getType(), argument.getLoc()));
  b.setInsertionPointToEnd(&fresh);
  lanes.at(kernel.getLoc());
  emit(old);
  func::ReturnOp::create(b, old.getTerminator()->getLoc());
  old.erase();
  kernel.getBody().push_back(new Block());
  Block &body = kernel.getBody().front();
  for (BlockArgument argument : fresh.getArguments())
    argument.replaceAllUsesWith(body.addArgument(argument.getType(), argument.getLoc()));
  body.getOperations().splice(body.end(), fresh.getOperations());
  kernel->removeAttr(tile::blockAttr);
}

void Spreader::emit(Block &block) {
  for (Operation &op : block.without_terminator())
    emit(&op);
}

void Spreader::emit(Operation *op) {
  lanes.at(op->getLoc());
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](scf::IfOp branch) { emitIf(branch); })
      .Case([&](scf::ForOp loop) { emitFor(loop); })
      .Case([&](scf::WhileOp loop) { emitWhile(loop); })
      .Case([&](tile::LoadOp load) { emitLoad(load); })
      .Case([&](tile::StoreOp store) { emitStore(store); })
      .Case([&](tile::AtomicRmwOp atomic) { emitAtomic(atomic); })
      .Case([&](tile::AtomicCasOp atomic) { emitCas(atomic); })
      .Case([&](tile::AssertOp check) { emitAssert(check); })
      .Case([&](tile::PrintOp print) { emitPrint(print); })
      .Case([&](tile::ThreadIdOp id) { set(id.getResult(), lanes.index(id.getAxis())); })
      .Case([&](tile::LocalOp local) { set(local.getResult(), lanes.memory(local)); })
      // What one thread promises is no promise of the tile, and all threads are here anyway.
      .Case([&](tile::HintOp hint) { set(hint.getResult(), now(hint.getValue())); })
      .Case<tile::AssumeOp, tile::SyncThreadsOp, tile::SyncWarpOp, tile::VariableOp>(
          [](Operation *) {})
      .Case([&](tile::SyncThreadsCountOp count) { emitCount(count); })
      .Case([&](tile::ShuffleOp shuffle) {
        set(shuffle.getResult(), shuffleLanes(lanes, b, spread(shuffle.getValue()),
                                              spread(shuffle.getSource()), spreadMask()));
      })
      .Case([&](tile::BallotOp ballot) {
        Value holds = both(mask, now(ballot.getPredicate()));
        set(ballot.getResult(),
            ballotLanes(lanes, b, lanes.spread(holds), spread(ballot.getMembers())));
      })
      .Default([&](Operation *other) { emitElementwise(other); });
}

void Spreader::emitElementwise(Operation *op) {
  bool differs = llvm::any_of(op->getOperands(), [&](Value operand) { return isTile(operand); });
  OperationState state(op->getLoc(), op->getName());
  state.addAttributes(op->getAttrs());
  for (Value operand : op->getOperands())
    state.operands.push_back(differs ? spread(operand) : now(operand));
  for (Type type : op->getResultTypes())
    state.types.push_back(differs ? lanes.typeOf(type) : type);
  state.propertiesAttr = op->getPropertiesAsAttribute();
  Operation *made = b.create(state);
  for (auto [result, value] : llvm::zip(op->getResults(), made->getResults()))
    set(result, value);
}

Value Spreader::both(Value one, Value other) {
  if (!one || !other)
    return one ? one : other;
  return arith::AndIOp::create(b, lanes.loc(), lanes.spread(one), lanes.spread(other));
}

Value Spreader::choose(Value where, Value one, Value other) {
  if (one == other)
    return one;
  return arith::SelectOp::create(b, lanes.loc(), lanes.spread(where), lanes.spread(one),
                                 lanes.spread(other));
}

/// Effects of all threads at one place, which must not come about where none is of `where`.
void Spreader::emitIfAny(Value where, llvm::function_ref<void()> emit) {
  if (!where)
    return emit();
  auto branch = scf::IfOp::create(b, lanes.loc(), lanes.any(where), /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  emit();
}

/// One load for each thread; one for all where they would read the same.
void Spreader::emitLoad(tile::LoadOp op) {
  auto make = [&](Value pointer, Value where, Value other) {
    return tile::LoadOp::create(b, op.getLoc(), tile::pointeeOf(pointer.getType()), pointer, where,
                                other, op.getCacheAttr(), op.getEvictionAttr(), op.getIsVolatile());
  };
  Value own = op.getMask() ? now(op.getMask()) : Value();
  bool differs = llvm::any_of(op->getOperands(), [&](Value operand) { return isTile(operand); });
  if (differs) {
    Value where = both(mask, own), other = op.getOther() ? spread(op.getOther()) : Value();
    Value spreadMask = where ? lanes.spread(where) : Value();
    return set(op.getResult(), make(spread(op.getPointer()), spreadMask, other));
  }
  auto loadOnce = [&] {
    return make(now(op.getPointer()), own, op.getOther() ? now(op.getOther()) : Value());
  };
  if (!mask)
    return set(op.getResult(), loadOnce());
  auto branch =
      scf::IfOp::create(b, lanes.loc(), op.getType(), lanes.any(mask), /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, lanes.loc(), loadOnce().getResult());
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, lanes.loc(), lanes.zero(op.getType()));
  set(op.getResult(), branch.getResult(0));
}

void Spreader::emitStore(tile::StoreOp op) {
  bool differs = isTile(op.getPointer()) || isTile(op.getValue());
  auto make = [&](Value pointer, Value value, Value where) {
    tile::StoreOp::create(b, op.getLoc(), pointer, value, where, op.getCacheAttr(),
                          op.getEvictionAttr());
  };
  Value where = both(mask, op.getMask() ? now(op.getMask()) : Value());
  if (differs)
    return make(spread(op.getPointer()), spread(op.getValue()),
                where ? lanes.spread(where) : Value());
  emitIfAny(where, [&] { make(now(op.getPointer()), now(op.getValue()), {}); });
}

void Spreader::emitAtomic(tile::AtomicRmwOp op) {
  Value where = op.getMask() ? both(mask, now(op.getMask())) : mask;
  Value pointer = spread(op.getPointer()), value = spread(op.getValue());
  set(op.getResult(), tile::AtomicRmwOp::create(
                          b, op.getLoc(), value.getType(), op.getKind(), pointer, value,
                          where ? lanes.spread(where) : Value(), op.getOrder(), op.getScope()));
}

/// It has no mask: threads that are left out exchange in memory that nobody reads.
void Spreader::emitCas(tile::AtomicCasOp op) {
  Value pointer = spread(op.getPointer()), expected = spread(op.getExpected()),
        value = spread(op.getValue());
  if (mask) {
    Value aside = lanes.sharedMemory(op.getPointer().getType(), 1);
    pointer = choose(mask, pointer, aside);
  }
  set(op.getResult(), tile::AtomicCasOp::create(b, op.getLoc(), value.getType(), pointer, expected,
                                                value, op.getOrder(), op.getScope()));
}

/// It holds for threads that do not come by.
void Spreader::emitAssert(tile::AssertOp op) {
  Value condition = now(op.getCondition());
  if (mask)
    condition = arith::OrIOp::create(b, op.getLoc(), lanes.spread(condition), lanes.opposite(mask));
  tile::AssertOp::create(b, op.getLoc(), condition, op.getMessage());
}

/// A line for each thread that comes by, one after the other.
void Spreader::emitPrint(tile::PrintOp op) {
  lanes.forEach(mask, [&](llvm::function_ref<Value(Value)> ofThread) {
    SmallVector<Value> printed;
    for (Value value : op.getValues())
      printed.push_back(ofThread(now(value)));
    tile::PrintOp::create(b, op.getLoc(), op.getStyle(), op.getTexts(), printed, op.getIsSigned(),
                          op.getHex(), op.getDebug());
  });
}

void Spreader::emitCount(tile::SyncThreadsCountOp op) {
  Value holds = lanes.spread(both(mask, now(op.getPredicate())));
  set(op.getResult(), lanes.count(holds));
}

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

void Spreader::emitParted(scf::IfOp op) {
  Value condition = spread(op.getCondition());
  SmallVector<Type> types;
  for (Value result : op.getResults())
    types.push_back(lanes.typeOf(result.getType()));
  SmallVector<Value> thenValues = emitWhere(both(mask, condition), op.thenBlock(), types),
                     elseValues;
  lanes.at(op.getLoc());
  if (op.elseBlock())
    elseValues = emitWhere(both(mask, lanes.opposite(condition)), op.elseBlock(), types);
  lanes.at(op.getLoc());
  for (auto [result, one, other] : llvm::zip(op.getResults(), thenValues, elseValues))
    set(result, choose(condition, one, other));
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
  Value lower = spread(op.getLowerBound()), upper = spread(op.getUpperBound()),
        step = spread(op.getStep());
  Value live = both(mask, compare(isUnsigned ? Predicate::ult : Predicate::slt, lower, upper));
  live = both(
      live, compare(isUnsigned ? Predicate::ne : Predicate::sgt, step, lanes.zero(step.getType())));
  SmallVector<Value> initial = {live, lower};
  for (Value value : op.getInitArgs())
    initial.push_back(spread(value));
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

struct SpreadThreads final : impl::SpreadThreadsBase<SpreadThreads> {
  void runOnOperation() override {
    getOperation()->walk([](func::FuncOp kernel) { spreadThreads(kernel); });
  }
};

} // namespace

void spreadThreads(func::FuncOp kernel) {
  if (tile::blockOf(kernel))
    Spreader(kernel).run();
}

} // namespace nereid::passes
