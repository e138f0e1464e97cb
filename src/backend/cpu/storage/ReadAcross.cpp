// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A load that memory is read by along one dimension, for a store that writes along another: in the
// store's nest each of its lanes would be a load of its own. Stored by rows first, it is turned in
// registers (nests/TurnStored.cpp).
#include "analysis/Strides.h"
#include "backend/cpu/lanes/TransposeLanes.h"
#include "backend/cpu/storage/StoragePlan.h"
#include "dialect/tile/Lanes.h"
#include "dialect/tile/Tile.h"

using namespace mlir;

namespace nereid::backend::cpu {

/// As many neighbours fill a register of 4-byte lanes.
static constexpr int64_t leastRun = 16;

/// The only dimension of a tile of two along which neighbours lie side by side in memory; -1 if
/// that is none, or both.
int StoragePlan::dimensionInOrder(Value pointer) {
  int found = -1;
  llvm::ArrayRef<int64_t> dims = tile::shapeOf(pointer.getType());
  auto isRun = [&](unsigned dim) {
    if (analysis::strideAlong(pointer, dim) == 1)
      return true;
    if (!axes)
      axes.emplace(kernel);
    return axes->of(pointer).axes[dim].contiguity % leastRun == 0;
  };
  for (unsigned dim = 0; dim < dims.size(); ++dim) {
    if (dims[dim] < leastTurnedSide || !isRun(dim))
      continue;
    if (found >= 0)
      return -1;
    found = static_cast<int>(dim);
  }
  return found;
}

/// At which of the nest's dimensions those of `load` are, where `value`, a tile of the nest's
/// shape, is computed from it; nothing if it is not, lane for lane in some order.
static std::optional<tile::LaneMap> placeOf(Operation *load, Value value, tile::LaneMap at,
                                            const StoragePlan &plan, llvm::DenseSet<Value> &seen) {
  Operation *op = value.getDefiningOp();
  if (op == load)
    return at;
  if (!op || plan.isStored(value) || !tile::isLanewise(op) || !seen.insert(value).second)
    return std::nullopt;
  for (OpOperand &operand : op->getOpOperands())
    if (tile::isTile(operand.get().getType()))
      if (auto found = placeOf(load, operand.get(), tile::mapThrough(tile::laneMapOf(operand), at),
                               plan, seen))
        return found;
  return std::nullopt;
}

bool StoragePlan::isReadAcross(Operation *op, Operation *root) {
  auto load = llvm::dyn_cast<tile::LoadOp>(op);
  auto store = llvm::dyn_cast<tile::StoreOp>(root);
  if (!load || !store || !tile::isTile(store.getPointer().getType()) ||
      !tile::isTile(load.getType()))
    return false;
  llvm::ArrayRef<int64_t> dims = tile::shapeOf(store.getPointer().getType());
  if (dims.size() != 2 || tile::shapeOf(load.getType()).size() != 2 ||
      tile::elementCount(load.getType()) != dims[0] * dims[1])
    return false;
  llvm::DenseSet<Value> seen;
  auto place = placeOf(load, store.getValue(), {0, 1}, *this, seen);
  if (!place)
    return false;
  int written = dimensionInOrder(store.getPointer()), read = dimensionInOrder(load.getPointer());
  return written >= 0 && read >= 0 && (*place)[read] == 1 - written &&
         dims[1 - written] >= leastTurnedSide;
}

} // namespace nereid::backend::cpu
