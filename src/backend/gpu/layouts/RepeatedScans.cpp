// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans of what repeats smaller tiles: states of several numbers for each channel, outer products.
#include "backend/gpu/layouts/HomeLayouts.h"
#include "dialect/nv/LaneSources.h"
#include "layout/Blocked.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace nereid::backend::gpu {

bool HomeLayouts::repeatsSmaller(Value tile, llvm::SetVector<Value> &made) {
  const Settling settling = settlingOf(tile);
  if (settling == Settling::Free || made.contains(tile))
    return true;
  Operation *op = tile.getDefiningOp();
  if (!op || homes.contains(tile))
    return false;
  if (settling == Settling::Moved) {
    Type source = op->getOperand(0).getType();
    return tile::isTile(source) && tile::elementCount(source) < tile::elementCount(tile.getType());
  }
  if (!nv::hasSourceElements(op) || op->getNumRegions() > 0 || tile::accessOf(op).touchesMemory())
    return false;
  made.insert(tile);
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    return !tile::isTile(operand.getType()) || repeatsSmaller(operand, made);
  });
}

/// A step along the axis that is a lane's takes a shuffle of each register, and one that is a
/// warp's shared memory; one that is a register's takes neither. Where the smaller tiles lie does
/// not matter: they are sent, which takes less than a step.
void HomeLayouts::settleRepeatedScans(func::FuncOp kernel) {
  kernel.walk([&](tile::ScanOp scan) {
    Type type = scan.getSources()[0].getType();
    const layout::Shape shape = nv::paddedShape(type);
    uint64_t others = 1;
    layout::Order order;
    for (unsigned axis : layout::rowMajor(shape.size()))
      if (axis != scan.getAxis()) {
        others *= shape[axis];
        order.push_back(axis);
      }
    llvm::SetVector<Value> made;
    if (others < (uint64_t(1) << laneBits) ||
        !llvm::all_of(
            scan.getSources(), [&](Value source) { return repeatsSmaller(source, made); }))
      return;
    order.push_back(scan.getAxis());
    made.insert(scan.result_begin(), scan.result_end());
    for (Value tile : made)
      set(tile, layout::blockedLayout({shape, 1, warps, order, {}, laneBits}));
  });
}

} // namespace nereid::backend::gpu
