// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Branches and loops of the kernel itself. Scalars travel in stack slots, which LLVM turns into
// registers; tiles travel in their buffers.
#include "backend/cpu/emit/KernelEmitter.h"
#include "backend/cpu/products/SumsFromZero.h"
#include "backend/llvm/TripCount.h"

#include "llvm/IR/MDBuilder.h"

using namespace mlir;

namespace nereid::backend::cpu {

namespace {

/// Stack slots for scalars that cross an edge.
class ScalarSlots {
public:
  ScalarSlots(Builder &b, LaneBuilder &lanes, ValueRange values) : b(b) {
    for (Value value : values) {
      bool isScalar = !tile::isTile(value.getType());
      slots.push_back(isScalar ? lanes.stackSlot(lanes.laneType(value.getType())) : nullptr);
    }
  }
  bool isScalar(unsigned i) const { return slots[i]; }
  void set(unsigned i, llvm::Value *value) { b.CreateStore(value, slots[i]); }
  llvm::Value *get(unsigned i) { return b.CreateLoad(slots[i]->getAllocatedType(), slots[i]); }
  llvm::SmallVector<llvm::Value *> all() const { return llvm::to_vector_of<llvm::Value *>(slots); }

private:
  Builder &b;
  llvm::SmallVector<llvm::AllocaInst *, 4> slots;
};

} // namespace

/// Puts a tile's value into another's buffer.
void KernelEmitter::assignTile(Value source, Value target) {
  if (!plan.shareBuffer(source, target))
    writeTile(source, plan.offsetOf(target), /*isDefinition=*/false);
}

void KernelEmitter::emitIf(scf::IfOp op) {
  ScalarSlots slots(b, laneBuilder, op.getResults());
  llvm::BasicBlock *thenBlock = newBlock("then"), *elseBlock = newBlock("else"),
                   *done = newBlock("endif");
  b.CreateCondBr(scalar(op.getCondition()), thenBlock, elseBlock);
  auto emitBranch = [&](llvm::BasicBlock *into, Block *body) {
    b.SetInsertPoint(into);
    if (body) {
      emitBlock(*body);
      for (auto [i, yielded] : llvm::enumerate(body->getTerminator()->getOperands())) {
        if (slots.isScalar(i))
          slots.set(i, scalar(yielded));
        else
          assignTile(yielded, op.getResult(i));
      }
    }
    b.CreateBr(done);
  };
  emitBranch(thenBlock, op.thenBlock());
  emitBranch(elseBlock, op.elseBlock());
  b.SetInsertPoint(done);
  for (auto [i, result] : llvm::enumerate(op.getResults()))
    if (slots.isScalar(i))
      scalars[result] = slots.get(i);
}

/// Of a loop with constant bounds.
static std::optional<uint64_t> knownTrips(Operation *op) {
  auto loop = llvm::dyn_cast<scf::ForOp>(op);
  std::optional<APInt> trips = loop ? loop.getStaticTripCount() : std::nullopt;
  return trips ? std::optional(trips->getLimitedValue(1u << 20)) : std::nullopt;
}

/// Elements that a block computes, roughly; loops of unknown length once.
static uint64_t workOf(Block &block) {
  uint64_t work = 1;
  for (Operation &op : block) {
    uint64_t most = 1;
    for (Type type : op.getResultTypes())
      if (tile::isTile(type))
        most = std::max<uint64_t>(most, tile::elementCount(type));
    if (auto dot = llvm::dyn_cast<tile::DotOp>(op))
      most *= tile::shapeOf(dot.getLhs().getType()).back();
    work += most;
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        work += knownTrips(&op).value_or(1) * workOf(inner);
  }
  return std::min(work, KernelEmitter::workBetweenLooks);
}

/// At the end of a round: once in about a millisecond the runtime is asked whether the launch is to
/// be ended, in which case it does not come back. It touches nothing that the kernel could see.
/// What is around a short loop does it for that one.
void KernelEmitter::emitLookUp(Operation *loop) {
  constexpr uint64_t shortWork = workBetweenLooks / 16;
  uint64_t work = 0; // of a round: of while, the condition's and the body's
  for (Region &region : loop->getRegions())
    work += workOf(region.front());
  std::optional<uint64_t> trips = knownTrips(loop);
  if (trips && *trips * work < shortWork)
    return;
  llvm::Value *left = b.CreateSub(b.CreateLoad(b.getInt64Ty(), workLeft), b.getInt64(work));
  b.CreateStore(left, workLeft);
  llvm::BasicBlock *look = newBlock("look_up"), *on = newBlock("on");
  llvm::MDNode *rarely = llvm::MDBuilder(b.getContext()).createUnlikelyBranchWeights();
  b.CreateCondBr(b.CreateICmpSLT(left, b.getInt64(0)), look, on, rarely);
  b.SetInsertPoint(look);
  auto *type = llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy()}, false);
  llvm::CallInst *call = b.CreateCall(module.getOrInsertFunction("nereidLookUp", type), {context});
  call->addFnAttr(llvm::Attribute::Cold);
  call->setMemoryEffects(llvm::MemoryEffects::inaccessibleMemOnly());
  b.CreateStore(b.getInt64(workBetweenLooks), workLeft);
  b.CreateBr(on);
  b.SetInsertPoint(on);
}

/// Where a loop without a round goes: nobody has written the zeros yet that these sums begin with,
/// in each part of a shared loop.
llvm::BasicBlock *KernelEmitter::noRound(scf::ForOp loop, llvm::ArrayRef<unsigned> fromZero,
                                         llvm::BasicBlock *after) {
  llvm::IRBuilderBase::InsertPointGuard guard(b);
  llvm::BasicBlock *none = newBlock("no.round");
  b.SetInsertPoint(none);
  for (unsigned position : fromZero)
    assignTile(loop.getInitArgs()[position], loop.getRegionIterArg(position));
  b.CreateBr(after);
  return none;
}

void KernelEmitter::emitFor(scf::ForOp op) {
  bool isShared = shareable && shareable->loop == op;
  llvm::Value *lower = scalar(op.getLowerBound()), *step = scalar(op.getStep());
  llvm::Value *count = tripCount(b, lower, scalar(op.getUpperBound()), step, op.getUnsignedCmp());
  Rounds rounds{llvm::ConstantInt::get(count->getType(), 0), count, count};
  if (isShared)
    rounds = roundsOfPart(count);
  ScalarSlots slots(b, laneBuilder, op.getRegionIterArgs());
  llvm::DenseMap<unsigned, llvm::Value *> grown; // what parts know without the others
  llvm::SmallVector<unsigned> fromZero;          // whose first round writes them
  for (auto [i, initial] : llvm::enumerate(op.getInitArgs())) {
    if (slots.isScalar(i))
      slots.set(i, isShared ? beginScalar(i, scalar(initial), rounds) : scalar(initial));
    if (slots.isScalar(i) && isShared && !shareable->carried[i].isSum())
      grown[i] = carriedAfter(i, scalar(initial), count);
    if (slots.isScalar(i))
      continue;
    if (dotFromZero(op, i, plan, target))
      fromZero.push_back(i);
    else if (isShared)
      beginTile(initial, op.getRegionIterArg(i));
    else
      assignTile(initial, op.getRegionIterArg(i));
  }
  auto body = [&](llvm::Value *round) {
    if (!fromZero.empty())
      firstRounds[op] = b.CreateICmpEQ(round, rounds.first);
    scalars[op.getInductionVar()] = b.CreateAdd(lower, b.CreateMul(round, step));
    for (auto [i, argument] : llvm::enumerate(op.getRegionIterArgs()))
      if (slots.isScalar(i))
        scalars[argument] = slots.get(i);
    emitBlock(*op.getBody());
    for (auto [i, yielded] : llvm::enumerate(op.getYieldedValues()))
      if (slots.isScalar(i))
        slots.set(i, scalar(yielded));
    emitYield(op);
  };
  llvm::BasicBlock *before = b.GetInsertBlock(), *inside = newBlock("for"),
                   *after = newBlock("endfor");
  llvm::Type *type = count->getType();
  llvm::Value *hasRounds = b.CreateICmpNE(rounds.first, rounds.end);
  b.CreateCondBr(hasRounds, inside, fromZero.empty() ? after : noRound(op, fromZero, after));
  b.SetInsertPoint(inside);
  llvm::PHINode *round = b.CreatePHI(type, 2, "round");
  round->addIncoming(rounds.first, before);
  body(round);
  emitLookUp(op);
  llvm::Value *next = b.CreateAdd(round, llvm::ConstantInt::get(type, 1));
  round->addIncoming(next, b.GetInsertBlock());
  b.CreateCondBr(b.CreateICmpEQ(next, rounds.end), after, inside);
  b.SetInsertPoint(after);
  if (isShared)
    meetParts(slots.all());
  for (auto [i, result] : llvm::enumerate(op.getResults()))
    if (slots.isScalar(i))
      scalars[result] = grown.contains(i) ? grown.lookup(i) : slots.get(i);
}

/// What is carried is read lane for lane, so that all of a vector is there before any is written.
void KernelEmitter::emitTogether(scf::ForOp op, llvm::ArrayRef<unsigned> positions) {
  llvm::SmallVector<Value> values;
  for (unsigned position : positions)
    values.push_back(op.getYieldedValues()[position]);
  llvm::ArrayRef<int64_t> shape = tile::shapeOf(values.front().getType());
  unsigned vectorDim = vectorDimFor(values, shape);
  unsigned width = widthFor(values, shape[vectorDim], 2);
  Nest nest(*this, shape, innermostLast(shape.size(), vectorDim), vectorDim, width);
  nest.distinguishInactive();
  nest.turnLoads();
  nest.askAhead(op.getBody()->getTerminator());
  for (Value value : values)
    nest.expect(value, nest.identity());
  nest.emit([&] {
    llvm::SmallVector<llvm::Value *> lanes;
    for (Value value : values)
      lanes.push_back(nest.vector(nest.evaluate(value, nest.identity())));
    for (auto [position, vector] : llvm::zip(positions, lanes)) {
      Value argument = op.getRegionIterArg(position);
      nest.writeScratch(plan.offsetOf(argument), shape, tile::elementOf(argument.getType()),
                        nest.identity(), vector);
    }
  });
}

/// The new carried tiles. Those that lie in another carried tile's buffer are set aside first;
/// those computed in place come before plain copies could overwrite what they read.
void KernelEmitter::emitYield(scf::ForOp op) {
  auto tiles = [&](llvm::function_ref<void(Value, Value)> each) {
    for (auto [yielded, argument] : llvm::zip(op.getYieldedValues(), op.getRegionIterArgs()))
      if (tile::isTile(yielded.getType()))
        each(yielded, argument);
  };
  uint64_t aside = plan.temporaryOf(op.getBody()->getTerminator());
  llvm::SmallVector<std::pair<Value, uint64_t>> setAside;
  tiles([&](Value yielded, Value argument) {
    if (!plan.isInCarriedBuffer(yielded, op) || plan.shareBuffer(yielded, argument))
      return;
    writeTile(yielded, aside, /*isDefinition=*/false);
    setAside.emplace_back(argument, aside);
    aside += llvm::alignTo(storedBytes(yielded.getType()), scratchAlignment);
  });
  auto isAside = [&](Value argument) {
    return llvm::any_of(setAside, [&](auto &entry) { return entry.first == argument; });
  };
  llvm::ArrayRef<unsigned> together = plan.updatedTogether(op);
  if (!together.empty())
    emitTogether(op, together);
  auto isDone = [&](Value argument) {
    return llvm::any_of(together, [&](unsigned i) { return op.getRegionIterArg(i) == argument; });
  };
  for (bool inPlace : {true, false})
    tiles([&](Value yielded, Value argument) {
      bool isVirtualUpdate = plan.isUpdatedInPlace(yielded) && !plan.isStored(yielded);
      if (isVirtualUpdate == inPlace && !isAside(argument) && !isDone(argument))
        assignTile(yielded, argument);
    });
  for (auto [argument, offset] : setAside)
    b.CreateMemCpy(scratch(plan.offsetOf(argument)), llvm::Align(scratchAlignment), scratch(offset),
                   llvm::Align(scratchAlignment), storedBytes(argument.getType()));
}

void KernelEmitter::emitWhile(scf::WhileOp op) {
  ScalarSlots before(b, laneBuilder, op.getBeforeArguments());
  ScalarSlots after(b, laneBuilder, op.getAfterArguments());
  auto pass = [&](ScalarSlots &slots, ValueRange values, ValueRange targets) {
    for (auto [i, value] : llvm::enumerate(values)) {
      if (slots.isScalar(i))
        slots.set(i, scalar(value));
      else
        assignTile(value, targets[i]);
    }
  };
  auto receive = [&](ScalarSlots &slots, ValueRange targets) {
    for (auto [i, target] : llvm::enumerate(targets))
      if (slots.isScalar(i))
        scalars[target] = slots.get(i);
  };
  llvm::BasicBlock *test = newBlock("while"), *body = newBlock("while.body"),
                   *done = newBlock("while.end");
  pass(before, op.getInits(), op.getBeforeArguments());
  b.CreateBr(test);
  b.SetInsertPoint(test);
  receive(before, op.getBeforeArguments());
  emitBlock(*op.getBeforeBody());
  scf::ConditionOp condition = op.getConditionOp();
  pass(after, condition.getArgs(), op.getAfterArguments());
  b.CreateCondBr(scalar(condition.getCondition()), body, done);
  b.SetInsertPoint(body);
  receive(after, op.getAfterArguments());
  emitBlock(*op.getAfterBody());
  pass(before, op.getAfterBody()->getTerminator()->getOperands(), op.getBeforeArguments());
  emitLookUp(op);
  b.CreateBr(test);
  b.SetInsertPoint(done);
  receive(after, op.getResults());
}

} // namespace nereid::backend::cpu
