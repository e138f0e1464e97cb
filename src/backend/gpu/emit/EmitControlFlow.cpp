// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Branches and loops. All threads of a program take the same way, so that a barrier may stand
// anywhere. What crosses an edge travels in stack slots, of which LLVM makes registers.
#include "backend/gpu/emit/Emit.h"
#include "backend/gpu/emit/RoundsTogether.h"
#include "backend/llvm/TripCount.h"

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

/// Whether a branch does nothing but wait.
static bool isWait(scf::IfOp op) {
  return !op.elseBlock() && llvm::hasNItems(op.thenBlock()->without_terminator(), 1) &&
         llvm::isa<nv::SyncOp>(op.thenBlock()->front());
}

void emitIf(EmitContext &c, scf::IfOp op) {
  if (isWait(op))
    return c.shared.barrierWhere(c.scalar(op.getCondition()));
  Slots slots(c.lanes, sizesOf(op.getResults(), registerCount));
  llvm::BasicBlock *thenBlock = c.newBlock("then"), *elseBlock = c.newBlock("else"),
                   *done = c.newBlock("endif");
  c.b.CreateCondBr(c.scalar(op.getCondition()), thenBlock, elseBlock);
  auto emitBranch = [&](llvm::BasicBlock *into, Block *body) {
    c.b.SetInsertPoint(into);
    c.shared.forget();
    if (body) {
      emitBlock(c, *body);
      for (auto [i, yielded] : llvm::enumerate(body->getTerminator()->getOperands()))
        slots.set(i, c.registersOf(yielded));
    }
    c.b.CreateBr(done);
  };
  emitBranch(thenBlock, op.thenBlock());
  emitBranch(elseBlock, op.elseBlock());
  c.b.SetInsertPoint(done);
  c.shared.forget();
  for (auto [i, result] : llvm::enumerate(op.getResults()))
    c.values[result] = slots.get(i);
}

// Rounds that go together (RoundsTogether.h); what is left over goes round by round.

/// A round by its counter, without what has been done of it.
using RoundEmitter = llvm::function_ref<void(llvm::Value *, llvm::ArrayRef<Operation *>)>;

/// A count that is known and small is LLVM's to unroll whole; it leaves over what others do.
static void askForUnrolling(EmitContext &c, scf::ForOp op, llvm::Value *count,
                            llvm::Instruction *back) {
  auto *known = llvm::dyn_cast<llvm::ConstantInt>(count);
  if (!goesTogether(c, op) || !leadOf(c, op).empty() ||
      (known && known->getValue().ule(c.policy.rounds_written_out)))
    return;
  llvm::LLVMContext &context = c.b.getContext();
  llvm::Metadata *often[] = {llvm::MDString::get(context, "llvm.loop.unroll.count"),
                             llvm::ConstantAsMetadata::get(c.b.getInt32(c.policy.rounds_together))};
  llvm::MDNode *hint = llvm::MDNode::get(context, often);
  llvm::MDNode *loop = llvm::MDNode::getDistinct(context, {nullptr, hint});
  loop->replaceOperandWith(0, loop);
  back->setMetadata(llvm::LLVMContext::MD_loop, loop);
}

/// A counter, and the block from which the loop goes on with it.
struct Resumed {
  llvm::Value *counter;
  llvm::BasicBlock *block;
};

/// `left` is what is left up to the bound, positive; the step is far from wrapping when it is taken
/// several times. Branches to `single` with the counter where fewer rounds are left than go
/// together, and to `after` where none is.
static Resumed emitTogether(EmitContext &c, scf::ForOp op, llvm::BasicBlock *single,
                            llvm::BasicBlock *after, RoundEmitter emitRound) {
  llvm::Value *lower = c.scalar(op.getLowerBound()), *upper = c.scalar(op.getUpperBound()),
              *step = c.scalar(op.getStep());
  auto times = [&](unsigned count) {
    return c.b.CreateMul(step, llvm::ConstantInt::get(step->getType(), count));
  };
  llvm::BasicBlock *before = c.b.GetInsertBlock(), *inside = c.newBlock("together"),
                   *rest = c.newBlock("rest");
  unsigned bits = step->getType()->getIntegerBitWidth();
  llvm::APInt farthest = llvm::APInt::getOneBitSet(bits, bits - 4);
  llvm::Value *isFar = c.b.CreateICmpULT(step, llvm::ConstantInt::get(step->getType(), farthest));
  llvm::Value *isLong =
      c.b.CreateICmpUGT(c.b.CreateSub(upper, lower), times(c.policy.rounds_together - 1));
  c.b.CreateCondBr(c.b.CreateAnd(isFar, isLong), inside, single);
  c.b.SetInsertPoint(inside);
  c.shared.forget();
  llvm::PHINode *counter = c.b.CreatePHI(lower->getType(), 2, "counter");
  counter->addIncoming(lower, before);
  const unsigned rounds = c.policy.rounds_together;
  llvm::SmallVector<Operation *> lead = leadOf(c, op);
  llvm::SmallVector<std::pair<Value, Registers>> begun; // of one round after the other
  llvm::Value *round = counter;
  for (unsigned i = 0; i < rounds && !lead.empty(); ++i) {
    c.values[op.getInductionVar()] = {round};
    for (Operation *each : lead) {
      c.emitOperation(each);
      for (Value result : each->getResults())
        begun.emplace_back(result, c.values[result]);
    }
    round = c.b.CreateAdd(round, step);
  }
  round = counter;
  const size_t ofRound = begun.size() / rounds;
  for (unsigned i = 0; i < rounds; ++i) {
    for (const auto &[value, registers] : llvm::ArrayRef(begun).slice(i * ofRound, ofRound))
      c.values[value] = registers;
    emitRound(round, lead);
    round = c.b.CreateAdd(round, step);
  }
  llvm::Value *left = c.b.CreateSub(upper, counter);
  counter->addIncoming(round, c.b.GetInsertBlock());
  c.b.CreateCondBr(c.b.CreateICmpUGT(left, times(2 * c.policy.rounds_together - 1)), inside, rest);
  c.b.SetInsertPoint(rest);
  c.b.CreateCondBr(c.b.CreateICmpUGT(left, times(c.policy.rounds_together)), single, after);
  return {round, rest};
}

/// So many rounds at a time, as often as `count` has them. How many that were, where the loop ends.
static llvm::Value *emitAhead(EmitContext &c, llvm::Value *lower, llvm::Value *step,
                              llvm::Value *count, unsigned rounds, RoundEmitter emitRound) {
  auto number = [&](unsigned of) { return llvm::ConstantInt::get(count->getType(), of); };
  llvm::Value *whole = c.b.CreateSub(count, c.b.CreateURem(count, number(rounds)));
  llvm::BasicBlock *before = c.b.GetInsertBlock(), *inside = c.newBlock("together"),
                   *rest = c.newBlock("rest");
  c.b.CreateCondBr(c.b.CreateIsNotNull(whole), inside, rest);
  c.b.SetInsertPoint(inside);
  c.shared.forget();
  llvm::PHINode *round = c.b.CreatePHI(count->getType(), 2, "round");
  round->addIncoming(number(0), before);
  for (unsigned i = 0; i < rounds; ++i) {
    llvm::Value *steps = c.b.CreateMul(c.b.CreateAdd(round, number(i)), step);
    emitRound(c.b.CreateAdd(lower, steps), {});
  }
  llvm::Value *next = c.b.CreateAdd(round, number(rounds));
  round->addIncoming(next, c.b.GetInsertBlock());
  c.b.CreateCondBr(c.b.CreateICmpEQ(next, whole), rest, inside);
  c.b.SetInsertPoint(rest);
  c.shared.forget();
  return whole;
}

/// As often as the bounds say from the start, which LLVM likes to know.
static void emitCounted(EmitContext &c, scf::ForOp op, llvm::BasicBlock *inside,
                        llvm::BasicBlock *after, RoundEmitter emitRound) {
  llvm::Value *lower = c.scalar(op.getLowerBound()), *step = c.scalar(op.getStep());
  llvm::Value *count =
      tripCount(c.b, lower, c.scalar(op.getUpperBound()), step, op.getUnsignedCmp());
  llvm::BasicBlock *before = c.b.GetInsertBlock();
  c.b.CreateCondBr(c.b.CreateIsNotNull(count), inside, after);
  c.b.SetInsertPoint(inside);
  c.shared.forget();
  auto *known = llvm::dyn_cast<llvm::ConstantInt>(count);
  if (known && isWrittenOut(c, op, known->getLimitedValue())) {
    for (uint64_t i = 0; i < known->getLimitedValue(); ++i) {
      llvm::Value *steps = c.b.CreateMul(llvm::ConstantInt::get(step->getType(), i), step);
      emitRound(c.b.CreateAdd(lower, steps), {});
    }
    c.b.CreateBr(after);
    return;
  }
  llvm::Value *first = llvm::ConstantInt::get(count->getType(), 0), *start = lower;
  std::optional<uint64_t> number = known ? std::optional(known->getLimitedValue()) : std::nullopt;
  if (unsigned rounds = roundsAhead(c, op, number); rounds > 1) {
    first = emitAhead(c, lower, step, count, rounds, emitRound);
    start = c.b.CreateAdd(lower, c.b.CreateMul(first, step));
    before = c.b.GetInsertBlock();
    inside = c.newBlock("single");
    c.b.CreateCondBr(c.b.CreateICmpEQ(first, count), after, inside);
    c.b.SetInsertPoint(inside);
    c.shared.forget();
  }
  llvm::PHINode *round = c.b.CreatePHI(count->getType(), 2, "round");
  round->addIncoming(first, before);
  llvm::PHINode *counter = c.b.CreatePHI(lower->getType(), 2, "counter");
  counter->addIncoming(start, before);
  emitRound(counter, {});
  llvm::Value *next = c.b.CreateAdd(round, llvm::ConstantInt::get(count->getType(), 1));
  round->addIncoming(next, c.b.GetInsertBlock());
  // Below the bound it does not wrap, so that addresses that follow it are those of the round
  // before and a step. Behind the last round, where it may, nobody asks for it.
  const bool isUnsigned = op.getUnsignedCmp();
  counter->addIncoming(c.b.CreateAdd(counter, step, "", isUnsigned, !isUnsigned),
                       c.b.GetInsertBlock());
  askForUnrolling(c, op, count, c.b.CreateCondBr(c.b.CreateICmpEQ(next, count), after, inside));
}

/// Step by step, without the division that a count takes: a thread's loop is often short. What is
/// left up to the bound is positive, and compared as unsigned never wraps.
static void emitStepped(EmitContext &c, scf::ForOp op, llvm::BasicBlock *inside,
                        llvm::BasicBlock *after, RoundEmitter emitRound) {
  llvm::Value *lower = c.scalar(op.getLowerBound()), *upper = c.scalar(op.getUpperBound()),
              *step = c.scalar(op.getStep());
  bool isUnsigned = op.getUnsignedCmp();
  llvm::Value *zero = llvm::ConstantInt::get(step->getType(), 0);
  llvm::Value *begins =
      isUnsigned ? c.b.CreateICmpULT(lower, upper) : c.b.CreateICmpSLT(lower, upper);
  llvm::Value *goesUp = isUnsigned ? c.b.CreateIsNotNull(step) : c.b.CreateICmpSGT(step, zero);
  llvm::BasicBlock *before = c.b.GetInsertBlock();
  std::optional<Resumed> resumed;
  llvm::BasicBlock *first = goesTogether(c, op) ? c.newBlock("long") : inside;
  c.b.CreateCondBr(c.b.CreateAnd(begins, goesUp), first, after);
  if (first != inside) {
    c.b.SetInsertPoint(first);
    resumed = emitTogether(c, op, inside, after, emitRound);
  }
  c.b.SetInsertPoint(inside);
  c.shared.forget();
  llvm::PHINode *counter = c.b.CreatePHI(lower->getType(), 3, "counter");
  counter->addIncoming(lower, resumed ? first : before);
  if (resumed)
    counter->addIncoming(resumed->counter, resumed->block);
  emitRound(counter, {});
  llvm::Value *more = c.b.CreateICmpUGT(c.b.CreateSub(upper, counter), step);
  counter->addIncoming(c.b.CreateAdd(counter, step), c.b.GetInsertBlock());
  c.b.CreateCondBr(more, inside, after);
}

void emitFor(EmitContext &c, scf::ForOp op) {
  Slots slots(c.lanes, sizesOf(op.getRegionIterArgs(), registerCount));
  for (auto [i, initial] : llvm::enumerate(op.getInitArgs()))
    slots.set(i, c.registersOf(initial));
  // What comes first lies first, and ptxas gives registers by it.
  llvm::BasicBlock *inside = c.newBlock("for"), *after = c.newBlock("endfor");
  auto emitRound = [&](llvm::Value *counter, llvm::ArrayRef<Operation *> done) {
    c.values[op.getInductionVar()] = {counter};
    for (auto [i, argument] : llvm::enumerate(op.getRegionIterArgs()))
      c.values[argument] = slots.get(i);
    for (Operation &each : op.getBody()->without_terminator())
      if (!llvm::is_contained(done, &each))
        c.emitOperation(&each);
    for (auto [i, yielded] : llvm::enumerate(op.getYieldedValues()))
      slots.set(i, c.registersOf(yielded));
  };
  bool isCounted = !c.isOfThreads() || llvm::isa<llvm::Constant>(c.scalar(op.getStep()));
  isCounted ? emitCounted(c, op, inside, after, emitRound)
            : emitStepped(c, op, inside, after, emitRound);
  c.b.SetInsertPoint(after);
  c.shared.forget();
  for (auto [i, result] : llvm::enumerate(op.getResults()))
    c.values[result] = slots.get(i);
}

void emitWhile(EmitContext &c, scf::WhileOp op) {
  Slots before(c.lanes, sizesOf(op.getBeforeArguments(), registerCount));
  Slots after(c.lanes, sizesOf(op.getAfterArguments(), registerCount));
  auto pass = [&](Slots &slots, ValueRange passed) {
    for (auto [i, value] : llvm::enumerate(passed))
      slots.set(i, c.registersOf(value));
  };
  auto receive = [&](Slots &slots, ValueRange targets) {
    for (auto [i, target] : llvm::enumerate(targets))
      c.values[target] = slots.get(i);
  };
  llvm::BasicBlock *test = c.newBlock("while"), *body = c.newBlock("while.body"),
                   *done = c.newBlock("while.end");
  pass(before, op.getInits());
  c.b.CreateBr(test);
  c.b.SetInsertPoint(test);
  c.shared.forget();
  receive(before, op.getBeforeArguments());
  emitBlock(c, *op.getBeforeBody());
  scf::ConditionOp condition = op.getConditionOp();
  pass(after, condition.getArgs());
  c.b.CreateCondBr(c.scalar(condition.getCondition()), body, done);
  c.b.SetInsertPoint(body);
  receive(after, op.getAfterArguments());
  emitBlock(c, *op.getAfterBody());
  pass(before, op.getAfterBody()->getTerminator()->getOperands());
  c.b.CreateBr(test);
  c.b.SetInsertPoint(done);
  c.shared.forget(); // it comes from the test, whatever stands in the body
  receive(after, op.getResults());
}

} // namespace nereid::backend::gpu
