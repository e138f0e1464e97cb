// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/gpu/layouts/Meetings.h"

#include "dialect/nv/LaneSources.h"
#include "dialect/tile/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nereid::backend::gpu {

Meetings::Meetings(func::FuncOp kernel, llvm::function_ref<bool(Value)> isSettled,
                   std::optional<int64_t> neighbours)
    : neighbours(neighbours) {
  kernel.walk([&](Operation *op) { visit(op, isSettled); });
}

void Meetings::meet(ValueRange tiles, llvm::function_ref<bool(Value)> isSettled) {
  auto counts = [&](Value tile) { return tile::isTile(tile.getType()) && isSettled(tile); };
  for (Value tile : tiles)
    for (Value other : tiles)
      if (tile != other && counts(tile) && counts(other) &&
          tile::shapeOf(tile.getType()) == tile::shapeOf(other.getType())) {
        classes.unionSets(tile.getAsOpaquePointer(), other.getAsOpaquePointer());
        break;
      }
}

void Meetings::visit(Operation *op, llvm::function_ref<bool(Value)> isSettled) {
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](scf::ForOp loop) {
        for (auto [result, argument, begun, yielded] :
             llvm::zip(loop.getResults(), loop.getRegionIterArgs(), loop.getInitArgs(),
                       loop.getYieldedValues()))
          meet({result, argument, begun, yielded}, isSettled);
      })
      .Case([&](scf::IfOp branch) {
        for (Block *block : {branch.thenBlock(), branch.elseBlock()})
          if (block)
            for (auto [result, yielded] :
                 llvm::zip(branch.getResults(), block->getTerminator()->getOperands()))
              meet({result, yielded}, isSettled);
      })
      .Case([&](tile::LoadOp load) {
        if (load.getMask())
          meet({load.getResult(), load.getMask()}, isSettled);
      })
      .Case([&](tile::StoreOp store) {
        if (store.getMask())
          meet({store.getValue(), store.getMask()}, isSettled);
      })
      .Case([&](tile::ReshapeOp reshape) {
        auto keepsNeighbours = [&](Value tile) {
          return tile::isTile(tile.getType()) && isSettled(tile) &&
                 tile::shapeOf(tile.getType()).back() % *neighbours == 0;
        };
        const Value source = reshape.getSource(), result = reshape.getResult();
        if (neighbours && keepsNeighbours(source) && keepsNeighbours(result))
          classes.unionSets(source.getAsOpaquePointer(), result.getAsOpaquePointer());
      })
      .Default([&](Operation *other) {
        if (!nv::hasSourceElements(other) || tile::movesLanes(other) ||
            other->getNumRegions() > 0 || tile::accessOf(other).touchesMemory())
          return;
        llvm::SmallVector<Value> tiles(other->getOperands());
        llvm::append_range(tiles, other->getResults());
        meet(tiles, isSettled);
      });
}

} // namespace nereid::backend::gpu
