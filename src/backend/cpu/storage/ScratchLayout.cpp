// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gives every stored tile a buffer and every buffer a place in scratch memory.
#include "backend/cpu/products/KeptPanels.h"
#include "backend/cpu/storage/StoragePlan.h"
#include "dialect/tile/Tile.h"

using namespace mlir;

namespace nereid::backend::cpu {

uint64_t storedBytes(Type type) {
  return static_cast<uint64_t>(tile::elementCount(type)) * tile::byteSizeOf(tile::elementOf(type));
}

/// Another way to read the memory of the first operand: its lanes, but none that a map finds.
static bool isView(Operation *op) {
  return tile::movesLanes(op) && !tile::isLanewise(op) && tile::isTile(op->getOperand(0).getType());
}

/// What reads `value`, directly or through virtual values and views.
void StoragePlan::forEachReader(Value value, llvm::function_ref<void(Operation *)> see) const {
  auto seeRunner = [&](Operation *reader) {
    for (Value result : reader->getResults())
      if (Operation *reduce = writer.lookup(result))
        reader = reduce; // runs what the reader does
    see(reader);
  };
  for (Operation *user : value.getUsers()) {
    seeRunner(user);
    for (Value result : user->getResults()) {
      if (auto found = roots.find(result); found != roots.end())
        llvm::for_each(found->second, seeRunner);
      else if (isView(user))
        forEachReader(result, see); // read when its readers are
    }
  }
}

/// The last position at which `value` is read.
unsigned StoragePlan::lastRead(Value value) const {
  unsigned last = 0;
  forEachReader(value, [&](Operation *reader) {
    // A reader in a loop reads again in the next round: the whole loop counts.
    Operation *ancestor = value.getParentBlock()->findAncestorOpInBlock(*reader);
    last = std::max(last, endPosition.at(ancestor ? ancestor : reader));
  });
  return last;
}

BufferId StoragePlan::newBuffer(Type type, unsigned first, unsigned last) {
  allocations.push_back({storedBytes(type), 0, first, std::max(first, last)});
  return allocations.size() - 1;
}

void StoragePlan::share(Value value, Value owner) {
  BufferId id = buffers.at(owner);
  buffers[value] = id;
  allocations[id].last = std::max(allocations[id].last, lastRead(value));
}

/// What outlives programs has its place alone; the mark of a launch that has begun has the first.
void StoragePlan::assignKept(func::FuncOp kernel) {
  kernel.walk([&](tile::DotOp dot) {
    DotShape shape(dot, cpu);
    auto isStored = [&](Value tile) { return stored.contains(tile); };
    KeptPanels panels(dot, shape, cpu, isStored);
    if (panels.rounds == 0)
      return;
    if (kept.empty())
      allocations.push_back({keepingBytes, 0, 0, next});
    kept[dot] = allocations.size();
    allocations.push_back({panels.bytes(shape), 0, 0, next});
  });
}

void StoragePlan::assignBuffers(Block &block) {
  for (Operation &op : block) {
    assignControlFlow(&op);
    if (auto dot = llvm::dyn_cast<tile::DotOp>(op)) {
      temporaries[&op] = allocations.size();
      uint64_t bytes = DotShape(dot, cpu).bytes(dot);
      allocations.push_back({bytes, 0, position[&op], endPosition[&op]});
    }
    if (auto shared = llvm::dyn_cast<tile::SharedOp>(op)) { // the program's as long as it runs
      temporaries[&op] = allocations.size();
      uint64_t bytes = shared.getCount() * tile::byteSizeOf(shared.getType().getPointee());
      allocations.push_back({bytes, 0, 0, next});
    }
    for (Value result : op.getResults()) {
      if (!tile::isTile(result.getType()) || !stored.contains(result) || buffers.contains(result))
        continue;
      if (isView(&op)) {
        share(result, op.getOperand(0));
        continue;
      }
      if (Value accumulator = reusableAccumulator(&op)) {
        share(result, accumulator);
        continue;
      }
      buffers[result] = newBuffer(result.getType(), position[&op], lastRead(result));
    }
  }
}

/// What a tile is computed from: stored tiles, each with whether it is read lane for lane.
llvm::SmallSetVector<StoragePlan::Leaf, 4> StoragePlan::leavesOf(Value tile) const {
  llvm::SmallSetVector<Leaf, 4> leaves;
  llvm::SmallSetVector<Leaf, 8> work;
  work.insert({tile, true});
  for (size_t i = 0; i < work.size(); ++i) {
    auto [value, isLaneForLane] = work[i];
    if (stored.contains(value)) {
      leaves.insert(work[i]);
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (!op)
      continue;
    for (OpOperand &operand : op->getOpOperands())
      if (tile::isTile(operand.get().getType()))
        work.insert({operand.get(), isLaneForLane && tile::isLaneForLane(operand)});
  }
  return leaves;
}

/// The stored tile that a dot may add to where it stands: its accumulator, or the one stored tile
/// the accumulator is computed from lane for lane, if nobody reads it afterwards.
Value StoragePlan::reusableAccumulator(Operation *op) const {
  auto dot = llvm::dyn_cast<tile::DotOp>(op);
  if (!dot)
    return {};
  llvm::SmallSetVector<Leaf, 4> leaves = leavesOf(dot.getAccumulator());
  Value found;
  for (auto [value, isLaneForLane] : leaves)
    if (isLaneForLane && value.getType() == dot.getType() && buffers.contains(value))
      found = value;
  if (!found || found.getParentBlock() != op->getBlock())
    return {};
  // The left factor is read, where it lies, while the sums are written.
  if (shareBuffer(dot.getLhs(), found))
    return {};
  for (auto [value, isLaneForLane] : leaves)
    if (!isLaneForLane && shareBuffer(value, found))
      return {};
  for (auto [value, id] : buffers)
    if (id == buffers.at(found) && isAliveAfter(value, op))
      return {};
  return found;
}

/// Whether a tile, which shares its buffer with others (a view, the tile before an earlier update,
/// what a loop around carries), may still be read once `op` has begun to overwrite that. What `op`
/// and loops around it take as operands they take before.
bool StoragePlan::isAliveAfter(Value tile, Operation *op) const {
  Block *block = tile.getParentBlock();
  Operation *around = block->findAncestorOpInBlock(*op);
  if (!around) // what an inner block holds has passed
    return !op->getBlock()->findAncestorOpInBlock(*block->getParentOp());
  if (tile.getDefiningOp() == around) // what it leaves behind is not there yet
    return false;
  bool isRead = false;
  forEachReader(tile, [&](Operation *reader) {
    Operation *ancestor = block->findAncestorOpInBlock(*reader);
    isRead |= !ancestor || position.at(ancestor) > position.at(around) ||
              (ancestor == around && reader != around);
  });
  return isRead;
}

/// Whether a loop within another may carry a tile where its first value lies, which nobody reads
/// from then on: neither that nor what the loop leaves behind is copied in each round around it.
bool StoragePlan::maySucceed(scf::ForOp loop, Value initial) const {
  if (!llvm::isa<scf::ForOp>(loop->getParentOp()) || !buffers.contains(initial) ||
      initial.getParentBlock() != loop->getBlock())
    return false;
  bool isOnly = llvm::count_if(loop.getInitArgs(), [&](Value other) {
                  return tile::isTile(other.getType()) && shareBuffer(other, initial);
                }) == 1;
  return isOnly && llvm::none_of(buffers, [&](auto &entry) {
           return entry.second == buffers.at(initial) && isAliveAfter(entry.first, loop);
         });
}

void StoragePlan::assignControlFlow(Operation *op) {
  auto carry = [&](ValueRange arguments, ValueRange results, ValueRange initials = {}) {
    for (auto [i, argument] : llvm::enumerate(arguments)) {
      if (!tile::isTile(argument.getType()))
        continue;
      stored.insert(argument);
      bool succeeds = !initials.empty() && maySucceed(llvm::cast<scf::ForOp>(op), initials[i]);
      buffers[argument] = succeeds ? buffers.at(initials[i])
                                   : newBuffer(argument.getType(), position[op], endPosition[op]);
      Allocation &own = allocations[buffers[argument]];
      own.last = std::max(own.last, endPosition[op]);
    }
    for (auto [argument, result] : llvm::zip(arguments, results))
      if (tile::isTile(result.getType()))
        share(result, argument);
  };
  if (auto loop = llvm::dyn_cast<scf::ForOp>(op)) {
    carry(loop.getRegionIterArgs(), loop.getResults(), loop.getInitArgs());
    assignBuffers(*loop.getBody());
    updateTogether(loop);
    storeUnsafeUpdates(loop);
    reserveSwapSpace(loop);
  } else if (auto loop = llvm::dyn_cast<scf::WhileOp>(op)) {
    carry(loop.getBeforeArguments(), {});
    carry(loop.getAfterArguments(), loop.getResults());
    assignBuffers(*loop.getBeforeBody());
    assignBuffers(*loop.getAfterBody());
  } else if (auto branch = llvm::dyn_cast<scf::IfOp>(op)) {
    for (Value result : branch.getResults())
      if (tile::isTile(result.getType()))
        buffers[result] = newBuffer(result.getType(), position[op], lastRead(result));
    assignBuffers(*branch.thenBlock());
    if (branch.elseBlock())
      assignBuffers(*branch.elseBlock());
  }
}

/// An update in place may read its own old value, lane for lane, and nothing else that lies in a
/// carried buffer, be it the result of a dot or a view: the updates before it may have overwritten
/// that. Updates that do are stored after all.
void StoragePlan::storeUnsafeUpdates(scf::ForOp loop) {
  auto isUnsafe = [&](Value argument, Leaf leaf) {
    auto [value, isLaneForLane] = leaf;
    return llvm::any_of(loop.getRegionIterArgs(), [&](Value carried) {
      return tile::isTile(carried.getType()) && shareBuffer(carried, value) &&
             (carried != argument || !isLaneForLane);
    });
  };
  for (auto [i, argument] : llvm::enumerate(loop.getRegionIterArgs())) {
    Value yielded = loop.getYieldedValues()[i];
    bool isDecided = llvm::is_contained(updatedTogether(loop), i);
    if (isDecided || !inPlace.contains(yielded) || stored.contains(yielded))
      continue;
    if (llvm::none_of(leavesOf(yielded), [&](Leaf leaf) { return isUnsafe(argument, leaf); }))
      continue;
    inPlace.erase(yielded);
    stored.insert(yielded);
    buffers[yielded] =
        newBuffer(yielded.getType(), position.at(yielded.getDefiningOp()), lastRead(yielded));
  }
}

/// New values that lie in another carried tile's buffer are set aside before any is overwritten.
void StoragePlan::reserveSwapSpace(scf::ForOp loop) {
  Operation *yield = loop.getBody()->getTerminator();
  uint64_t bytes = 0;
  for (Value yielded : yield->getOperands())
    if (isInCarriedBuffer(yielded, loop))
      bytes += llvm::alignTo(storedBytes(yielded.getType()), scratchAlignment);
  temporaries[yield] = allocations.size();
  allocations.push_back({bytes, 0, position[loop], endPosition[loop]});
}

bool StoragePlan::isInCarriedBuffer(Value yielded, scf::ForOp loop) const {
  if (!isStored(yielded))
    return false;
  for (auto [argument, own] : llvm::zip(loop.getRegionIterArgs(), loop.getYieldedValues()))
    if (own != yielded && shareBuffer(argument, yielded))
      return true;
  return false;
}

/// First fit by start: a buffer takes the lowest place that no buffer alive at the same time has.
void StoragePlan::layOut() {
  llvm::SmallVector<BufferId> order(llvm::to_vector(llvm::seq<BufferId>(0, allocations.size())));
  llvm::sort(order, [&](BufferId a, BufferId b) {
    return std::pair(allocations[a].first, a) < std::pair(allocations[b].first, b);
  });
  llvm::SmallVector<BufferId> placed;
  for (BufferId id : order) {
    Allocation &current = allocations[id];
    llvm::SmallVector<std::pair<uint64_t, uint64_t>> taken;
    for (BufferId other : placed) {
      const Allocation &a = allocations[other];
      if (a.first <= current.last && current.first <= a.last)
        taken.emplace_back(a.offset, a.offset + a.bytes);
    }
    llvm::sort(taken);
    for (auto [begin, end] : taken)
      if (current.offset < end && begin < current.offset + current.bytes)
        current.offset = llvm::alignTo(end, scratchAlignment);
    placed.push_back(id);
    totalBytes = std::max(totalBytes, current.offset + current.bytes);
  }
}

} // namespace nereid::backend::cpu
