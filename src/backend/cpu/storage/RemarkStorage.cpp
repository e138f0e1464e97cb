// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Why loop nests that hand a tile to one another were not merged into one.
#include "backend/cpu/emit/KernelEmitter.h"
#include "backend/cpu/storage/StoragePlan.h"
#include "dialect/tile/Remark.h"
#include "dialect/tile/SourcePlace.h"

using namespace mlir;

namespace nereid::backend::cpu {

/// Half of the nearest cache of most CPUs: what is written and read there costs little.
static constexpr uint64_t bytesWorthARemark = 16 << 10;

/// Whether the tile could have been computed where it is read, were it not for other readers or for
/// memory.
bool StoragePlan::isStoredByChoice(Value tile) const {
  Operation *op = tile.getDefiningOp();
  auto isWhole = [](OpOperand &use) {
    return tile::needOf(use) == tile::Need::Whole ||
           use.getOwner()->hasTrait<OpTrait::IsTerminator>();
  };
  return tile::isTile(tile.getType()) && isStored(tile) && !isWrittenByReduction(tile) &&
         !KernelEmitter::isRoot(op) && !tile::accessOf(op).isOrdered() && tile::isLanewise(op) &&
         storedBytes(tile.getType()) > bytesWorthARemark &&
         llvm::none_of(tile.getUses(), isWhole) &&
         llvm::all_of(tile.getUsers(),
                      [&](Operation *user) { return user->getBlock() == op->getBlock(); });
}

void StoragePlan::remarkStored(func::FuncOp kernel) {
  kernel.walk([&](Operation *op) {
    for (Value tile : op->getResults()) {
      if (!isStoredByChoice(tile))
        continue;
      uint64_t bytes = storedBytes(tile.getType());
      auto reached = rootsOf(tile);
      Operation *fence = nullptr;
      if (tile::accessOf(op).reads && reached.size() == 1)
        fence = fenceBefore(op, reached.front());
      if (fence)
        tile::remark(op, RemarkId::load_copied, bytes, tile::placeText(fence->getLoc()));
      else if (reached.size() > 1)
        tile::remark(op, RemarkId::tile_kept, bytes, reached.size());
    }
  });
}

} // namespace nereid::backend::cpu
