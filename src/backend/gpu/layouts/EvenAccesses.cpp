// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/gpu/layouts/EvenAccesses.h"

#include "dialect/nv/LaneSources.h"
#include "dialect/nv/Nv.h"
#include "dialect/tile/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>

using namespace mlir;

namespace nereid::backend::gpu {
namespace {

constexpr unsigned mostBytes = 16; // of an access

struct Access {
  Value address; // the pointer, or the row
  Value tile;    // what is loaded or stored
  WidestAccess widest;
  unsigned loops; // around it

  unsigned bytesOfElement() const { return tile::byteSizeOf(tile::elementOf(tile.getType())); }
  /// Only the instruction stands in the way of more.
  bool isWhole() const { return widest.elements * bytesOfElement() == mostBytes; }
};

class Meetings {
public:
  explicit Meetings(llvm::function_ref<bool(Value)> isSettled) : isSettled(isSettled) {}

  /// The tiles of one shape among them, but for those that are made anew wherever they are wanted.
  void meet(ValueRange tiles) {
    for (Value tile : tiles)
      for (Value other : tiles)
        if (tile != other && counts(tile) && counts(other) &&
            tile::shapeOf(tile.getType()) == tile::shapeOf(other.getType())) {
          classes.unionSets(key(tile), key(other));
          break;
        }
  }

  void visit(Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](scf::ForOp loop) {
          for (auto [result, argument, begun, yielded] :
               llvm::zip(loop.getResults(), loop.getRegionIterArgs(), loop.getInitArgs(),
                         loop.getYieldedValues()))
            meet({result, argument, begun, yielded});
        })
        .Case([&](scf::IfOp branch) {
          for (Block *block : {branch.thenBlock(), branch.elseBlock()})
            if (block)
              for (auto [result, yielded] :
                   llvm::zip(branch.getResults(), block->getTerminator()->getOperands()))
                meet({result, yielded});
        })
        .Case([&](tile::LoadOp load) {
          if (load.getMask())
            meet({load.getResult(), load.getMask()});
        })
        .Case([&](tile::StoreOp store) {
          if (store.getMask())
            meet({store.getValue(), store.getMask()});
        })
        .Default([&](Operation *other) {
          if (!nv::hasSourceElements(other) || tile::movesLanes(other) ||
              other->getNumRegions() > 0 || tile::accessOf(other).touchesMemory())
            return;
          llvm::SmallVector<Value> tiles(other->getOperands());
          llvm::append_range(tiles, other->getResults());
          meet(tiles);
        });
  }

  const void *classOf(Value tile) { return classes.getOrInsertLeaderValue(key(tile)); }

private:
  static const void *key(Value tile) { return tile.getAsOpaquePointer(); }
  bool counts(Value tile) const { return tile::isTile(tile.getType()) && isSettled(tile); }

  llvm::function_ref<bool(Value)> isSettled;
  llvm::EquivalenceClasses<const void *> classes;
};

llvm::SmallVector<Access>
accessesOf(func::FuncOp kernel,
           llvm::function_ref<WidestAccess(Value pointer, Value mask)> widest) {
  llvm::SmallVector<Access> accesses;
  kernel.walk([&](Operation *op) {
    auto load = llvm::dyn_cast<tile::LoadOp>(op);
    auto store = llvm::dyn_cast<tile::StoreOp>(op);
    auto row = llvm::dyn_cast<nv::ReadRowOp>(op);
    unsigned loops = 0;
    for (Operation *around = op->getParentOp(); around; around = around->getParentOp())
      loops += llvm::isa<LoopLikeOpInterface>(around);
    if (load && tile::isTile(load.getType()))
      accesses.push_back({load.getPointer(), load.getResult(),
                          widest(load.getPointer(), load.getMask()), loops});
    if (store && tile::isTile(store.getValue().getType()))
      accesses.push_back({store.getPointer(), store.getValue(),
                          widest(store.getPointer(), store.getMask()), loops});
    if (row) {
      Access access{row.getResult(), row.getResult(), {}, loops};
      access.widest.elements = mostBytes / access.bytesOfElement();
      accesses.push_back(access);
    }
  });
  return accesses;
}

} // namespace

llvm::DenseMap<Value, unsigned>
evenAccesses(func::FuncOp kernel, unsigned leastBytes,
             llvm::function_ref<bool(Value tile)> isSettled,
             llvm::function_ref<WidestAccess(Value pointer, Value mask)> widest) {
  Meetings meetings(isSettled);
  kernel.walk([&](Operation *op) { meetings.visit(op); });
  llvm::SmallVector<Access> accesses = accessesOf(kernel, widest);
  llvm::MapVector<std::pair<const void *, unsigned>, unsigned> least; // by class and axis
  auto placeOf = [&](const Access &access) {
    return std::pair(meetings.classOf(access.tile), access.widest.axis);
  };
  // Those that are made most often decide; others' tiles are sent once.
  llvm::DenseMap<std::pair<const void *, unsigned>, unsigned> deepest;
  for (const Access &access : accesses)
    deepest[placeOf(access)] = std::max(deepest[placeOf(access)], access.loops);
  for (const Access &access : accesses)
    if (access.isWhole() && access.loops == deepest[placeOf(access)]) {
      auto [found, isNew] = least.try_emplace(placeOf(access), access.widest.elements);
      found->second = std::min(found->second, access.widest.elements);
    }
  llvm::DenseMap<Value, unsigned> even;
  for (const Access &access : accesses) {
    auto found = least.find(placeOf(access));
    if (found != least.end() && access.isWhole() && found->second < access.widest.elements &&
        found->second * access.bytesOfElement() >= leastBytes)
      even[access.address] = found->second;
  }
  return even;
}

} // namespace nereid::backend::gpu
