// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/Passes.h"
#include "backend/nvptx/products/ProductRegisters.h"
#include "backend/nvptx/rings/ProducerSlice.h"
#include "backend/nvptx/rings/ResidentBlocks.h"
#include "dialect/nv/Nv.h"
#include "dialect/tile/EraseUnused.h"
#include "dialect/tile/Remark.h"
#include "support/Check.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace nereid::backend::nvptx {

#define GEN_PASS_DEF_GIVEROLES
#include "backend/nvptx/Passes.h.inc"

namespace {

/// The operations that read what lies at this address, perhaps turned.
void findReaders(Value address, llvm::SmallVectorImpl<Operation *> &readers) {
  for (Operation *user : address.getUsers())
    if (llvm::isa<nv::SlotOp, nv::ViewOp>(user))
      findReaders(user->getResult(0), readers);
    else
      readers.push_back(user);
}

/// Nobody waits for a tile before something reads it.
void awaitLate(nv::AwaitSlotOp await) {
  llvm::SmallVector<Operation *> readers, chain = {await};
  findReaders(await.getIndex(), readers);
  NEREID_CHECK(!readers.empty(), "a slot is awaited that nothing reads");
  Operation *first = nullptr;
  for (Operation *reader : readers) {
    Operation *place = await->getBlock()->findAncestorOpInBlock(*reader);
    NEREID_CHECK(place, "a slot is read before it is awaited");
    if (!first || place->isBeforeInBlock(first))
      first = place;
  }
  for (size_t i = 0; i < chain.size(); ++i)
    for (Operation *user : chain[i]->getUsers())
      if (llvm::isa<nv::SlotOp, nv::ViewOp>(user))
        chain.push_back(user);
  for (Operation *op : chain)
    op->moveBefore(first);
}

/// The wait behind a loop for the product that its last round leaves in flight.
Operation *finishBehind(nv::MultiplyOp multiply) {
  auto loop = llvm::cast<scf::ForOp>(multiply->getParentOp());
  for (OpOperand &use : multiply.getResult().getUses())
    if (llvm::isa<scf::YieldOp>(use.getOwner()))
      for (Operation *user : loop.getResult(use.getOperandNumber()).getUsers())
        if (llvm::isa<nv::FinishOp>(user))
          return user;
  NEREID_UNREACHABLE("a product is in flight that nothing finishes");
}

/// Where it is known that a product has read its factors, and how many products of the loop may
/// still be reading theirs.
struct End {
  Operation *op;
  int pending;
};

/// The first wait that lets no more go on than began behind the product, in its round or the next.
End endAmongOthers(nv::MultiplyOp multiply) {
  int newer = 0;
  auto isEnd = [&](Operation &op) {
    newer += llvm::isa<nv::MultiplyOp>(op);
    if (auto finish = llvm::dyn_cast<nv::FinishOp>(op))
      return int(finish.getPending()) <= newer;
    auto await = llvm::dyn_cast<nv::AwaitProductsOp>(op);
    return await && int(await.getPending()) <= newer;
  };
  Block *round = multiply->getBlock();
  auto behind = llvm::make_range(std::next(multiply->getIterator()), round->end());
  if (auto end = llvm::find_if(behind, isEnd); end != round->end())
    return {&*end, 0};
  auto end = llvm::find_if(*round, isEnd);
  NEREID_CHECK(end != round->end(), "a product is in flight that no round waits for");
  return {&*end, 1};
}

End endOf(Operation *reader) {
  auto multiply = llvm::dyn_cast<nv::MultiplyOp>(reader);
  if (!multiply)
    return {reader, 0};
  for (Operation *user : multiply.getResult().getUsers())
    if (llvm::isa<nv::FinishOp>(user) && user->getBlock() == reader->getBlock())
      return {user, 0};
  Operation *next = reader;
  while (next && !llvm::isa<nv::AwaitProductsOp>(next))
    next = next->getNextNode();
  if (!next)
    return endAmongOthers(multiply);
  return {next, static_cast<int>(llvm::cast<nv::AwaitProductsOp>(next).getPending())};
}

void release(Value ring, int pending, Operation *after) {
  OpBuilder builder(after->getContext());
  builder.setInsertionPointAfter(after);
  nv::ReleaseOp::create(builder, after->getLoc(), ring, pending);
}

/// A row that threads read for their sums comes to registers while they compute: what stands before
/// the next product, or before all of them meet, who then wait for what they read as well.
Operation *placeBehindRow(nv::ReadOp row, Value ring) {
  for (Operation *behind = row->getNextNode(); behind; behind = behind->getNextNode()) {
    if (llvm::isa<nv::WriteOp>(behind))
      return behind;
    if (auto next = llvm::dyn_cast<nv::AwaitSlotOp>(behind); next && next.getRing() == ring)
      break; // whose slot may be this one
  }
  Operation *op = row;
  while (!llvm::isa<nv::MultiplyOp>(op->getNextNode()) &&
         !op->getNextNode()->hasTrait<OpTrait::IsTerminator>())
    op = op->getNextNode();
  return op;
}

/// Products end in the order in which they begin, so of those that read the slot the newest counts.
void releaseWhenRead(nv::AwaitSlotOp await) {
  llvm::SmallVector<Operation *> readers;
  findReaders(await.getIndex(), readers);
  Block *block = await->getBlock();
  auto placeOf = [&](Operation *op) { return block->findAncestorOpInBlock(*op); };
  nv::MultiplyOp newest;
  Operation *last = nullptr;
  auto mayBeLast = [&](Operation *place) {
    if (!last || last->isBeforeInBlock(place))
      last = place;
  };
  for (Operation *reader : readers) {
    auto multiply = llvm::dyn_cast<nv::MultiplyOp>(reader);
    auto row = llvm::dyn_cast<nv::ReadOp>(reader);
    if (row && row->getBlock() == block && tile::shapeOf(row.getType()).size() == 1)
      mayBeLast(placeBehindRow(row, await.getRing()));
    else if (!multiply)
      mayBeLast(placeOf(reader));
    else if (!newest || (newest->getBlock() == multiply->getBlock()
                             ? newest->isBeforeInBlock(multiply)
                             : placeOf(newest)->isBeforeInBlock(placeOf(multiply))))
      newest = multiply;
  }
  End end{nullptr, 0};
  Operation *finish = nullptr;
  if (newest) {
    end = endOf(newest);
    if (end.pending)
      finish = finishBehind(newest);
    if (finish && newest->getBlock() != block) {
      end = {finish, 0};
      finish = nullptr;
    }
    mayBeLast(placeOf(end.op));
  }
  // This round's tile is one of those that are awaited.
  mayBeLast(await);
  release(await.getRing(), end.pending, last);
  if (finish)
    release(await.getRing(), 0, finish);
}

/// Behind the last operation of the kernel that reads a ring, its room is free for others.
void freeBehindReaders(func::FuncOp kernel) {
  Block &body = kernel.getBody().front();
  Operation *last = nullptr;
  kernel.walk([&](Operation *op) {
    if (!llvm::isa<nv::ReleaseOp, nv::ReadRowOp>(op))
      return;
    Operation *reader = body.findAncestorOpInBlock(*op);
    if (!last || last->isBeforeInBlock(reader))
      last = reader;
  });
  // A product that a loop leaves in flight, and what else was put into shared memory for it.
  while (llvm::isa<nv::FinishOp, nv::ReleaseOp, nv::FreeOp>(last->getNextNode()))
    last = last->getNextNode();
  OpBuilder builder(kernel.getContext());
  builder.setInsertionPointAfter(last);
  auto rings = llvm::to_vector(body.getOps<nv::RingOp>());
  for (nv::RingOp ring : llvm::reverse(rings))
    nv::FreeOp::create(builder, ring.getLoc(), ring);
}

/// What the fetch is told: all but where boxes and rings are.
llvm::SmallVector<Value> numbersOf(Operation *fetch) {
  return llvm::to_vector(llvm::make_filter_range(fetch->getOperands(), [](Value operand) {
    return !llvm::isa<nv::BoxType, nv::SharedType>(operand.getType());
  }));
}

/// What is the same in all rounds is computed before them: mostly where a box begins.
void hoistInvariants(nv::ProduceOp produce) {
  produce.walk([](scf::ForOp loop) {
    for (Operation &op : llvm::make_early_inc_range(loop.getBody()->without_terminator()))
      if (op.getNumRegions() == 0 && isMemoryEffectFree(&op) &&
          llvm::all_of(op.getOperands(),
                       [&](Value operand) { return loop.isDefinedOutsideOfLoop(operand); }))
        op.moveBefore(loop);
  });
}

/// The registers of a thread where a loop's products take most.
unsigned productRegisters(func::FuncOp kernel) {
  unsigned most = 0;
  kernel.walk([&](scf::ForOp loop) {
    unsigned left = 0;
    for (auto multiply : loop.getBody()->getOps<nv::MultiplyOp>())
      left = std::max(left, leftRegisters(multiply));
    most = std::max(most, sumRegisters(*loop.getBody()) + left);
  });
  return most;
}

/// Whether a block has an SM for itself, so that there are registers to be moved: for its shared
/// memory, or because its products take more than threads can have beside one more warp. (Two sums
/// of 128 x 64 beside scores of 128 x 128, 160 registers: on an H200 126 us with one warp that
/// fetches, which spill, 111 with four. Attention of 128 x 128 and 64 columns, 128 registers: 1 to
/// 2 % more or less.)
bool isAlone(func::FuncOp kernel, const Configuration &configuration) {
  const target::NvidiaTarget &target = configuration.target;
  unsigned warps = configuration.warps;
  unsigned registers = productRegisters(kernel) + configuration.policy.other_registers;
  return fillsSm(target, warps, mostBytes(kernel)) || needsMovedRegisters(target, warps, registers);
}

/// Registers are moved between two warpgroups that multiply and one that fetches alone.
void remarkRegisters(func::FuncOp kernel, const Configuration &configuration) {
  const target::NvidiaTarget &target = configuration.target;
  const unsigned registers = productRegisters(kernel) + configuration.policy.other_registers;
  const unsigned warps = configuration.warps + 1;
  if (configuration.warps != warpsOfTwoGroups && !residentBlocks(target, warps, registers, 0))
    tile::remark(kernel, RemarkId::registers_not_moved, registers, warps,
                 registersOfThread(target, warps));
}

/// Whether warps of the producer turn what another one fetches.
bool turnsTiles(func::FuncOp kernel) {
  return kernel
      .walk([](nv::FetchOp fetch) {
        return fetch.getTurned() ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

void giveRoles(func::FuncOp kernel) {
  llvm::SmallVector<Operation *> fetches;
  llvm::SmallVector<nv::AwaitSlotOp> awaits;
  kernel.walk([&](Operation *op) {
    if (llvm::isa<nv::FetchOp, nv::FetchRowOp>(op))
      fetches.push_back(op);
  });
  kernel.walk([&](nv::AwaitSlotOp await) { awaits.push_back(await); });
  for (nv::AwaitSlotOp await : awaits) {
    awaitLate(await);
    releaseWhenRead(await);
  }
  freeBehindReaders(kernel);
  ProducerSlice slice([](tile::LoadOp) { return true; }); // who made the fetches asked
  for (Operation *fetch : fetches) {
    bool isApart = slice.add(fetch, numbersOf(fetch));
    NEREID_CHECK(isApart, "a fetch depends on what its warp cannot compute");
  }
  Block &body = kernel.getBody().front();
  Operation *start = nullptr;
  for (Operation &op : body)
    if (llvm::isa<nv::RingOp, nv::BoxOp>(op))
      start = &op;
  NEREID_CHECK(start, "fetches without rings");
  OpBuilder builder(kernel.getContext());
  builder.setInsertionPointAfter(start);
  auto produce = nv::ProduceOp::create(builder, kernel.getLoc());
  builder.createBlock(&produce.getBody());
  IRMapping map;
  slice.clone(body, builder, map);
  hoistInvariants(produce);
  for (Operation *fetch : fetches)
    fetch->erase();
  tile::eraseUnused(kernel); // what only fetches were computed from
}

struct GiveRoles final : ConfiguredPass<impl::GiveRolesBase<GiveRoles>, GiveRoles> {
  void run(func::FuncOp kernel, const Configuration &configuration) {
    if (!isFetchedFor(kernel))
      return;
    giveRoles(kernel);
    bool isGroup = configuration.target.hasWarpgroupProducts &&
                   (isAlone(kernel, configuration) || turnsTiles(kernel));
    if (!isGroup)
      remarkRegisters(kernel, configuration);
    kernel->setAttr(nv::producerWarpsAttr,
                    OpBuilder(kernel).getI32IntegerAttr(isGroup ? warpsOfGroup : 1));
  }

  static constexpr int warpsOfGroup = 4;
};

} // namespace

} // namespace nereid::backend::nvptx
