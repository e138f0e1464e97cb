// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A stored tile that the next nest reduces, lane for lane, is computed and written by that nest: a
// row is walked over once for its exponentials and their sum.
#include "backend/cpu/emit/KernelEmitter.h"
#include "backend/cpu/storage/StoragePlan.h"
#include "dialect/tile/Tile.h"

using namespace mlir;

namespace nereid::backend::cpu {

/// Readers come before what they read here: whether a tile waits depends on whether those between
/// it and the reduction do.
void StoragePlan::writeWhereReduced(Block &block) {
  for (Operation &op : llvm::reverse(block)) {
    for (Region &region : op.getRegions())
      if (llvm::isa<RegionBranchOpInterface>(op))
        for (Block &nested : region)
          writeWhereReduced(nested);
    if (KernelEmitter::isRoot(&op) || !tile::isLanewise(&op) || tile::accessOf(&op).isOrdered())
      continue;
    for (Value result : op.getResults())
      if (stored.contains(result) && tile::isTile(result.getType()))
        if (Operation *reduce = reductionThatWrites(result))
          writer[result] = reduce;
  }
  for (Operation &op : block)
    for (Value result : op.getResults())
      if (Operation *reduce = writer.lookup(result))
        writtenBy[reduce].push_back(result);
}

/// Whether lane i of all that the operation does needs at most lane i of the tile; and not for its
/// mask, which a nest looks at before it computes anything.
bool StoragePlan::isReadLaneForLane(Operation *op, Value tile) const {
  Value mask = tile::accessOf(op).mask;
  return llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
    bool isInPlace = tile::isLaneForLane(operand) && operand.get() != mask;
    return !tile::isTile(operand.get().getType()) ||
           llvm::all_of(leavesOf(operand.get()), [&](Leaf leaf) {
             return leaf.first != tile || (isInPlace && leaf.second);
           });
  });
}

/// The next reduction, if between it and the tile is nothing that has a nest of its own, and if all
/// that reads the tile until then does so lane for lane.
Operation *StoragePlan::reductionThatWrites(Value tile) const {
  for (Operation *next = tile.getDefiningOp()->getNextNode(); next; next = next->getNextNode()) {
    if (auto reduce = llvm::dyn_cast<tile::ReduceOp>(next)) {
      bool isLaneForLane = llvm::all_of(reduce.getSources(), [&](Value source) {
        return tile::shapeOf(source.getType()) == tile::shapeOf(tile.getType()) &&
               llvm::all_of(leavesOf(source),
                            [&](Leaf leaf) { return leaf.second || leaf.first != tile; });
      });
      return isLaneForLane ? next : nullptr;
    }
    if (!isReadLaneForLane(next, tile))
      return nullptr;
    bool isNest = KernelEmitter::isRoot(next) || tile::accessOf(next).isOrdered() ||
                  next->hasTrait<OpTrait::IsTerminator>();
    bool readsTiles = llvm::any_of(next->getOperandTypes(), tile::isTile);
    for (Value result : next->getResults()) {
      bool hasNest =
          (stored.contains(result) && !writer.contains(result)) || inPlace.contains(result);
      bool isReadOut = readsTiles && !tile::isTile(result.getType());
      isNest |= hasNest || isReadOut;
    }
    if (isNest)
      return nullptr;
  }
  return nullptr;
}

} // namespace nereid::backend::cpu
