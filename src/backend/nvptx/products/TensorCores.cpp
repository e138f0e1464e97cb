// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/products/TensorCores.h"

#include "dialect/nv/Nv.h"

using namespace mlir;

namespace nereid::backend::nvptx {

static constexpr unsigned stepBytes = 32; // of an instruction, along k

static bool hasFloat8Factors(tile::DotOp dot) {
  Type element =
      tile::elementOf(dot.getLhs().getType()); // the verifier allows no mixture of widths
  return llvm::isa<FloatType>(element) && element.getIntOrFloatBitWidth() == 8;
}

/// Whether tensor cores that know floats of 8 bits may multiply these. They keep some 14 digits of
/// a sum: products that ask for all of them (precision ieee) are none.
static bool areTensorCoreFloat8(tile::DotOp dot) {
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

/// As if there were an instruction for its types.
static std::optional<WarpgroupShape>
shapeForWarpgroups(tile::DotOp dot, const target::NvidiaTarget &target, unsigned warps) {
  if (!target.hasWarpgroupProducts || warps % warpsPerGroup != 0)
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

std::optional<WarpgroupShape> warpgroupShape(tile::DotOp dot, const target::NvidiaTarget &target,
                                             unsigned warps) {
  return hasWarpgroupInstruction(dot) ? shapeForWarpgroups(dot, target, warps) : std::nullopt;
}

bool hasWarpInstruction(tile::DotOp dot, const target::NvidiaTarget &target) {
  return !hasFloat8Factors(dot) || (target.hasFp8Products && areTensorCoreFloat8(dot));
}

bool wantsHalves(tile::DotOp dot, const target::NvidiaTarget &target, unsigned warps) {
  if (!hasFloat8Factors(dot) || warpgroupShape(dot, target, warps))
    return false;
  return shapeForWarpgroups(dot, target, warps) || !mmaDepth(dot);
}

unsigned widestDepth(tile::DotOp dot) {
  Type element = tile::elementOf(dot.getLhs().getType());
  Type sum = tile::elementOf(dot.getType());
  if ((element.isF16() || element.isBF16()) && sum.isF32())
    return 16;
  if (element.isF32() && dot.getPrecision() == tile::DotPrecision::Tf32)
    return 8;
  if ((element.isInteger(8) && sum.isInteger(32)) || (hasFloat8Factors(dot) && sum.isF32()))
    return 32;
  if (element.isF64() && sum.isF64())
    return 8;
  return 0;
}

unsigned mmaDepth(tile::DotOp dot) {
  layout::Shape lhs = nv::paddedShape(dot.getLhs().getType()),
                result = nv::paddedShape(dot.getType());
  unsigned rank = result.size(), depth = widestDepth(dot);
  // The instruction takes whole steps along k, and what ghosts hold is no zero.
  bool hasGhosts = lhs[rank - 1] != uint64_t(tile::shapeOf(dot.getLhs().getType())[rank - 1]);
  bool fits = depth && !hasGhosts && lhs[rank - 1] >= depth;
  return fits ? depth : 0;
}

} // namespace nereid::backend::nvptx
