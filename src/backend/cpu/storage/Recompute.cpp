// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/cpu/storage/Recompute.h"

#include "dialect/tile/Access.h"
#include "dialect/tile/Tile.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace nereid::backend::cpu {

/// From here on, reading a tile back is no dearer than computing it again: a core does some three
/// integer operations a cycle, and a load from the second-level cache, where tiles of some size lie
/// between their nests, takes some 14 cycles. Reckoned, not measured.
static constexpr size_t mostCheapOperations = 32;

bool isCheapToRecompute(Value tile) {
  llvm::SmallSetVector<Value, 8> work;
  work.insert(tile);
  for (size_t i = 0; i < work.size(); ++i) {
    Operation *op = work[i].getDefiningOp();
    if (!op || !tile::isCheap(op) || work.size() > mostCheapOperations)
      return false;
    for (Value operand : op->getOperands())
      if (tile::isTile(operand.getType()))
        work.insert(operand);
  }
  return true;
}

bool isComputedAnew(Value tile, llvm::function_ref<bool(Value)> isLeftOut) {
  llvm::SmallSetVector<Value, 8> work;
  work.insert(tile);
  for (size_t i = 0; i < work.size(); ++i) {
    Operation *op = work[i].getDefiningOp();
    if (!op || isLeftOut(work[i]) || !tile::isLanewise(op) || tile::accessOf(op).touchesMemory())
      return false;
    for (Value operand : op->getOperands())
      if (tile::isTile(operand.getType()))
        work.insert(operand);
  }
  return true;
}

} // namespace nereid::backend::cpu
