// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/rings/BoxEnds.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace nereid::backend::nvptx {
namespace {

using analysis::AffineTile;
using analysis::AffineTiles;
using analysis::Polynomial;

/// Where elements of a tile go that lie behind the last along one of its dimensions.
class ElementsBehind {
public:
  /// The last is known before the kernel's loops.
  ElementsBehind(AffineTiles &tiles, Polynomial last) : tiles(tiles), last(std::move(last)) {}

  /// Whether only such elements of other tiles are computed from those of this tile, and none of
  /// them is stored.
  bool areNeverStored(Value tile, unsigned dimension) {
    reach(tile, dimension);
    for (size_t i = 0; i < reached.size(); ++i)
      for (OpOperand &use : reached[i].first.getUses())
        if (!follow(use, reached[i].second))
          return false;
    return true;
  }

private:
  bool reach(Value tile, unsigned dimension) {
    reached.insert({tile, dimension});
    return true;
  }

  bool follow(OpOperand &use, unsigned dimension) {
    Operation *op = use.getOwner();
    if (auto dot = llvm::dyn_cast<tile::DotOp>(op)) {
      const bool isSummedUp = (use.get() == dot.getLhs() && dimension != 0) ||
                              (use.get() == dot.getRhs() && dimension != 1);
      return !isSummedUp && tile::shapeOf(dot.getType()).size() == 2 &&
             reach(dot.getResult(), dimension);
    }
    if (auto store = llvm::dyn_cast<tile::StoreOp>(op))
      return use.get() == store.getValue() && store.getMask() &&
             endsAtLast(store.getMask(), allOf(store.getMask()), dimension);
    if (llvm::isa<scf::YieldOp>(op)) {
      auto loop = llvm::dyn_cast<scf::ForOp>(op->getParentOp());
      return loop && reach(loop.getResult(use.getOperandNumber()), dimension) &&
             reach(loop.getRegionIterArg(use.getOperandNumber()), dimension);
    }
    if (!tile::isLanewise(op) || !isMemoryEffectFree(op) || op->getNumRegions() > 0)
      return false;
    if (tile::movesLanes(op)) {
      const int to = tile::laneMapOf(use)[dimension];
      return to >= 0 && reach(op->getResult(0), to);
    }
    return llvm::all_of(op->getResults(), [&](Value result) {
      return tile::shapeOf(result.getType()) == tile::shapeOf(use.get().getType()) &&
             reach(result, dimension);
    });
  }

  static llvm::SmallVector<int, 2> allOf(Value tile) {
    return llvm::to_vector<2>(llvm::seq<int>(0, tile::shapeOf(tile.getType()).size()));
  }

  /// Whether the mask is false behind the last. `dimensions` says which of the stored tile's each
  /// dimension of the mask is.
  bool endsAtLast(Value mask, llvm::SmallVector<int, 2> dimensions, unsigned wanted) {
    Operation *op = mask.getDefiningOp();
    if (!op)
      return false;
    if (auto both = llvm::dyn_cast<arith::AndIOp>(op))
      return endsAtLast(both.getLhs(), dimensions, wanted) ||
             endsAtLast(both.getRhs(), dimensions, wanted);
    if (auto compare = llvm::dyn_cast<arith::CmpIOp>(op))
      return isBound(compare, dimensions, wanted);
    if (!tile::movesLanes(op) || !tile::isLanewise(op))
      return false;
    llvm::SmallVector<int, 2> ofSource;
    for (int to : tile::laneMapOf(op->getOpOperand(0)))
      ofSource.push_back(to < 0 ? to : dimensions[to]);
    return endsAtLast(op->getOperand(0), ofSource, wanted);
  }

  /// last - i >= 0 along the dimension, whatever the place along others.
  bool isBound(arith::CmpIOp compare, llvm::ArrayRef<int> dimensions, unsigned wanted) {
    std::optional<AffineTile> room = roomOf(compare, tiles);
    if (!room || room->start != last)
      return false;
    bool isAlong = false;
    for (auto [slope, dimension] : llvm::zip_equal(room->strides, dimensions)) {
      if (dimension != static_cast<int>(wanted) && !slope.isZero())
        return false;
      isAlong |= dimension == static_cast<int>(wanted) && slope == Polynomial(-1);
    }
    return isAlong;
  }

  AffineTiles &tiles;
  Polynomial last;
  llvm::SetVector<std::pair<Value, unsigned>> reached;
};

/// The remainder that the polynomial is; null if it is none.
const AffineTiles::Unknown *remainderOf(const Polynomial &polynomial, const AffineTiles &tiles) {
  if (polynomial.terms().size() != 1)
    return nullptr;
  const auto &[symbols, coefficient] = *polynomial.terms().begin();
  if (coefficient != 1 || symbols.size() != 1 || tiles[symbols[0]].value)
    return nullptr;
  return &tiles[symbols[0]];
}

} // namespace

void endAtModuli(Box &box, tile::LoadOp load, AffineTiles &tiles) {
  for (unsigned i : {0, 1}) {
    Box::Dimension &dimension = box.dimensions[i];
    const AffineTiles::Unknown *found = remainderOf(dimension.start, tiles);
    if (!found)
      continue;
    const AffineTiles::Unknown remainder = *found; // symbols that are new move it
    const Polynomial modulus = Polynomial::of(tiles.symbolOf(remainder.modulus));
    std::optional<Polynomial> room = Polynomial::difference(modulus, remainder.dividend);
    std::optional<Polynomial> last = room ? Polynomial::sum(*room, -1) : std::nullopt;
    const unsigned ofTile = i == 0 ? box.contiguous : 1 - box.contiguous;
    if (!last || (dimension.extent && *dimension.extent != modulus) ||
        !ElementsBehind(tiles, *last).areNeverStored(load.getResult(), ofTile))
      continue;
    dimension.start = remainder.dividend;
    dimension.extent = modulus;
  }
}

} // namespace nereid::backend::nvptx
