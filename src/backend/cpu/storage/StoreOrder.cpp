// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In which order the nest of a store goes through its lanes, so that it may read in passing what it
// overwrites a fixed distance away: x[i] += x[i - d] from the end, x[i] += x[i + d] from the start.
#include "backend/cpu/storage/StoragePlan.h"

#include "analysis/Strides.h"
#include "dialect/tile/Tile.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace nereid::backend::cpu {

/// The number of which a tile holds nothing else; null if that cannot be seen.
static Value sameNumberOf(Value tile) {
  auto splat = tile.getDefiningOp<tile::SplatOp>();
  return splat ? splat->getOperand(0) : Value();
}

/// Whether `index` is `other` plus or minus a number that is the same for all lanes, which is that.
static Value distanceBetween(Value index, Value other, bool isBehind) {
  Operation *op = index.getDefiningOp();
  if (!op || !(isBehind ? llvm::isa<arith::SubIOp>(op) : llvm::isa<arith::AddIOp>(op)))
    return {};
  if (op->getOperand(0) == other)
    return sameNumberOf(op->getOperand(1));
  return !isBehind && op->getOperand(1) == other ? sameNumberOf(op->getOperand(0)) : Value();
}

bool StoragePlan::orderAllows(Operation *writer, Value read, Value written) {
  auto from = read.getDefiningOp<tile::OffsetOp>(), into = written.getDefiningOp<tile::OffsetOp>();
  llvm::ArrayRef<int64_t> shape = tile::shapeOf(read.getType());
  if (!llvm::isa<tile::StoreOp>(writer) || !from || !into || shape.size() != 1 ||
      from.getType() != into.getType())
    return false;
  Value memory = sameNumberOf(from.getPointer()), other = sameNumberOf(into.getPointer());
  bool isLaneAfterLane = analysis::strideAlong(written, 0).value_or(0) > 0;
  if (!memory || memory != other || !isLaneAfterLane)
    return false;
  for (bool isBehind : {true, false}) {
    // From the end, single lanes that whole vectors leave over would come last.
    if (isBehind && !llvm::isPowerOf2_64(static_cast<uint64_t>(shape[0])))
      continue;
    Value distance = distanceBetween(from.getOffset(), into.getOffset(), isBehind);
    if (!distance)
      continue;
    if (!ranges)
      ranges.emplace(kernel);
    auto [order, isNew] = backwards.try_emplace(writer, isBehind);
    bool isKnown = ranges->rangeOf(distance, writer).getSignedMin().isNonNegative();
    if (isKnown && order->second == isBehind)
      return true;
    if (isNew)
      backwards.erase(order);
  }
  return false;
}

} // namespace nereid::backend::cpu
