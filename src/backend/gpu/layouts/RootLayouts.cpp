// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/gpu/layouts/RootLayouts.h"

#include "analysis/Exchanges.h"
#include "analysis/Slice.h"
#include "dialect/nv/LaneSources.h"

#include "llvm/ADT/TypeSwitch.h"

#include <bit>

using namespace mlir;

namespace nereid::backend::gpu {

using layout::LinearLayout;

namespace {

/// A reshape that padding makes more than a new view of the same elements.
bool isReshapeInMemory(Operation *op) {
  return llvm::isa<tile::ReshapeOp>(op) && tile::isTile(op->getOperand(0).getType()) &&
         tile::isTile(op->getResult(0).getType()) && !nv::hasSourceElements(op);
}

/// The layout of the first of the tiles that lies somewhere already, or a fresh one if none does.
/// Nothing if one may turn out to lie somewhere.
std::optional<LinearLayout> whereTheyAre(ValueRange tiles, HomeLayouts &homes) {
  bool isComplete = true;
  for (Value tile : tiles) {
    if (std::optional<LinearLayout> natural = homes.naturalLayout(tile))
      return natural;
    isComplete &= homes.settlingOf(tile) == Settling::Free;
  }
  if (!isComplete)
    return std::nullopt;
  return homes.defaultLayout(tiles[0].getType());
}

/// Whether each bit of a place steps along one dimension by a power of two, or not at all.
bool isPlain(const LinearLayout &layout) {
  return llvm::all_of(layout.bases(), [](layout::Vector basis) {
    return basis == 0 || std::has_single_bit(basis);
  });
}

std::optional<LinearLayout> scanLayout(tile::ScanOp scan, HomeLayouts &homes) {
  std::optional<LinearLayout> layout = whereTheyAre(scan.getSources(), homes);
  if (layout && !isPlain(*layout))
    layout = homes.defaultLayout(scan.getSources()[0].getType());
  return layout;
}

std::optional<LinearLayout> splitLayout(tile::SplitOp split, HomeLayouts &homes) {
  std::optional<LinearLayout> source = whereTheyAre(split.getSource(), homes);
  if (!source)
    return std::nullopt;
  if (std::optional<layout::SplitLayout> halves = layout::split(*source))
    return halves->half;
  return homes.defaultLayout(split.getFirst().getType());
}

} // namespace

bool hasRootLayout(Operation *op) {
  return llvm::isa<tile::ScanOp, tile::GatherOp, tile::HistogramOp, tile::JoinOp, tile::SplitOp>(
             op) ||
         isReshapeInMemory(op);
}

std::optional<LinearLayout> rootLayout(Operation *op, HomeLayouts &homes) {
  return llvm::TypeSwitch<Operation *, std::optional<LinearLayout>>(op)
      .Case([&](tile::ScanOp scan) { return scanLayout(scan, homes); })
      .Case([&](tile::GatherOp gather) {
        const bool isAnywhere = homes.settlingOf(gather.getIndices()) == Settling::Free &&
                                tile::shapeOf(gather.getIndices().getType()) ==
                                    tile::shapeOf(gather.getSource().getType());
        const bool isAtSource = isAnywhere || analysis::constantExchangeMask(gather);
        return whereTheyAre(isAtSource ? gather.getSource() : gather.getIndices(), homes);
      })
      .Case([&](tile::JoinOp join) -> std::optional<LinearLayout> {
        nv::SharedType room = roomBehind(join.getFirst());
        bool isFree = llvm::all_of(join->getOperands(), [&](Value part) {
          return homes.settlingOf(part) == Settling::Free;
        });
        if (room && isFree)
          return layout::joined(homes.neighboursLayout(join.getFirst().getType(), room));
        std::optional<LinearLayout> part = whereTheyAre(join->getOperands(), homes);
        return part ? std::optional(layout::joined(*part)) : std::nullopt;
      })
      .Case([&](tile::SplitOp split) { return splitLayout(split, homes); })
      .Default(
          [&](Operation *other) { return homes.defaultLayout(other->getResult(0).getType()); });
}

nv::SharedType roomBehind(Value tile) {
  nv::SharedType room;
  auto hasShape = [&](Value other) {
    return tile::isTile(other.getType()) &&
           tile::shapeOf(other.getType()) == tile::shapeOf(tile.getType());
  };
  auto isLink = [&](Operation *op) {
    return tile::isLanewise(op) && !tile::movesLanes(op) && !tile::accessOf(op).touchesMemory() &&
           hasShape(op->getResult(0));
  };
  analysis::followSources(tile, isLink, [&](OpResult source) {
    auto read = llvm::dyn_cast<nv::ReadOp>(source.getOwner());
    if (!read || !hasShape(source))
      return WalkResult::advance();
    room = read.getSource().getType();
    return WalkResult::interrupt();
  });
  return room;
}

bool unpacksRoom(Operation *op, unsigned threads) {
  auto join = llvm::dyn_cast<tile::JoinOp>(op);
  return join && tile::elementCount(join.getFirst().getType()) >= threads &&
         roomBehind(join.getFirst());
}

bool repeats(Value moved, Value made) {
  const Type element = getElementTypeOrSelf(made.getType());
  if (!llvm::isa<FloatType>(element) && !element.isInteger(1))
    return false;
  while (Operation *op = moved.getDefiningOp()) {
    if (!tile::movesLanes(op) || !tile::isTile(op->getOperand(0).getType()))
      break;
    moved = op->getOperand(0);
  }
  return tile::elementCount(moved.getType()) < tile::elementCount(made.getType());
}

bool isTakenAnywhere(OpOperand &operand) {
  Operation *op = operand.getOwner();
  return isReshapeInMemory(op) ||
         (llvm::isa<tile::HistogramOp, tile::GatherOp>(op) && operand.getOperandNumber() == 0);
}

bool liesAsFirst(OpOperand &operand) {
  return llvm::isa<tile::HistogramOp>(operand.getOwner()) && operand.getOperandNumber() > 0;
}

} // namespace nereid::backend::gpu
