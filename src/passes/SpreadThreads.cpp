// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel of threads as a kernel of tiles: what differs between the threads of a block becomes a
// tile with a lane for each of them, and where threads part, a mask says who goes on. All lanes do
// one operation before any does the next, which is one of the orders that threads may take.
#include "passes/Passes.h"

#include "passes/Spreader.h"
#include "passes/WarpLanes.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nereid::passes {

#define GEN_PASS_DEF_SPREADTHREADS
#include "passes/Passes.h.inc"

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
      .Case([&](tile::SyncThreadsOp sync) { // those of other blocks are not here
        if (sync.getWholeGrid())
          tile::SyncThreadsOp::create(b, sync.getLoc(), /*whole_grid=*/true);
      })
      .Case<tile::AssumeOp, tile::CheckIndexOp, tile::SyncWarpOp, tile::VariableOp>(
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
      .Case([&](tile::ActiveMaskOp active) { // all that come by are here at once
        Value here = mask ? lanes.spread(mask) : lanes.everyone();
        Value everyLane = lanes.spread(lanes.integer(-1, 32));
        set(active.getResult(), ballotLanes(lanes, b, here, everyLane));
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
  SmallVector<OpFoldResult> folded;
  bool isThere = succeeded(made->fold(folded)) && folded.size() == 1 && llvm::isa<Value>(folded[0]);
  for (auto [result, value] : llvm::zip(op->getResults(), made->getResults()))
    set(result, isThere ? llvm::cast<Value>(folded[0]) : value);
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

namespace {

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
