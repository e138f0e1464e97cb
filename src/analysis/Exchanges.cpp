// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Exchanges.h"

#include "analysis/KnownElements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace nereid::analysis {

/// Whether each lane of a tile is its own place along an axis.
static bool isPlaceAlong(Value tile, unsigned axis) {
  while (Operation *op = tile.getDefiningOp()) {
    if (auto range = llvm::dyn_cast<tile::RangeOp>(op))
      return axis == 0 && range.getStart() == 0;
    auto broadcast = llvm::dyn_cast<tile::BroadcastOp>(op);
    if (broadcast && tile::shapeOf(op->getOperand(0).getType())[axis] !=
                         tile::shapeOf(broadcast.getType())[axis])
      return false; // one place for all
    if (auto expand = llvm::dyn_cast<tile::ExpandDimsOp>(op)) {
      if (expand.getAxis() == axis)
        return false;
      axis -= expand.getAxis() < axis ? 1 : 0;
    } else if (!broadcast && !llvm::isa<arith::ExtSIOp, arith::ExtUIOp>(op)) {
      return false;
    }
    tile = op->getOperand(0);
  }
  return false;
}

/// What all lanes of a tile are, before and after it was made one.
static Value uniform(Value tile) {
  if (auto splat = tile.getDefiningOp<tile::SplatOp>())
    return splat.getOperand();
  DenseIntElementsAttr elements;
  return matchPattern(tile, m_Constant(&elements)) && elements.isSplat() ? tile : Value();
}

Value exchangeMask(tile::GatherOp gather) {
  auto partner = gather.getIndices().getDefiningOp<arith::XOrIOp>();
  if (!partner || tile::shapeOf(gather.getSource().getType()) != tile::shapeOf(gather.getType()))
    return {};
  for (auto [place, mask] : {std::pair(partner.getLhs(), partner.getRhs()),
                             std::pair(partner.getRhs(), partner.getLhs())})
    if (Value bits = uniform(mask); bits && isPlaceAlong(place, gather.getAxis()))
      return bits;
  return {};
}

/// By which bits every place differs from the index that stands there, if all indices are known.
static std::optional<int64_t> knownExchangeMask(tile::GatherOp gather) {
  if (tile::shapeOf(gather.getSource().getType()) != tile::shapeOf(gather.getType()))
    return std::nullopt;
  auto indices = knownElements(gather.getIndices(), gather.getAxis());
  if (!indices || indices->front().getSignificantBits() > 64)
    return std::nullopt;
  const int64_t mask = indices->front().getSExtValue();
  for (auto [place, index] : llvm::enumerate(*indices))
    if (index.getSExtValue() != (int64_t(place) ^ mask))
      return std::nullopt;
  return mask;
}

std::optional<int64_t> constantExchangeMask(tile::GatherOp gather) {
  std::optional<int64_t> known;
  APInt bits;
  if (Value mask = exchangeMask(gather)) {
    if (matchPattern(mask, m_ConstantInt(&bits)))
      known = bits.getSExtValue();
  } else {
    known = knownExchangeMask(gather);
  }
  const int64_t size = tile::shapeOf(gather.getType())[gather.getAxis()];
  const bool staysInside = known && llvm::isPowerOf2_64(size) && *known >= 0 && *known < size;
  return staysInside ? known : std::nullopt;
}

} // namespace nereid::analysis
