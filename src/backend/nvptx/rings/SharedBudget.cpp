// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/rings/SharedBudget.h"

#include "analysis/Slice.h"
#include "backend/gpu/products/Products.h"
#include "backend/nvptx/products/FactorPlaces.h"

using namespace mlir;

namespace nereid::backend::nvptx {

using namespace gpu;
namespace {

bool isTileOfTwo(Type type) { return tile::isTile(type) && tile::shapeOf(type).size() == 2; }

/// Whether the tile, after arithmetic of its lanes, is nothing but a factor of products.
bool isFactor(Value tile) {
  auto isArithmetic = [](Operation *op) {
    return op->getNumResults() == 1 && tile::isLanewise(op);
  };
  return analysis::followUses(tile, isArithmetic, [](OpOperand &use) {
    return analysis::productOfFactor(use) ? WalkResult::advance() : WalkResult::interrupt();
  });
}

/// What threads exchange of it where it meets a tile that lies otherwise: itself, or what
/// arithmetic of its lanes has made of it until then, which may have wider elements.
uint64_t widestBytes(Value tile) {
  uint64_t most = tileBytes(tile.getType());
  auto isArithmetic = [&](Operation *op) {
    bool isOne = op->getNumResults() == 1 && tile::isLanewise(op) && !tile::movesLanes(op) &&
                 isTileOfTwo(op->getResult(0).getType());
    if (isOne)
      most = std::max(most, tileBytes(op->getResult(0).getType()));
    return isOne;
  };
  analysis::followUses(tile, isArithmetic, [](OpOperand &) { return WalkResult::advance(); });
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

/// Whether the factor is put somewhere before the loop begins, and stays there until it has ended.
bool staysBeside(scf::ForOp loop, tile::DotOp dot, Value factor) {
  mlir::Block *home = factor.getParentBlock();
  if (home == dot->getBlock())
    return false;
  Operation *user = home->findAncestorOpInBlock(*dot);
  return user && user->isAncestor(loop);
}

} // namespace

uint64_t tileBytes(Type tile) {
  return tile::elementCount(tile) * tile::byteSizeOf(tile::elementOf(tile));
}

uint64_t bytesOfRoom(nv::SharedType slot, uint64_t slots) {
  return llvm::alignTo(slot.getSlotBytes() * slots, nv::roomAlignment);
}

uint64_t bytesBesideSlots(scf::ForOp loop, uint64_t exchanged, uint64_t staged) {
  uint64_t bytes = std::max(exchanged, staged);
  loop->getParentOfType<func::FuncOp>().walk([&](tile::DotOp dot) {
    for (Value factor : {dot.getLhs(), dot.getRhs()})
      if (staysBeside(loop, dot, factor))
        bytes += tileBytes(factor.getType());
  });
  return bytes;
}

uint64_t bytesOfProductsOutside(func::FuncOp kernel, llvm::ArrayRef<scf::ForOp> loops,
                                uint64_t exchanged) {
  uint64_t most = 0;
  kernel.walk([&](tile::DotOp dot) {
    bool isInside = llvm::any_of(loops, [&](scf::ForOp loop) { return loop->isAncestor(dot); });
    if (isInside || !isOfWarpgroups(dot))
      return;
    uint64_t factors = std::max(exchanged, tileBytes(dot.getLhs().getType()));
    most = std::max(most, factors + stagedBytes(dot.getRhs()));
  });
  return most;
}

uint64_t bytesBesideRings(func::FuncOp kernel, uint64_t least,
                          llvm::function_ref<bool(Operation *)> isMoved) {
  uint64_t exchanged = 0, factors = 0;
  kernel.walk([&](Operation *op) {
    if (isMoved(op))
      return;
    if (mayExchange(op, isMoved))
      exchanged = std::max(exchanged, least);
    if (auto store = llvm::dyn_cast<tile::StoreOp>(op);
        store && isTileOfTwo(store.getValue().getType()))
      exchanged = std::max(exchanged, tileBytes(store.getValue().getType()));
    auto load = llvm::dyn_cast<tile::LoadOp>(op);
    if (!load || !isTileOfTwo(load.getType()))
      return;
    uint64_t bytes = tileBytes(load.getType());
    if (isFactor(load.getResult()))
      factors += llvm::alignTo(bytes, nv::roomAlignment);
    else
      exchanged = std::max(exchanged, widestBytes(load.getResult()));
  });
  return exchanged + factors;
}

uint64_t bytesOfInnerRooms(scf::ForOp loop) {
  uint64_t now = 0, most = 0;
  auto bytesOf = [](nv::AllocOp room) { return bytesOfRoom(room.getType(), room.getStages()); };
  loop.getBody()->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto room = llvm::dyn_cast<nv::AllocOp>(op))
      most = std::max(most, now += bytesOf(room));
    else if (auto free = llvm::dyn_cast<nv::FreeOp>(op))
      now -= bytesOf(free.getRoom().getDefiningOp<nv::AllocOp>());
  });
  return most;
}

void reserve(Operation *room, uint64_t bytes, Operation *within) {
  auto set = [bytes](Operation *op) {
    auto ring = llvm::dyn_cast<nv::RingOp>(op);
    uint64_t already = ring ? ring.getReserved().value_or(0)
                            : llvm::cast<nv::AllocOp>(op).getReserved().value_or(0);
    auto number = mlir::Builder(op->getContext()).getI64IntegerAttr(std::max(bytes, already));
    ring ? ring.setReservedAttr(number) : llvm::cast<nv::AllocOp>(op).setReservedAttr(number);
  };
  set(room);
  if (within)
    within->walk([&](nv::AllocOp inner) {
      if (inner.getReserved())
        set(inner);
    });
}

} // namespace nereid::backend::nvptx
