// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/cpu/storage/StoragePlan.h"

#include "analysis/Strides.h"
#include "backend/cpu/emit/KernelEmitter.h"
#include "backend/cpu/storage/Recompute.h"
#include "dialect/tile/Remark.h"
#include "dialect/tile/Tile.h"

using namespace mlir;

namespace nereid::backend::cpu {

using Roots = llvm::SmallSetVector<Operation *, 4>;

StoragePlan::StoragePlan(func::FuncOp kernel, const target::CpuTarget &cpu)
    : cpu(cpu), kernel(kernel), aliasing(kernel) {
  Block &body = kernel.getBody().front();
  number(body);
  decide(body);
  writeWhereReduced(body);
  assignKept(kernel);
  assignBuffers(body);
  layOut();
  if (tile::wantsRemarks(kernel))
    remarkStored(kernel);
}

/// The region of a reduction is none: it works on scalars and needs no place.
static bool isControlFlow(Operation &op) { return llvm::isa<RegionBranchOpInterface>(op); }

void StoragePlan::number(Block &block) {
  for (Operation &op : block) {
    position[&op] = next++;
    tile::Access access = tile::accessOf(&op);
    if (access.writes || access.releases)
      fences.push_back(&op);
    if (isControlFlow(op))
      for (Region &region : op.getRegions())
        for (Block &nested : region)
          number(nested);
    endPosition[&op] = next++;
  }
}

/// Arithmetic of floats, what it ends in as integers included.
static bool computesFloats(Operation *op) {
  if (llvm::isa<arith::FPToSIOp, arith::FPToUIOp>(op))
    return true;
  llvm::StringRef dialect = op->getName().getDialectNamespace();
  return (dialect == "arith" || dialect == "math") && op->getNumResults() == 1 &&
         llvm::isa<FloatType>(getElementTypeOrSelf(op->getResult(0).getType()));
}

/// Users come before definitions here, so that when a value is decided all its readers have been.
void StoragePlan::decide(Block &block) {
  Operation *terminator = block.getTerminator();
  if (auto loop = llvm::dyn_cast<scf::ForOp>(block.getParentOp()))
    decideCarried(terminator, loop.getRegionIterArgs());
  for (Operation &op : llvm::reverse(block)) {
    if (isControlFlow(op))
      for (Region &region : llvm::reverse(op.getRegions()))
        for (Block &nested : region)
          decide(nested);
    decideValue(&op);
  }
}

void StoragePlan::decideValue(Operation *op) {
  for (OpOperand &operand : op->getOpOperands())
    if (tile::needOf(operand) == tile::Need::Whole)
      stored.insert(operand.get());
  for (Value result : op->getResults()) {
    if (!tile::isTile(result.getType()))
      continue;
    bool isAtItsPlace = KernelEmitter::isRoot(op) || tile::accessOf(op).isOrdered();
    if (!tile::isLanewise(op) || isAtItsPlace) { // once
      stored.insert(result);
      continue;
    }
    Roots reached = rootsOf(result);
    if (stored.contains(result) || (!isCheapToRecompute(result) && mustStore(op, reached)))
      stored.insert(result);
    else
      roots[result] = reached;
  }
}

Roots StoragePlan::rootsOf(Value value) const {
  Roots reached;
  for (Operation *user : value.getUsers()) {
    bool isRoot = user->getNumResults() == 0;
    for (Value result : user->getResults()) {
      if (auto virtualResult = roots.find(result); virtualResult != roots.end())
        reached.insert_range(virtualResult->second);
      else
        isRoot = true;
    }
    if (isRoot)
      reached.insert(user);
  }
  return reached;
}

bool StoragePlan::mustStore(Operation *op, const Roots &reached) {
  for (Operation *user : op->getUsers())
    if (user->getBlock() != op->getBlock())
      return true;
  if (reached.empty())
    return false;
  if (reached.size() > 1)
    return true;
  Operation *root = reached.front();
  if (root->getBlock() != op->getBlock())
    return true;
  // An atomic takes one lane after the other: what vectors compute is there before, and no address
  // waits for floats while the next lane's is to be read.
  bool isLastOfFloats = computesFloats(op) && !llvm::all_of(op->getUsers(), computesFloats);
  if (isLastOfFloats && llvm::isa<tile::AtomicRmwOp, tile::AtomicCasOp>(root))
    return true;
  if (tile::accessOf(op).reads)
    return !mayReadLate(op, root) || isReadAcross(op, root);
  // Repeating along a dimension would repeat the computation, but for roots; a plain load costs as
  // much as a reread.
  return !tile::movesLanes(op) && llvm::any_of(op->getUses(), [](OpOperand &use) {
    OpOperand *last = &use;
    while (tile::movesLanes(last->getOwner()) && !tile::repeatsLanes(*last) &&
           last->getOwner()->hasOneUse())
      last = &*last->getOwner()->use_begin();
    return tile::repeatsLanes(*last) && !KernelEmitter::isRoot(last->getOwner());
  });
}

/// A virtual load reads when its root runs. By then the program itself may have written there; and
/// once it has released, another program may have, whatever the arguments.
bool StoragePlan::mayReadLate(Operation *load, Operation *root) { return !fenceBefore(load, root); }

Operation *StoragePlan::fenceBefore(Operation *load, Operation *root) {
  unsigned begin = position.at(load), end = endPosition.at(root);
  auto first =
      llvm::partition_point(fences, [&](Operation *fence) { return position.at(fence) < begin; });
  for (auto fence = first; fence != fences.end() && position.at(*fence) < end; ++fence) {
    tile::Access access = tile::accessOf(*fence);
    // The root evaluates its operands lane by lane: all of the first lane's before it acts on it.
    bool isFirstLane =
        *fence == root && access.pointer && tile::elementCount(access.pointer.getType()) == 1;
    if (access.releases && !isFirstLane)
      return *fence;
    if (access.writes && mayOverwrite(*fence, load, *fence == root))
      return *fence;
  }
  return nullptr;
}

bool StoragePlan::mayOverwrite(Operation *writer, Operation *load, bool isSameNest) {
  tile::Access writing = tile::accessOf(writer);
  Value written = writing.pointer, read = tile::accessOf(load).pointer;
  if (!written || !read)
    return true;
  if (!aliasing.mayMeet(written, read))
    return false;
  // In one nest each lane reads before it writes, which is the same as reading all lanes first if
  // no lane writes what another reads.
  bool isLaneForLane =
      isSameNest && written == read && !writing.reads && tile::shapeOf(read.getType()).size() == 1;
  if (isLaneForLane) {
    std::optional<int64_t> stride = analysis::strideAlong(read, 0);
    return !stride || *stride == 0;
  }
  return !(isSameNest && orderAllows(writer, read, written));
}

/// New values of carried tiles are computed straight into their buffers where that is possible;
/// what reads memory that another update overwrites is found once buffers are known
/// (storeUnsafeUpdates).
void StoragePlan::decideCarried(Operation *terminator, ValueRange carried) {
  for (Value yielded : terminator->getOperands()) {
    if (!tile::isTile(yielded.getType()))
      continue;
    bool isOwn = yielded.getParentBlock() == terminator->getBlock() &&
                 llvm::count(terminator->getOperands(), yielded) == 1;
    if (isOwn)
      inPlace.insert(yielded);
    else if (!llvm::is_contained(carried, yielded))
      stored.insert(yielded);
  }
}

} // namespace nereid::backend::cpu
