// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads and stores of global memory: neighbouring registers of a thread whose addresses are
// neighbours travel together, up to 16 bytes, under one predicate.
#include "backend/gpu/emit/Emit.h"

#include "analysis/Aliasing.h"
#include "analysis/Slice.h"
#include "backend/gpu/emit/DecidesBranches.h"
#include "backend/gpu/emit/RegisterAddresses.h"
#include "backend/gpu/layouts/AccessWidth.h"

using namespace mlir;

namespace nereid::backend::gpu {

static bool mayBeSeenDifferently(EmitContext &c, tile::LoadOp op);

unsigned registersTogether(EmitContext &c, Value pointer, Value mask) {
  return gpu::registersTogether(c.axes, pointer, mask);
}

void emitLoad(EmitContext &c, tile::LoadOp op) {
  Type element = tile::elementOf(op.getType());
  unsigned count = registerCount(op.getType());
  unsigned together = registersTogether(c, op.getPointer(), op.getMask());
  RegisterAddresses addresses(c.b, op.getPointer(), c.registersOf(op.getPointer()));
  const uint64_t alike = together == 1 ? bitsOfOneLoad(c.axes, op) : 0;
  Registers result;
  for (unsigned first = 0; first < count; first += together) {
    if (first & alike) {
      llvm::Value *loaded = result[first & ~alike];
      result.push_back(loaded);
      continue;
    }
    llvm::Value *predicate = op.getMask() ? c.registersOf(op.getMask())[first] : nullptr;
    if (llvm::Value *inside = isInside(c, op.getType(), first))
      predicate = predicate ? c.b.CreateAnd(predicate, inside) : inside;
    Registers others;
    for (unsigned i = 0; i < together; ++i)
      others.push_back(op.getOther() ? c.registersOf(op.getOther())[first + i]
                                     : c.lanes.zero(element, 1));
    result.append(c.instructions->loadGlobal(
        c.lanes, {element, together, op.getIsVolatile(), op.getEviction()}, addresses[first],
        predicate, others));
  }
  if (mayBeSeenDifferently(c, op))
    result = agreedUpon(c, op.getType(), std::move(result));
  if (op.getIsVolatile())
    acquire(c);
  c.values[op.getResult()] = std::move(result);
}

/// Whether a value is computed of what differs from one round to the next.
static bool followsFromRounds(Value value, Block *round) {
  auto sourcesOf = [&](Value of, llvm::SmallVectorImpl<Value> &sources) {
    auto argument = llvm::dyn_cast<BlockArgument>(of);
    if (argument && argument.getOwner() == round)
      return false;
    if (round->getParentOp()->isProperAncestor(of.getParentBlock()->getParentOp()) ||
        of.getParentBlock() == round)
      analysis::addSources(of, sources);
    return true;
  };
  return !analysis::walkBack<Value>({value}, sourcesOf, [](Value) {});
}

/// Whether a loop around it may read the same address in several rounds: as one that waits does.
static bool isReadAgain(tile::LoadOp op) {
  for (Operation *outer = op->getParentOp(); outer; outer = outer->getParentOp()) {
    auto loop = llvm::dyn_cast<scf::ForOp>(outer);
    if (llvm::isa<scf::WhileOp>(outer) ||
        (loop && !followsFromRounds(op.getPointer(), loop.getBody())))
      return true;
  }
  return false;
}

/// Whether other programs may write meanwhile what several threads read, and it matters that they
/// find the same. What this kernel does not write itself is written before it waits for that, or
/// anew behind what it hands over: all threads read between the same two. What is read time and
/// again may change meanwhile.
static bool mayBeSeenDifferently(EmitContext &c, tile::LoadOp op) {
  if (op.getIsVolatile())
    return true;
  const analysis::Aliasing aliasing(c.kernel);
  const bool isUnwritten =
      isReadAgain(op) ? aliasing.isUnwritten(op, c.kernel) : aliasing.isUnwrittenHere(op, c.kernel);
  return !isUnwritten && decidesBranches(op.getResult());
}

/// What threads hold of one element, from the first of them.
Registers agreedUpon(EmitContext &c, Type type, Registers held) {
  if (!tile::isTile(type))
    return {fromFirstThread(c, held[0])};
  llvm::Value *isFirst = c.threads.isFirstHolder(nv::layoutOf(type));
  return isFirst ? fromFirstHolders(c, nv::layoutOf(type), held, isFirst) : held;
}

llvm::Value *actor(EmitContext &c, Type type) {
  if (tile::isTile(type))
    return c.threads.isFirstHolder(nv::layoutOf(type));
  return c.isOfThreads() ? nullptr : c.threads.isFirstThread();
}

namespace {

/// A store of a tile, access by access.
class StoreEmitter {
public:
  StoreEmitter(EmitContext &c, tile::StoreOp op)
      : c(c), op(op), type(op.getValue().getType()), count(registerCount(type)),
        addresses(c.b, op.getPointer(), c.registersOf(op.getPointer())), isActing(actor(c, type)) {}

  void emit() {
    const unsigned together = registersTogether(c, op.getPointer(), op.getMask());
    if (std::optional<WideRun> run =
            wholeRuns(c.axes, op.getPointer(), op.getMask(), c.policy.spared_stores))
      return emitByRuns(*run, together);
    for (unsigned first = 0; first < count; first += together)
      store(first, together, both(predicateOf(first), isInside(c, type, first)));
  }

private:
  /// Runs that turn out to be aligned and let through whole are one access each. Where a thread has
  /// others of which something is let through, these follow in parts.
  void emitByRuns(WideRun run, unsigned together) {
    const Value mask = op.getMask();
    llvm::SmallVector<llvm::Value *> wholes;
    llvm::Value *hasParts = nullptr;
    for (unsigned first = 0; first < count; first += run.registers) {
      llvm::Value *whole = run.isAligned ? nullptr : isAligned(first, run.registers);
      whole = both(whole, mask ? c.registersOf(mask)[first + run.registers - 1] : nullptr);
      wholes.push_back(whole);
      llvm::Value *isParts = both(predicateOf(first), c.b.CreateNot(whole));
      hasParts = hasParts ? c.b.CreateOr(hasParts, isParts) : isParts;
      store(first, run.registers, both(isActing, whole));
    }
    llvm::BasicBlock *parts = c.newBlock("parts"), *after = c.newBlock("stored");
    c.b.CreateCondBr(hasParts, parts, after);
    c.b.SetInsertPoint(parts);
    for (unsigned first = 0; first < count; first += together)
      store(first, together,
            both(predicateOf(first), c.b.CreateNot(wholes[first / run.registers])));
    c.b.CreateBr(after);
    c.b.SetInsertPoint(after);
  }

  llvm::Value *isAligned(unsigned first, unsigned registers) {
    const unsigned bytes = registers * tile::byteSizeOf(tile::elementOf(type));
    llvm::Value *address = c.b.CreatePtrToInt(addresses[first], c.b.getInt64Ty());
    return c.b.CreateICmpEQ(c.b.CreateAnd(address, bytes - 1), c.b.getInt64(0));
  }

  llvm::Value *predicateOf(unsigned reg) {
    return both(isActing, op.getMask() ? c.registersOf(op.getMask())[reg] : nullptr);
  }

  /// Null is true.
  llvm::Value *both(llvm::Value *one, llvm::Value *other) {
    return one && other ? c.b.CreateAnd(one, other) : one ? one : other;
  }

  void store(unsigned first, unsigned together, llvm::Value *predicate) {
    c.instructions->storeGlobal(
        c.lanes, {tile::elementOf(type), together, false, op.getEviction()}, addresses[first],
        predicate, llvm::ArrayRef(c.registersOf(op.getValue())).slice(first, together));
  }

  EmitContext &c;
  tile::StoreOp op;
  Type type;
  unsigned count;
  RegisterAddresses addresses;
  llvm::Value *isActing;
};

} // namespace

void emitStore(EmitContext &c, tile::StoreOp op) { StoreEmitter(c, op).emit(); }

/// Before this, all threads have done what stands before, for everybody to see.
void release(EmitContext &c) {
  if (!c.isOfThreads())
    c.shared.barrier();
  c.b.CreateFence(llvm::AtomicOrdering::AcquireRelease);
}

/// After this, what others have released is seen by all threads.
void acquire(EmitContext &c) {
  c.b.CreateFence(llvm::AtomicOrdering::AcquireRelease);
  if (!c.isOfThreads())
    c.shared.barrier();
}

/// Other programs see what stands before by an atomic that follows; where there is none, only this
/// program's threads wait for each other.
void emitBarrier(EmitContext &c, tile::BarrierOp) {
  bool isForOthers = c.isOfThreads() || tile::handsOver(c.kernel);
  if (!isForOthers)
    return c.shared.barrier();
  release(c);
  c.b.CreateFence(llvm::AtomicOrdering::AcquireRelease);
}

void emitSync(EmitContext &c, nv::SyncOp) { c.shared.barrier(); }

} // namespace nereid::backend::gpu
