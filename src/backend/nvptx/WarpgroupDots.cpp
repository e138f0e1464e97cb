// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/WarpgroupDots.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace nereid::backend::nvptx {

static constexpr unsigned warpsPerGroup = 4, rowsPerGroup = 64, mostColumns = 256, leastColumns = 8;
static constexpr unsigned stepBytes = 32; // of an instruction, along k

/// Factors that wgmma multiplies exactly and adds up in the result's type. (Factors of 8-bit floats
/// are added up in fewer bits.)
static bool hasInstruction(tile::DotOp dot) {
  Type factor = tile::elementOf(dot.getLhs().getType()), sum = tile::elementOf(dot.getType());
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
  if (!target.hasWarpgroupProducts || warps % warpsPerGroup != 0 || !hasInstruction(dot))
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

bool staysInFlight(tile::DotOp dot) {
  auto loop = llvm::dyn_cast<scf::ForOp>(dot->getParentOp());
  auto sums = llvm::dyn_cast<BlockArgument>(dot.getAccumulator());
  if (!loop || !sums || sums.getOwner() != loop.getBody() || !sums.hasOneUse() ||
      !dot.getResult().hasOneUse())
    return false;
  OpOperand &use = *dot.getResult().use_begin();
  return use.getOwner() == loop.getBody()->getTerminator() &&
         loop.getRegionIterArg(use.getOperandNumber()) == sums;
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

static bool comesFromProduct(Value factor, llvm::DenseSet<Operation *> &seen) {
  Operation *op = factor.getDefiningOp();
  if (!op || !seen.insert(op).second)
    return false;
  return llvm::isa<tile::DotOp>(op) ||
         (tile::isLanewise(op) && llvm::any_of(op->getOperands(), [&](Value operand) {
            return comesFromProduct(operand, seen);
          }));
}

bool isChained(tile::DotOp dot) {
  llvm::DenseSet<Operation *> after, before;
  return feedsProduct(dot, after) || comesFromProduct(dot.getLhs(), before);
}

} // namespace nereid::backend::nvptx
