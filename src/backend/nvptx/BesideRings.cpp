// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/BesideRings.h"

#include "backend/nvptx/ProductLoads.h"

using namespace mlir;

namespace nereid::backend::nvptx {
namespace {

bool isTileOfTwo(Type type) { return tile::isTile(type) && tile::shapeOf(type).size() == 2; }

uint64_t bytesOf(Type tile) {
  return tile::elementCount(tile) * tile::byteSizeOf(tile::elementOf(tile));
}

/// Whether the tile, after arithmetic of its lanes, is nothing but a factor of products.
bool isFactor(Value tile) {
  return llvm::all_of(tile.getUses(), [](OpOperand &use) {
    Operation *user = use.getOwner();
    if (auto dot = llvm::dyn_cast<tile::DotOp>(user))
      return use.get() != dot.getAccumulator();
    return user->getNumResults() == 1 && tile::isLanewise(user) && isFactor(user->getResult(0));
  });
}

/// What threads exchange of it where it meets a tile that lies otherwise: itself, or what
/// arithmetic of its lanes has made of it until then, which may have wider elements.
uint64_t widestBytes(Value tile) {
  uint64_t most = bytesOf(tile.getType());
  for (Operation *user : tile.getUsers())
    if (user->getNumResults() == 1 && tile::isLanewise(user) && !tile::movesLanes(user) &&
        isTileOfTwo(user->getResult(0).getType()))
      most = std::max(most, widestBytes(user->getResult(0)));
  return most;
}

/// Whether threads may have to exchange lanes for it. Addresses and masks are computed again
/// instead.
bool mayExchange(Operation *op, llvm::function_ref<bool(Operation *)> isMoved) {
  if (llvm::none_of(op->getOperandTypes(), tile::isTile) || llvm::isa<tile::DotOp>(op) ||
      (op->getNumRegions() > 0 && !llvm::isa<tile::ReduceOp, tile::ScanOp>(op)) ||
      op->hasTrait<OpTrait::IsTerminator>())
    return false;
  if (!tile::isLanewise(op))
    return !llvm::isa<tile::LoadOp, tile::StoreOp>(op);
  Operation *source = op->getOperand(0).getDefiningOp();
  return tile::movesLanes(op) &&
         llvm::isa<FloatType>(tile::elementOf(op->getResult(0).getType())) &&
         !(source && isMoved(source));
}

} // namespace

uint64_t bytesBesideRings(func::FuncOp kernel, llvm::function_ref<bool(Operation *)> isMoved) {
  uint64_t exchanged = 0, factors = 0;
  kernel.walk([&](Operation *op) {
    if (isMoved(op))
      return;
    if (mayExchange(op, isMoved))
      exchanged = std::max(exchanged, exchangeBytes);
    if (auto store = llvm::dyn_cast<tile::StoreOp>(op);
        store && isTileOfTwo(store.getValue().getType()))
      exchanged = std::max(exchanged, bytesOf(store.getValue().getType()));
    auto load = llvm::dyn_cast<tile::LoadOp>(op);
    if (!load || !isTileOfTwo(load.getType()))
      return;
    uint64_t bytes = bytesOf(load.getType());
    if (isFactor(load.getResult()))
      factors += llvm::alignTo(bytes, nv::roomAlignment);
    else
      exchanged = std::max(exchanged, widestBytes(load.getResult()));
  });
  return exchanged + factors;
}

} // namespace nereid::backend::nvptx
