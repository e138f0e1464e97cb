// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Branches and loops. All threads of a program take the same way, so that a barrier may stand
// anywhere. What crosses an edge travels in stack slots, of which LLVM makes registers.
#include "backend/llvm/TripCount.h"
#include "backend/gpu/emit/TileEmitter.h"

using namespace mlir;

namespace nereid::backend::gpu {

namespace {

/// Lanes narrower than a register of the machine share slots of 32 bits.
class Slots {
public:
  Slots(LaneBuilder &lanes, llvm::ArrayRef<std::pair<Type, unsigned>> values) : b(lanes.builder()) {
    for (auto [type, count] : values) {
      llvm::Type *lane = lanes.laneType(tile::elementOf(type));
      unsigned bits = lane->isPointerTy() ? 64 : lane->getScalarSizeInBits();
      unsigned together = bits == 8 || bits == 16 ? std::min(32 / bits, count) : 1;
      Slot &slot = slots.emplace_back(Slot{lane, together, {}});
      llvm::Type *word =
          together == 1 ? lane : llvm::FixedVectorType::get(b.getIntNTy(bits), together);
      for (unsigned i = 0; i < count; i += together)
        slot.words.push_back(lanes.stackSlot(word));
    }
  }

  void set(unsigned i, llvm::ArrayRef<llvm::Value *> registers) {
    Slot &slot = slots[i];
    for (auto [w, word] : llvm::enumerate(slot.words)) {
      llvm::Value *value = registers[w * slot.together];
      if (slot.together > 1) {
        auto *type = llvm::cast<llvm::FixedVectorType>(word->getAllocatedType());
        value = llvm::PoisonValue::get(type);
        for (unsigned part = 0; part < slot.together; ++part)
          value = b.CreateInsertElement(
              value, b.CreateBitCast(registers[w * slot.together + part], type->getElementType()),
              part);
      }
      b.CreateStore(value, word);
    }
  }

  Registers get(unsigned i) {
    Slot &slot = slots[i];
    Registers registers;
    for (llvm::AllocaInst *word : slot.words) {
      llvm::Value *value = b.CreateLoad(word->getAllocatedType(), word);
      for (unsigned part = 0; part < slot.together; ++part)
        registers.push_back(slot.together == 1
                                ? value
                                : b.CreateBitCast(b.CreateExtractElement(value, part), slot.lane));
    }
    return registers;
  }

private:
  struct Slot {
    llvm::Type *lane;
    unsigned together;
    llvm::SmallVector<llvm::AllocaInst *, 8> words;
  };

  Builder &b;
  llvm::SmallVector<Slot> slots;
};

} // namespace

static llvm::SmallVector<std::pair<Type, unsigned>>
sizesOf(ValueRange values, llvm::function_ref<unsigned(Type)> registerCount) {
  llvm::SmallVector<std::pair<Type, unsigned>> sizes;
  for (Value value : values)
    sizes.emplace_back(value.getType(), registerCount(value.getType()));
  return sizes;
}

void TileEmitter::emitIf(scf::IfOp op) {
  Slots slots(lanes, sizesOf(op.getResults(), registerCount));
  llvm::BasicBlock *thenBlock = newBlock("then"), *elseBlock = newBlock("else"),
                   *done = newBlock("endif");
  b.CreateCondBr(scalar(op.getCondition()), thenBlock, elseBlock);
  auto emitBranch = [&](llvm::BasicBlock *into, Block *body) {
    b.SetInsertPoint(into);
    shared.forget();
    if (body) {
      emitBlock(*body);
      for (auto [i, yielded] : llvm::enumerate(body->getTerminator()->getOperands()))
        slots.set(i, registersOf(yielded));
    }
    b.CreateBr(done);
  };
  emitBranch(thenBlock, op.thenBlock());
  emitBranch(elseBlock, op.elseBlock());
  b.SetInsertPoint(done);
  shared.forget();
  for (auto [i, result] : llvm::enumerate(op.getResults()))
    values[result] = slots.get(i);
}

// Four rounds of a thread's loop at a time where they are short: what they load is on its way
// together, and counting costs a quarter. What is left over goes round by round.

static constexpr unsigned roundsTogether = 4; // as nvcc does it

/// What may be written several times over: no memory, no meeting, no output. No load passes an
/// atomic, so that rounds with one gain nothing unless they begin with what can be done for all
/// of them before (leadOf).
static bool isRepeatable(Operation *op) {
  if (!llvm::isa<scf::IfOp>(op) && op->getNumRegions() != 0)
    return false;
  return !llvm::isa<tile::SharedOp, tile::LocalOp, tile::TableOp, tile::SyncThreadsOp,
                    tile::SyncThreadsCountOp, tile::SyncWarpOp, tile::ShuffleOp, tile::BallotOp,
                    tile::ActiveMaskOp, tile::PrintOp, tile::AssertOp, tile::AssemblyOp,
                    tile::AtomicRmwOp, tile::AtomicCasOp>(op);
}

static bool isAtomic(Operation *op) { return llvm::isa<tile::AtomicRmwOp, tile::AtomicCasOp>(op); }

/// An atomic that orders nothing else.
static bool isUnordered(Operation *op) {
  if (auto change = llvm::dyn_cast<tile::AtomicRmwOp>(op))
    return change.getOrder() == tile::MemoryOrder::Relaxed;
  auto exchange = llvm::dyn_cast<tile::AtomicCasOp>(op);
  return exchange && exchange.getOrder() == tile::MemoryOrder::Relaxed;
}

static Value memoryOf(Value pointer) {
  while (auto place = pointer.getDefiningOp<tile::OffsetOp>())
    pointer = place.getPointer();
  return pointer;
}

/// What a block or a thread has for itself, which no pointer of a launch reaches.
static bool isOfBlock(Value pointer) {
  Operation *made = memoryOf(pointer).getDefiningOp();
  return llvm::isa_and_nonnull<tile::SharedOp, tile::LocalOp>(made);
}

static bool isOfLaunch(Value pointer) {
  auto parameter = llvm::dyn_cast<BlockArgument>(memoryOf(pointer));
  return parameter && llvm::isa<func::FuncOp>(parameter.getOwner()->getParentOp());
}

/// What a round that has atomics begins with: loads from arrays of the launch and what is computed
/// of them, where its atomics and stores reach memory of the block alone. These of several rounds
/// can come before what is done with them.
llvm::SmallVector<Operation *> TileEmitter::leadOf(scf::ForOp op) const {
  bool hasAtomics = false;
  auto visited = op.getBody()->walk([&](Operation *each) {
    hasAtomics |= isAtomic(each);
    bool isPlain = isPure(each) || llvm::isa<tile::LoadOp, scf::IfOp, scf::YieldOp>(each);
    bool writesBlock = (isUnordered(each) || llvm::isa<tile::StoreOp>(each)) &&
                       isOfBlock(each->getOperand(0));
    return isPlain || writesBlock ? WalkResult::advance() : WalkResult::interrupt();
  });
  llvm::SmallVector<Operation *> lead;
  if (!isOfThreads() || !hasAtomics || visited.wasInterrupted())
    return lead;
  auto isCarried = [&](Value value) { return llvm::is_contained(op.getRegionIterArgs(), value); };
  bool loads = false;
  for (Operation &each : op.getBody()->without_terminator()) {
    auto load = llvm::dyn_cast<tile::LoadOp>(each);
    bool isEarly = load ? isOfLaunch(load.getPointer()) : isPure(&each);
    if (!isEarly || each.getNumRegions() != 0 || llvm::any_of(each.getOperands(), isCarried))
      break;
    loads |= load != nullptr;
    lead.push_back(&each);
  }
  if (!loads)
    lead.clear();
  return lead;
}

bool TileEmitter::goesTogether(scf::ForOp op) const {
  bool hasLead = !leadOf(op).empty();
  constexpr unsigned mostOperations = 60, ofFunction = 10;
  unsigned count = 0;
  auto visited = op.getBody()->walk([&](Operation *each) {
    count += each->getName().getDialectNamespace() == "math" ? ofFunction : 1;
    bool isFit = isRepeatable(each) || (hasLead && isAtomic(each));
    return isFit && count <= mostOperations ? WalkResult::advance()
                                                         : WalkResult::interrupt();
  });
  return isOfThreads() && !visited.wasInterrupted();
}

/// A count that is known and small is LLVM's to unroll whole; it leaves over what others do.
void TileEmitter::askForUnrolling(scf::ForOp op, llvm::Value *count, llvm::Instruction *back) {
  constexpr uint64_t mostUnrolledWhole = 32;
  auto *known = llvm::dyn_cast<llvm::ConstantInt>(count);
  if (!goesTogether(op) || !leadOf(op).empty() || (known && known->getValue().ule(mostUnrolledWhole)))
    return;
  llvm::LLVMContext &context = b.getContext();
  llvm::Metadata *often[] = {llvm::MDString::get(context, "llvm.loop.unroll.count"),
                             llvm::ConstantAsMetadata::get(b.getInt32(roundsTogether))};
  llvm::MDNode *hint = llvm::MDNode::get(context, often);
  llvm::MDNode *loop = llvm::MDNode::getDistinct(context, {nullptr, hint});
  loop->replaceOperandWith(0, loop);
  back->setMetadata(llvm::LLVMContext::MD_loop, loop);
}

/// `left` is what is left up to the bound, positive; the step is far from wrapping when it is taken
/// several times. Branches to `single` with the counter where fewer rounds are left than go
/// together, and to `after` where none is.
TileEmitter::Resumed
TileEmitter::emitTogether(scf::ForOp op, llvm::BasicBlock *single, llvm::BasicBlock *after,
                          RoundEmitter emitRound) {
  llvm::Value *lower = scalar(op.getLowerBound()), *upper = scalar(op.getUpperBound()),
              *step = scalar(op.getStep());
  auto times = [&](unsigned count) {
    return b.CreateMul(step, llvm::ConstantInt::get(step->getType(), count));
  };
  llvm::BasicBlock *before = b.GetInsertBlock(), *inside = newBlock("together"),
                   *rest = newBlock("rest");
  unsigned bits = step->getType()->getIntegerBitWidth();
  llvm::APInt farthest = llvm::APInt::getOneBitSet(bits, bits - 4);
  llvm::Value *isFar = b.CreateICmpULT(step, llvm::ConstantInt::get(step->getType(), farthest));
  llvm::Value *isLong = b.CreateICmpUGT(b.CreateSub(upper, lower), times(roundsTogether - 1));
  b.CreateCondBr(b.CreateAnd(isFar, isLong), inside, single);
  b.SetInsertPoint(inside);
  shared.forget();
  llvm::PHINode *counter = b.CreatePHI(lower->getType(), 2, "counter");
  counter->addIncoming(lower, before);
  llvm::SmallVector<Operation *> lead = leadOf(op);
  llvm::SmallVector<std::pair<Value, Registers>> begun; // of one round after the other
  llvm::Value *round = counter;
  for (unsigned i = 0; i < roundsTogether && !lead.empty(); ++i) {
    values[op.getInductionVar()] = {round};
    for (Operation *each : lead) {
      emitOperation(each);
      for (Value result : each->getResults())
        begun.emplace_back(result, values[result]);
    }
    round = b.CreateAdd(round, step);
  }
  round = counter;
  size_t ofRound = begun.size() / roundsTogether;
  for (unsigned i = 0; i < roundsTogether; ++i) {
    for (const auto &[value, registers] : llvm::ArrayRef(begun).slice(i * ofRound, ofRound))
      values[value] = registers;
    emitRound(round, lead);
    round = b.CreateAdd(round, step);
  }
  llvm::Value *left = b.CreateSub(upper, counter);
  counter->addIncoming(round, b.GetInsertBlock());
  b.CreateCondBr(b.CreateICmpUGT(left, times(2 * roundsTogether - 1)), inside, rest);
  b.SetInsertPoint(rest);
  b.CreateCondBr(b.CreateICmpUGT(left, times(roundsTogether)), single, after);
  return {round, rest};
}

/// As often as the bounds say from the start, which LLVM likes to know.
void TileEmitter::emitCounted(scf::ForOp op, llvm::BasicBlock *inside, llvm::BasicBlock *after,
                                RoundEmitter emitRound) {
  llvm::Value *lower = scalar(op.getLowerBound()), *step = scalar(op.getStep());
  llvm::Value *count = tripCount(b, lower, scalar(op.getUpperBound()), step, op.getUnsignedCmp());
  llvm::BasicBlock *before = b.GetInsertBlock();
  b.CreateCondBr(b.CreateIsNotNull(count), inside, after);
  b.SetInsertPoint(inside);
  shared.forget();
  llvm::PHINode *round = b.CreatePHI(count->getType(), 2, "round");
  round->addIncoming(llvm::ConstantInt::get(count->getType(), 0), before);
  emitRound(b.CreateAdd(lower, b.CreateMul(round, step)), {});
  llvm::Value *next = b.CreateAdd(round, llvm::ConstantInt::get(count->getType(), 1));
  round->addIncoming(next, b.GetInsertBlock());
  askForUnrolling(op, count, b.CreateCondBr(b.CreateICmpEQ(next, count), after, inside));
}

/// Step by step, without the division that a count takes: a thread's loop is often short. What is
/// left up to the bound is positive, and compared as unsigned never wraps.
void TileEmitter::emitStepped(scf::ForOp op, llvm::BasicBlock *inside, llvm::BasicBlock *after,
                                RoundEmitter emitRound) {
  llvm::Value *lower = scalar(op.getLowerBound()), *upper = scalar(op.getUpperBound()),
              *step = scalar(op.getStep());
  bool isUnsigned = op.getUnsignedCmp();
  llvm::Value *zero = llvm::ConstantInt::get(step->getType(), 0);
  llvm::Value *begins = isUnsigned ? b.CreateICmpULT(lower, upper) : b.CreateICmpSLT(lower, upper);
  llvm::Value *goesUp = isUnsigned ? b.CreateIsNotNull(step) : b.CreateICmpSGT(step, zero);
  llvm::BasicBlock *before = b.GetInsertBlock();
  std::optional<Resumed> resumed;
  llvm::BasicBlock *first = goesTogether(op) ? newBlock("long") : inside;
  b.CreateCondBr(b.CreateAnd(begins, goesUp), first, after);
  if (first != inside) {
    b.SetInsertPoint(first);
    resumed = emitTogether(op, inside, after, emitRound);
  }
  b.SetInsertPoint(inside);
  shared.forget();
  llvm::PHINode *counter = b.CreatePHI(lower->getType(), 3, "counter");
  counter->addIncoming(lower, resumed ? first : before);
  if (resumed)
    counter->addIncoming(resumed->counter, resumed->block);
  emitRound(counter, {});
  llvm::Value *more = b.CreateICmpUGT(b.CreateSub(upper, counter), step);
  counter->addIncoming(b.CreateAdd(counter, step), b.GetInsertBlock());
  b.CreateCondBr(more, inside, after);
}

void TileEmitter::emitFor(scf::ForOp op) {
  Slots slots(lanes, sizesOf(op.getRegionIterArgs(), registerCount));
  for (auto [i, initial] : llvm::enumerate(op.getInitArgs()))
    slots.set(i, registersOf(initial));
  // What comes first lies first, and ptxas gives registers by it.
  llvm::BasicBlock *inside = newBlock("for"), *after = newBlock("endfor");
  auto emitRound = [&](llvm::Value *counter, llvm::ArrayRef<Operation *> done) {
    values[op.getInductionVar()] = {counter};
    for (auto [i, argument] : llvm::enumerate(op.getRegionIterArgs()))
      values[argument] = slots.get(i);
    for (Operation &each : op.getBody()->without_terminator())
      if (!llvm::is_contained(done, &each))
        emitOperation(&each);
    for (auto [i, yielded] : llvm::enumerate(op.getYieldedValues()))
      slots.set(i, registersOf(yielded));
  };
  bool isCounted = !isOfThreads() || llvm::isa<llvm::Constant>(scalar(op.getStep()));
  isCounted ? emitCounted(op, inside, after, emitRound) : emitStepped(op, inside, after, emitRound);
  b.SetInsertPoint(after);
  shared.forget();
  for (auto [i, result] : llvm::enumerate(op.getResults()))
    values[result] = slots.get(i);
}

void TileEmitter::emitWhile(scf::WhileOp op) {
  Slots before(lanes, sizesOf(op.getBeforeArguments(), registerCount));
  Slots after(lanes, sizesOf(op.getAfterArguments(), registerCount));
  auto pass = [&](Slots &slots, ValueRange passed) {
    for (auto [i, value] : llvm::enumerate(passed))
      slots.set(i, registersOf(value));
  };
  auto receive = [&](Slots &slots, ValueRange targets) {
    for (auto [i, target] : llvm::enumerate(targets))
      values[target] = slots.get(i);
  };
  llvm::BasicBlock *test = newBlock("while"), *body = newBlock("while.body"),
                   *done = newBlock("while.end");
  pass(before, op.getInits());
  b.CreateBr(test);
  b.SetInsertPoint(test);
  shared.forget();
  receive(before, op.getBeforeArguments());
  emitBlock(*op.getBeforeBody());
  scf::ConditionOp condition = op.getConditionOp();
  pass(after, condition.getArgs());
  b.CreateCondBr(scalar(condition.getCondition()), body, done);
  b.SetInsertPoint(body);
  receive(after, op.getAfterArguments());
  emitBlock(*op.getAfterBody());
  pass(before, op.getAfterBody()->getTerminator()->getOperands());
  b.CreateBr(test);
  b.SetInsertPoint(done);
  shared.forget(); // it comes from the test, whatever stands in the body
  receive(after, op.getResults());
}

} // namespace nereid::backend::gpu
