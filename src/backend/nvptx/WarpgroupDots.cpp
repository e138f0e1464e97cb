// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/WarpgroupDots.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace nereid::backend::nvptx {

static constexpr unsigned mostColumns = 256, leastColumns = 8;
static constexpr unsigned stepBytes = 32; // of an instruction, along k

bool areTensorCoreFloat8(tile::DotOp dot) {
  auto isKnown = [](Value factor) {
    return llvm::isa<Float8E4M3FNType, Float8E5M2Type>(tile::elementOf(factor.getType()));
  };
  return isKnown(dot.getLhs()) && isKnown(dot.getRhs()) && tile::elementOf(dot.getType()).isF32() &&
         dot.getPrecision() != tile::DotPrecision::Ieee;
}

bool hasWarpgroupInstruction(tile::DotOp dot) {
  Type factor = tile::elementOf(dot.getLhs().getType()), sum = tile::elementOf(dot.getType());
  if (areTensorCoreFloat8(dot))
    return true;
  if (factor != tile::elementOf(dot.getRhs().getType()))
    return false;
  if (factor.isF16() || factor.isBF16())
    return sum.isF32();
  if (factor.isF32())
    return sum.isF32() && dot.getPrecision() == tile::DotPrecision::Tf32;
  return factor.isInteger(8) && sum.isInteger(32);
}

std::optional<WarpgroupShape> warpgroupShape(tile::DotOp dot, const target::NvidiaTarget &target,
                                             unsigned warps) {
  if (!target.hasWarpgroupProducts || warps % warpsPerGroup != 0 || !hasWarpgroupInstruction(dot))
    return std::nullopt;
  for (Value tile : dot->getOperands())
    if (tile::shapeOf(tile.getType()).size() != 2 || nv::hasGhosts(tile.getType()))
      return std::nullopt;
  auto shape = tile::shapeOf(dot.getType());
  unsigned rows = shape[0], columns = shape[1], groups = warps / warpsPerGroup;
  unsigned depthBytes = tile::shapeOf(dot.getLhs().getType())[1] *
                        tile::byteSizeOf(tile::elementOf(dot.getLhs().getType()));
  if (rows < rowsPerGroup || depthBytes < stepBytes)
    return std::nullopt;
  // One below the other: they share the right factor, and rows stay whole.
  WarpgroupShape result;
  result.grid.m = std::min(groups, rows / rowsPerGroup);
  result.grid.n = groups / result.grid.m;
  if (columns / result.grid.n < leastColumns)
    return std::nullopt;
  result.columns = std::min(mostColumns, columns / result.grid.n);
  return result;
}

static bool feedsProduct(Operation *op, llvm::DenseSet<Operation *> &seen) {
  for (Operation *user : op->getUsers()) {
    if (llvm::isa<tile::DotOp>(user))
      return true;
    if (user->getBlock() == op->getBlock() && tile::isLanewise(user) && seen.insert(user).second &&
        feedsProduct(user, seen))
      return true;
  }
  return false;
}

static bool comesFromProduct(Value factor, llvm::function_ref<bool(tile::DotOp)> counts,
                             llvm::DenseSet<Operation *> &seen) {
  Operation *op = factor.getDefiningOp();
  if (!op || !seen.insert(op).second)
    return false;
  if (auto dot = llvm::dyn_cast<tile::DotOp>(op))
    return counts(dot);
  return tile::isLanewise(op) && llvm::any_of(op->getOperands(), [&](Value operand) {
           return comesFromProduct(operand, counts, seen);
         });
}

bool hasLeftOfRound(tile::DotOp dot, const target::NvidiaTarget &target, unsigned warps) {
  llvm::DenseSet<Operation *> seen;
  auto counts = [&](tile::DotOp other) {
    return other->getBlock() == dot->getBlock() && warpgroupShape(other, target, warps);
  };
  return dot.getLhs().getParentBlock() == dot->getBlock() &&
         comesFromProduct(dot.getLhs(), counts, seen);
}

bool isChained(tile::DotOp dot) {
  llvm::DenseSet<Operation *> after, before;
  return feedsProduct(dot, after) ||
         comesFromProduct(dot.getLhs(), [](tile::DotOp) { return true; }, before);
}

// Overlap

/// What the loop carries from the product to the next round, if it does nothing else with it.
static BlockArgument findCarriedSums(tile::DotOp dot) {
  auto loop = llvm::dyn_cast<scf::ForOp>(dot->getParentOp());
  if (!loop || !dot.getResult().hasOneUse())
    return {};
  OpOperand &use = *dot.getResult().use_begin();
  if (use.getOwner() != loop.getBody()->getTerminator())
    return {};
  return loop.getRegionIterArg(use.getOperandNumber());
}

/// Whether one operation on lanes makes `value` of `source` and other values, and nothing else uses
/// either.
static bool isScaled(Value value, BlockArgument source) {
  Operation *op = value.getDefiningOp();
  return source.hasOneUse() && op && op == *source.user_begin() && tile::isLanewise(op) &&
         value.hasOneUse();
}

/// Whether the round computes its left factor into registers.
static bool computesLeft(tile::DotOp dot) {
  Operation *op = dot.getLhs().getDefiningOp();
  return op && op->getBlock() == dot->getBlock() && tile::isLanewise(op) &&
         !tile::accessOf(op).touchesMemory();
}

Overlap possibleOverlap(tile::DotOp dot, const target::NvidiaTarget &target, unsigned warps) {
  BlockArgument sums = findCarriedSums(dot);
  if (!sums)
    return Overlap::None;
  bool isLate = hasLeftOfRound(dot, target, warps);
  if (dot.getAccumulator() == sums && sums.hasOneUse()) {
    if (isLate || !computesLeft(dot))
      return Overlap::InFlight;
    // Several products go on beside one another (OverlapProducts).
    return llvm::hasSingleElement(dot->getBlock()->getOps<tile::DotOp>()) ? Overlap::Delayed
                                                                          : Overlap::None;
  }
  return isLate && isScaled(dot.getAccumulator(), sums) ? Overlap::Delayed : Overlap::None;
}

static constexpr llvm::StringLiteral overlapAttr = "nv.overlap";

Overlap overlapOf(tile::DotOp dot) {
  auto mark = dot->getAttrOfType<IntegerAttr>(overlapAttr);
  return mark ? static_cast<Overlap>(mark.getInt()) : Overlap::None;
}

void setOverlap(tile::DotOp dot, Overlap overlap) {
  mlir::Builder builder(dot.getContext());
  if (overlap == Overlap::None)
    dot->removeAttr(overlapAttr);
  else
    dot->setAttr(overlapAttr, builder.getI32IntegerAttr(static_cast<int>(overlap)));
}

} // namespace nereid::backend::nvptx
