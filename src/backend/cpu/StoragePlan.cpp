// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/cpu/StoragePlan.h"

#include "analysis/Strides.h"
#include "dialect/tile/Tile.h"

using namespace mlir;

namespace nereid::backend::cpu {

using Roots = llvm::SmallSetVector<Operation *, 4>;

StoragePlan::StoragePlan(func::FuncOp kernel, bool isNoAlias) : isNoAlias(isNoAlias) {
  Block &body = kernel.getBody().front();
  number(body);
  decide(body);
  assignBuffers(body);
  layOut();
}

void StoragePlan::number(Block &block) {
  for (Operation &op : block) {
    position[&op] = next++;
    if (llvm::isa<tile::StoreOp, tile::AtomicRmwOp>(op))
      writers.push_back(&op);
    // The region of a reduction works on scalars and needs no place.
    if (!llvm::isa<tile::ReduceOp>(op))
      for (Region &region : op.getRegions())
        for (Block &nested : region)
          number(nested);
    endPosition[&op] = next++;
  }
}

/// Users come before definitions here, so that when a value is decided all its readers have been.
void StoragePlan::decide(Block &block) {
  Operation *terminator = block.getTerminator();
  if (auto loop = llvm::dyn_cast<scf::ForOp>(block.getParentOp()))
    decideCarried(terminator, loop.getRegionIterArgs());
  for (Operation &op : llvm::reverse(block)) {
    if (!llvm::isa<tile::ReduceOp>(op))
      for (Region &region : llvm::reverse(op.getRegions()))
        for (Block &nested : region)
          decide(nested);
    decideValue(&op);
  }
}

void StoragePlan::decideValue(Operation *op) {
  // A reshape that moves lanes is another view of its source's memory.
  if (llvm::isa<tile::ReshapeOp>(op) && !isUnitReshape(op) &&
      tile::isTile(op->getOperand(0).getType()))
    stored.insert(op->getOperand(0));
  // Printing walks over memory.
  if (llvm::isa<tile::PrintOp>(op))
    for (Value operand : op->getOperands())
      if (tile::isTile(operand.getType()))
        stored.insert(operand);
  for (Value result : op->getResults()) {
    if (!tile::isTile(result.getType()))
      continue;
    auto load = llvm::dyn_cast<tile::LoadOp>(op);
    if (!isLanewise(op) || (load && load.getIsVolatile())) { // at its place, and once
      stored.insert(result);
      continue;
    }
    Roots reached = rootsOf(result);
    if (stored.contains(result) || (!isCheap(result) && mustStore(op, reached)))
      stored.insert(result);
    else
      roots[result] = reached;
  }
}

Roots StoragePlan::rootsOf(Value value) const {
  Roots reached;
  for (Operation *user : value.getUsers()) {
    bool isVirtual = user->getNumResults() == 1 && roots.contains(user->getResult(0));
    if (isVirtual)
      reached.insert_range(roots.at(user->getResult(0)));
    else
      reached.insert(user);
  }
  return reached;
}

bool StoragePlan::mustStore(Operation *op, const Roots &reached) const {
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
  if (llvm::isa<tile::LoadOp>(op))
    return isOverwrittenBefore(op, root);
  // Repeating along a dimension would repeat the computation; a plain load costs as much as a
  // reread.
  bool isComputed =
      !llvm::isa<tile::ExpandDimsOp, tile::BroadcastOp, tile::PermuteOp>(op) && !isUnitReshape(op);
  return isComputed && llvm::any_of(op->getUsers(), [&](Operation *user) {
           while (llvm::isa<tile::ExpandDimsOp>(user) && user->hasOneUse())
             user = *user->user_begin();
           return llvm::isa<tile::BroadcastOp>(user);
         });
}

/// A virtual load reads when its root runs. Whatever writes before that may have changed the
/// memory.
bool StoragePlan::isOverwrittenBefore(Operation *load, Operation *root) const {
  unsigned begin = position.at(load), end = endPosition.at(root);
  auto first = llvm::partition_point(
      writers, [&](Operation *writer) { return position.at(writer) < begin; });
  for (auto writer = first; writer != writers.end() && position.at(*writer) < end; ++writer)
    if (mayOverwrite(*writer, load, *writer == root))
      return true;
  return false;
}

/// The kernel argument that a pointer was computed from; null if that cannot be seen.
static Value baseOf(Value pointer) {
  while (Operation *op = pointer.getDefiningOp()) {
    if (!llvm::isa<tile::OffsetOp, tile::SplatOp, tile::BroadcastOp, tile::ExpandDimsOp,
                   tile::PermuteOp, tile::ReshapeOp, tile::HintOp, tile::PointerCastOp>(op))
      return {};
    pointer = op->getOperand(0);
  }
  auto argument = llvm::cast<BlockArgument>(pointer);
  bool isKernelArgument = llvm::isa<func::FuncOp>(argument.getOwner()->getParentOp());
  return isKernelArgument ? pointer : Value();
}

bool StoragePlan::mayOverwrite(Operation *writer, Operation *load, bool isSameNest) const {
  Value written = writer->getOperand(0), read = load->getOperand(0);
  Value writtenBase = baseOf(written), readBase = baseOf(read);
  if (isNoAlias && writtenBase && readBase && writtenBase != readBase)
    return false;
  // In one nest each lane reads before it writes, which is the same as reading all lanes first if
  // no lane writes what another reads.
  bool isLaneForLane = isSameNest && written == read && llvm::isa<tile::StoreOp>(writer) &&
                       tile::shapeOf(read.getType()).size() == 1;
  if (isLaneForLane) {
    std::optional<int64_t> stride = analysis::strideAlong(read, 0);
    return !stride || *stride == 0;
  }
  return true;
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
