// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/gpu/layouts/ColumnsOfProducts.h"

#include "dialect/nv/LaneSources.h"
#include "dialect/nv/Nv.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace nereid::backend::gpu {

/// Whether a tile is a product, or made of one element by element.
static bool isOfProducts(Value tile) {
  constexpr size_t longest = 64; // list of tiles that is looked through
  llvm::SetVector<Value> sources;
  sources.insert(tile);
  for (size_t i = 0; i < sources.size() && i < longest; ++i) {
    Operation *op = sources[i].getDefiningOp();
    if (llvm::isa_and_present<tile::DotOp, nv::MultiplyOp, nv::MultiplyAddOp, nv::FinishOp>(op))
      return true;
    if (op && nv::hasSourceElements(op) && !tile::movesLanes(op))
      sources.insert(op->operand_begin(), op->operand_end());
  }
  return false;
}

bool meetsColumnsOfProducts(tile::LoadOp row) {
  llvm::ArrayRef<int64_t> shape = tile::shapeOf(row.getType());
  llvm::SetVector<std::pair<Value, unsigned>> places; // and along which dimension it lies there
  places.insert({row.getResult(), unsigned(llvm::max_element(shape) - shape.begin())});
  for (size_t i = 0; i < places.size(); ++i) {
    auto [tile, dimension] = places[i];
    const bool areColumns = dimension > 0 && dimension + 1 == tile::shapeOf(tile.getType()).size();
    for (OpOperand &use : tile.getUses()) {
      Operation *user = use.getOwner();
      if (areColumns && llvm::any_of(user->getOperands(), isOfProducts))
        return true;
      if (!nv::hasSourceElements(user) || user->getNumResults() != 1 || user->getNumRegions() > 0 ||
          tile::accessOf(user).touchesMemory())
        continue;
      for (auto [at, to] : llvm::enumerate(tile::laneMapOf(use)))
        if (at == dimension && to >= 0)
          places.insert({user->getResult(0), unsigned(to)});
    }
  }
  return false;
}

} // namespace nereid::backend::gpu
