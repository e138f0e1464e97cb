// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rings that one warp fills by the copy engine (TMA) and the others read. Each slot has two
// barriers in shared memory (mbarrier): full, which the copy completes, and empty, at which readers
// arrive.
#include "backend/nvptx/emit/Emit.h"
#include "backend/nvptx/emit/TurnedFactor.h"
#include "backend/nvptx/ptx/PtxAsm.h"
#include "backend/nvptx/rings/ResidentBlocks.h"
#include "backend/nvptx/rings/SharedBudget.h"
#include "layout/OperandImage.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace mlir;

namespace nereid::backend::nvptx {

static void emitBoxCopy(KernelContext &c, llvm::Value *target, llvm::Value *map,
                        llvm::ArrayRef<llvm::Value *> at, llvm::Value *barrier);
static void releaseSlot(KernelContext &c, const RingState &ring, unsigned pending);
static llvm::Value *firstOfProducer(KernelContext &c);
static void setRegisters(KernelContext &c, const char *change, unsigned registers);
static void emitTurnOfFetched(KernelContext &c, nv::FetchOp op);
static void arrive(KernelContext &c, llvm::Value *barrier, llvm::Value *condition);

static constexpr unsigned mapBytes = 128, mapAlignment = 64;
/// With two warpgroups of movedRegisters it has all of an SM's.
static constexpr unsigned registersOfProducer = 24;
/// And so it has where it turns tiles, by its last two warps.
static constexpr unsigned registersOfTurning = 40;
static constexpr unsigned turningWarps = 2, firstTurningWarp = 2;

// Boxes

llvm::Value *tensorMap(KernelContext &c, unsigned parameter) {
  llvm::LLVMContext &context = c.b.getContext();
  auto *type = llvm::ArrayType::get(c.b.getInt8Ty(), mapBytes);
  c.function->addParamAttr(parameter, llvm::Attribute::getWithByValType(context, type));
  c.function->addParamAttr(parameter,
                           llvm::Attribute::getWithAlignment(context, llvm::Align(mapAlignment)));
  // Without it LLVM copies the parameter to where no map may lie.
  c.function->addParamAttr(parameter, llvm::Attribute::get(context, "nvvm.grid_constant"));
  return c.function->getArg(parameter);
}

/// The map is a parameter. The producer, if there is one, asks for it while the first of the other
/// threads makes barriers.
void emitBox(KernelContext &c, nv::BoxOp op) {
  llvm::Value *asks = c.producerWarps ? c.b.CreateICmpEQ(c.threads.thread(), firstOfProducer(c))
                                      : c.threads.isFirstThread();
  emitPtx(c.b, "@$1 prefetch.tensormap [$0];", nullptr, "l,b", {c.scalar(op), asks});
}

// Rings

/// Room for two for each of these slots, which lies below all rings and stays to the end.
static llvm::Value *barriersFor(KernelContext &c, unsigned stages) {
  if (!c.ringBarriers) {
    uint64_t bytes = 0;
    c.kernel.walk([&](nv::RingOp ring) { bytes += 2 * barrierBytes * ring.getStages(); });
    c.ringBarriers = c.shared.allocate(bytes);
  }
  llvm::Value *first = c.ringBarriers;
  c.ringBarriers = c.b.CreateAdd(first, c.b.getInt32(2 * barrierBytes * stages));
  return first;
}

/// Whether what is done next with the ring is to release this slot.
static bool isReleasedNext(nv::AwaitSlotOp await) {
  Operation *next = await->getNextNode();
  while (next &&
         (llvm::isa<nv::SlotOp>(next) || !llvm::is_contained(next->getOperands(), await.getRing())))
    next = next->getNextNode();
  auto release = llvm::dyn_cast_or_null<nv::ReleaseOp>(next);
  return release && release.getPending() == 0;
}

/// Whether each slot is released before the next one is awaited, and nowhere else.
static bool isReleasedAtOnce(nv::RingOp ring) {
  int unreleased = 0;
  for (Operation *user : ring->getUsers()) {
    auto await = llvm::dyn_cast<nv::AwaitSlotOp>(user);
    if (await && !isReleasedNext(await))
      return false;
    unreleased += await ? 1 : llvm::isa<nv::ReleaseOp>(user) ? -1 : 0;
  }
  return unreleased == 0;
}

/// Whether tensor cores alone read it, whose products all lanes of a warp wait for together.
static bool isReadByProducts(Value room) {
  return llvm::all_of(room.getUsers(), [](Operation *user) {
    if (llvm::isa<nv::SlotOp, nv::ViewOp>(user))
      return isReadByProducts(user->getResult(0));
    return llvm::isa<nv::MultiplyOp, nv::AwaitSlotOp, nv::ReleaseOp, nv::FetchOp, nv::FreeOp>(user);
  });
}

/// Whether each thread says for itself that it has read a slot; elsewhere a lane does for its warp.
static bool isReadByRows(nv::RingOp ring) {
  return llvm::any_of(ring->getUsers(),
                      [](Operation *user) { return llvm::isa<nv::ReadRowOp>(user); });
}

/// Whether tiles are turned out of it, or into it.
static bool isTurned(nv::RingOp ring, bool into) {
  return llvm::any_of(ring->getUsers(), [&](Operation *user) {
    auto fetch = llvm::dyn_cast<nv::FetchOp>(user);
    return fetch && fetch.getTurned() &&
           (into ? fetch.getTurned() : fetch.getRing()) == ring.getResult();
  });
}

void emitRing(KernelContext &c, nv::RingOp op) {
  RingState ring;
  ring.stages = op.getStages();
  ring.isReadByProducts = isReadByProducts(op);
  ring.full = barriersFor(c, ring.stages);
  ring.empty = c.b.CreateAdd(ring.full, c.b.getInt32(barrierBytes * ring.stages));
  auto start = [&](uint32_t value) {
    llvm::AllocaInst *place = c.lanes.stackSlot(c.b.getInt32Ty());
    c.b.CreateStore(c.b.getInt32(value), place);
    return place;
  };
  // The first time around, slots are empty: as if a phase before had ended.
  ring.filled = {start(0), start(1)};
  ring.awaited = {start(0), start(0)};
  ring.released = start(0);
  ring.unreleased = isReleasedAtOnce(op) ? nullptr : start(0);
  auto init = [&](llvm::Value *barriers, unsigned arrivals) {
    for (unsigned i = 0; i < ring.stages; ++i)
      emitPtx(c.b, "@$2 mbarrier.init.shared::cta.b64 [$0], $1;", nullptr, "r,r,b",
              {c.b.CreateAdd(barriers, c.b.getInt32(barrierBytes * i)), c.b.getInt32(arrivals),
               c.threads.isFirstThread()});
  };
  init(ring.full, isTurned(op, /*into=*/true) ? turningWarps : 1);
  init(ring.empty, isTurned(op, /*into=*/false) ? turningWarps
                   : isReadByRows(op)           ? c.threads.warpCount() * target::warpSize
                                                : c.threads.warpCount());
  c.values[op] = {c.shared.allocate(op.getType().getSlotBytes() * ring.stages, op.getReserved())};
  c.rings.insert({op.getResult(), ring});
}

static llvm::Value *barrierAt(Builder &b, llvm::Value *first, llvm::Value *index) {
  return b.CreateAdd(first, b.CreateMul(index, b.getInt32(barrierBytes)));
}

static llvm::Value *load(Builder &b, llvm::AllocaInst *place) {
  return b.CreateLoad(place->getAllocatedType(), place);
}

/// To the next slot, and after the last one to the first, in the next phase.
static void advance(Builder &b, const RingState &ring, const RingState::Place &place) {
  llvm::Value *next = b.CreateAdd(load(b, place.index), b.getInt32(1));
  llvm::Value *isEnd = b.CreateICmpEQ(next, b.getInt32(ring.stages));
  b.CreateStore(b.CreateSelect(isEnd, b.getInt32(0), next), place.index);
  b.CreateStore(b.CreateXor(load(b, place.parity), b.CreateZExt(isEnd, b.getInt32Ty())),
                place.parity);
}

void awaitPhase(Builder &b, llvm::Value *barrier, llvm::Value *parity) {
  emitPtx(b,
          "{\n\t.reg .pred p;\nWAIT:\n\tmbarrier.try_wait.parity.shared::cta.b64 p, [$0], $1;\n\t"
          "@!p bra WAIT;\n\t}",
          nullptr, "r,r", {barrier, parity});
}

EmptySlot awaitEmptySlot(KernelContext &c, Value of, llvm::Value *bytes) {
  const RingState &ring = c.rings.find(of)->second;
  uint64_t slotBytes = llvm::cast<nv::SharedType>(of.getType()).getSlotBytes();
  llvm::Value *index = load(c.b, ring.filled.index);
  llvm::Value *full = barrierAt(c.b, ring.full, index);
  awaitPhase(c.b, barrierAt(c.b, ring.empty, index), load(c.b, ring.filled.parity));
  emitPtx(c.b, "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;", nullptr, "r,r",
          {full, bytes});
  advance(c.b, ring, ring.filled);
  return {c.b.CreateAdd(c.scalar(of), c.b.CreateMul(index, c.b.getInt32(slotBytes))), full};
}

void emitFetch(KernelContext &c, nv::FetchOp op) {
  if (c.isTurning)
    return emitTurnOfFetched(c, op);
  auto type = llvm::cast<nv::SharedType>(op.getRing().getType());
  auto box = op.getBox().getDefiningOp<nv::BoxOp>();
  unsigned elementBytes = tile::byteSizeOf(type.getElementType());
  layout::OperandImage image = *layout::findImage(type.getLayout(), elementBytes);

  EmptySlot slot = awaitEmptySlot(c, op.getRing(), c.b.getInt32(type.getBytes()));
  int64_t along = type.getShape()[image.contiguous], rows = type.getShape()[1 - image.contiguous];
  const auto copyFrom = [&](int64_t row, int64_t column) {
    layout::Coordinates at = {0, 0};
    at[image.contiguous] = column;
    at[1 - image.contiguous] = row;
    llvm::SmallVector<llvm::Value *> coordinates;
    for (Value start : op.getAt())
      coordinates.push_back(c.scalar(start));
    coordinates[0] = c.b.CreateAdd(coordinates[0], c.b.getInt32(column));
    coordinates[1] = c.b.CreateAdd(coordinates[1], c.b.getInt32(row));
    uint64_t offset = layout::plainOffset(image, at, elementBytes);
    emitBoxCopy(c, c.b.CreateAdd(slot.address, c.b.getInt32(offset)), c.scalar(op.getBox()),
                coordinates, slot.full);
  };
  const int64_t step = box.getStep();
  for (int64_t row = 0; row < rows; row += box.getShape()[1] * step)
    for (int64_t between = 0; between < step; ++between)
      for (int64_t column = 0; column < along; column += box.getShape()[0])
        copyFrom(row + between, column);
}

/// What the turning warps do where another one fetches. What they write by themselves, products see
/// behind the fence, and their arrivals say that it is there.
static void emitTurnOfFetched(KernelContext &c, nv::FetchOp op) {
  if (!op.getTurned())
    return;
  const RingState &source = c.rings.find(op.getRing())->second,
                  &target = c.rings.find(op.getTurned())->second;
  llvm::Value *full = awaitSlot(c, source), *empty = load(c.b, target.filled.index);
  awaitPhase(c.b, barrierAt(c.b, target.empty, empty), load(c.b, target.filled.parity));
  advance(c.b, target, target.filled);
  const auto typeOf = [](Value ring) { return llvm::cast<nv::SharedType>(ring.getType()); };
  const auto slotAt = [&](Value ring, llvm::Value *index) {
    llvm::Value *bytes = c.b.getInt32(typeOf(ring).getSlotBytes());
    return c.b.CreateAdd(c.scalar(ring), c.b.CreateMul(index, bytes));
  };
  turnTile(c, typeOf(op.getRing()), slotAt(op.getRing(), full), typeOf(op.getTurned()),
           slotAt(op.getTurned(), empty), turningWarps);
  awaitReads(c);
  emitPtx(c.b, "bar.warp.sync -1;");
  llvm::Value *arrives = c.b.CreateICmpEQ(c.threads.lane(), c.b.getInt32(0));
  arrive(c, barrierAt(c.b, target.full, empty), arrives);
  arrive(c, barrierAt(c.b, source.empty, full), arrives);
}

static void emitBoxCopy(KernelContext &c, llvm::Value *target, llvm::Value *map,
                        llvm::ArrayRef<llvm::Value *> at, llvm::Value *barrier) {
  std::string coordinates, constraints = "r,l,r";
  llvm::SmallVector<llvm::Value *, 8> operands = {target, map, barrier};
  for (llvm::Value *coordinate : at) {
    coordinates += (coordinates.empty() ? "$" : ", $") + std::to_string(operands.size());
    constraints += ",r";
    operands.push_back(coordinate);
  }
  emitPtx(c.b,
          "cp.async.bulk.tensor." + std::to_string(at.size()) +
              "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [$0], [$1, {" +
              coordinates + "}], [$2];",
          nullptr, constraints, operands);
}

void emitAwaitSlot(KernelContext &c, nv::AwaitSlotOp op) {
  c.values[op.getIndex()] = {awaitSlot(c, c.rings.find(op.getRing())->second)};
}

/// The index of the next slot, whose tile is there.
llvm::Value *awaitSlot(KernelContext &c, const RingState &ring) {
  llvm::Value *index = load(c.b, ring.awaited.index);
  awaitPhase(c.b, barrierAt(c.b, ring.full, index), load(c.b, ring.awaited.parity));
  advance(c.b, ring, ring.awaited);
  if (ring.unreleased)
    c.b.CreateStore(c.b.CreateAdd(load(c.b, ring.unreleased), c.b.getInt32(1)), ring.unreleased);
  else
    c.b.CreateStore(index, ring.released);
  return index;
}

/// Whether it stands at a barrier of the block, in front of which all threads waited for what they
/// had asked for.
static bool haveAllRead(nv::ReleaseOp op) {
  Operation *before = op->getPrevNode();
  while (llvm::isa_and_present<nv::ReleaseOp>(before))
    before = before->getPrevNode();
  return llvm::isa_and_present<nv::WriteOp>(before);
}

void emitRelease(KernelContext &c, nv::ReleaseOp op) {
  const RingState &ring = c.rings.find(op.getRing())->second;
  if (!ring.isReadByProducts && !haveAllRead(op)) {
    awaitReads(c);
    c.shared.countWarpBarrier();
    emitPtx(c.b, "bar.warp.sync -1;");
  }
  releaseSlot(c, ring, op.getPending());
}

/// One lane arrives for its warp, whose lanes have all read.
static void releaseSlot(KernelContext &c, const RingState &ring, unsigned pending) {
  llvm::Value *index = load(c.b, ring.released), *isOne = nullptr;
  if (ring.unreleased) {
    llvm::Value *unreleased = load(c.b, ring.unreleased);
    isOne = c.b.CreateICmpUGT(unreleased, c.b.getInt32(pending));
    llvm::Value *next = c.b.CreateAdd(index, c.b.getInt32(1));
    next =
        c.b.CreateSelect(c.b.CreateICmpEQ(next, c.b.getInt32(ring.stages)), c.b.getInt32(0), next);
    c.b.CreateStore(c.b.CreateSelect(isOne, next, index), ring.released);
    c.b.CreateStore(c.b.CreateSub(unreleased, c.b.CreateZExt(isOne, c.b.getInt32Ty())),
                    ring.unreleased);
  }
  llvm::Value *arrives = c.b.CreateICmpEQ(c.threads.lane(), c.b.getInt32(0));
  arriveAtEmpty(c, ring, index, isOne ? c.b.CreateAnd(isOne, arrives) : arrives);
}

/// What this thread has asked for has come. The copy engine overtakes loads that wait for their
/// turn: without the fence it may write before they read.
void awaitReads(KernelContext &c) { emitPtx(c.b, "fence.proxy.async.shared::cta;"); }

void arriveAtEmpty(KernelContext &c, const RingState &ring, llvm::Value *index,
                   llvm::Value *condition) {
  arrive(c, barrierAt(c.b, ring.empty, index), condition);
}

static void arrive(KernelContext &c, llvm::Value *barrier, llvm::Value *condition) {
  emitPtx(c.b, "@$1 mbarrier.arrive.shared::cta.b64 _, [$0];", nullptr, "r,b",
          {barrier, condition});
}

// Roles

/// What the producer begins with, computed by its warps alone.
static void emitApart(KernelContext &c, llvm::ArrayRef<Operation *> ops, llvm::Value *isProducer) {
  llvm::BasicBlock *before = c.b.GetInsertBlock(), *apart = c.newBlock("producer_begins"),
                   *meet = c.newBlock("meet");
  c.b.CreateCondBr(isProducer, apart, meet);
  c.b.SetInsertPoint(apart);
  for (Operation *op : ops)
    emitOperation(c, op);
  llvm::BasicBlock *end = c.b.GetInsertBlock();
  c.b.CreateBr(meet);
  c.b.SetInsertPoint(meet);
  for (Operation *op : ops)
    for (Value result : op->getResults())
      for (llvm::Value *&value : c.values[result]) {
        if (llvm::isa<llvm::Constant>(value))
          continue;
        llvm::PHINode *known = c.b.CreatePHI(value->getType(), 2);
        known->addIncoming(value, end);
        known->addIncoming(llvm::PoisonValue::get(value->getType()), before);
        value = known;
      }
}

/// The thread that fetches: the first behind the others.
static llvm::Value *firstOfProducer(KernelContext &c) {
  return c.b.getInt32(c.threads.warpCount() * target::warpSize);
}

/// The thread that fetches runs the region, and so do the warps that turn, if there are any.
static void emitRoles(KernelContext &c, llvm::ArrayRef<Operation *> ops, bool turns,
                      llvm::BasicBlock *end) {
  const auto emitRegion = [&] {
    for (Operation *op : ops)
      emitOperation(c, op);
    c.b.CreateBr(end);
  };
  if (turns) {
    llvm::BasicBlock *turning = c.newBlock("turning"), *fetching = c.newBlock("fetching");
    llvm::Value *first =
        c.b.CreateAdd(firstOfProducer(c), c.b.getInt32(firstTurningWarp * target::warpSize));
    c.b.CreateCondBr(c.b.CreateICmpUGE(c.threads.thread(), first), turning, fetching);
    c.b.SetInsertPoint(turning);
    c.isTurning = true;
    emitRegion();
    c.isTurning = false;
    c.b.SetInsertPoint(fetching);
  }
  llvm::BasicBlock *producer = c.newBlock("producer");
  c.b.CreateCondBr(c.b.CreateICmpEQ(c.threads.thread(), firstOfProducer(c)), producer, end);
  c.b.SetInsertPoint(producer);
  emitRegion();
}

/// The producer is the warp behind the others. All meet at one barrier before they use those of the
/// rings, and the producer computes where it begins while the first of the others makes them.
void emitProduce(KernelContext &c, nv::ProduceOp op) {
  llvm::SmallVector<Operation *> beginning, rest;
  for (Operation &inner : op.getBody().front()) {
    const bool isOfBeginning =
        rest.empty() && inner.getNumRegions() == 0 && isMemoryEffectFree(&inner);
    (isOfBeginning ? beginning : rest).push_back(&inner);
  }
  bool turns = false;
  op.walk([&](nv::FetchOp fetch) { turns |= bool(fetch.getTurned()); });
  llvm::Value *isProducer = c.b.CreateICmpUGE(c.threads.thread(), firstOfProducer(c));
  emitPtx(c.b, "fence.mbarrier_init.release.cluster;");
  if (!beginning.empty())
    emitApart(c, beginning, isProducer);
  c.shared.countBarrier();
  c.b.CreateIntrinsic(c.b.getVoidTy(), llvm::Intrinsic::nvvm_barrier_cta_sync_aligned_all,
                      {c.b.getInt32(0)});
  awaitPrevious(c);
  llvm::BasicBlock *producers = c.newBlock("producers"), *others = c.newBlock("others"),
                   *end = c.newBlock("end");
  c.b.CreateCondBr(isProducer, producers, others);
  c.b.SetInsertPoint(producers);
  if (c.producerWarps > 1)
    setRegisters(c, "dec", turns ? registersOfTurning : registersOfProducer);
  emitRoles(c, rest, turns, end);
  c.b.SetInsertPoint(end);
  if (c.takesClocks())
    noteEndOfWarp(c, /*isProducer=*/true);
  c.b.CreateRetVoid();
  c.b.SetInsertPoint(others);
  if (c.producerWarps > 1)
    setRegisters(c, "inc", turns ? movedRegistersBesideTurning : movedRegisters);
}

/// Sets those of all warps of a warpgroup.
static void setRegisters(KernelContext &c, const char *change, unsigned registers) {
  emitPtx(c.b, std::string("setmaxnreg.") + change + ".sync.aligned.u32 " +
                   std::to_string(registers) + ";");
}

} // namespace nereid::backend::nvptx
