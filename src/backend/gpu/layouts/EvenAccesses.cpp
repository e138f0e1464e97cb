// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/gpu/layouts/EvenAccesses.h"

#include "backend/gpu/layouts/Meetings.h"
#include "dialect/nv/Nv.h"
#include "dialect/tile/Tile.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/MapVector.h"

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

  bool isLoad; // by each thread, of what it likes

  unsigned bytesOfElement() const { return tile::byteSizeOf(tile::elementOf(tile.getType())); }
};

llvm::SmallVector<Access>
accessesOf(func::FuncOp kernel,
           llvm::function_ref<WidestAccess(Value pointer, Value mask)> widest) {
  llvm::SmallVector<Access> accesses;
  kernel.walk([&](Operation *op) {
    auto load = llvm::dyn_cast<tile::LoadOp>(op);
    auto store = llvm::dyn_cast<tile::StoreOp>(op);
    const bool isRow = llvm::isa<nv::ReadRowOp, nv::ReadKeptOp>(op);
    unsigned loops = 0;
    for (Operation *around = op->getParentOp(); around; around = around->getParentOp())
      loops += llvm::isa<LoopLikeOpInterface>(around);
    if (load && tile::isTile(load.getType()))
      accesses.push_back({load.getPointer(), load.getResult(),
                          widest(load.getPointer(), load.getMask()), loops, true});
    if (store && tile::isTile(store.getValue().getType()))
      accesses.push_back({store.getPointer(), store.getValue(),
                          widest(store.getPointer(), store.getMask()), loops, false});
    if (isRow) {
      Access access{op->getResult(0), op->getResult(0), {}, loops, false};
      access.widest.elements = mostBytes / access.bytesOfElement();
      access.widest.isWhole = true;
      accesses.push_back(access);
    }
  });
  return accesses;
}

/// A class of tiles that meet, and an axis, counted from the last.
using Place = std::pair<const void *, unsigned>;

/// How many elements of a thread at once each place's widest accesses have at least. Those that are
/// made most often decide; others' tiles are sent once.
llvm::MapVector<Place, unsigned> leastElements(llvm::ArrayRef<Access> accesses,
                                               llvm::function_ref<Place(const Access &)> placeOf) {
  llvm::MapVector<Place, unsigned> least;
  llvm::DenseMap<Place, unsigned> deepest;
  for (const Access &access : accesses)
    deepest[placeOf(access)] = std::max(deepest[placeOf(access)], access.loops);
  for (const Access &access : accesses)
    if (access.widest.isWhole && access.loops == deepest[placeOf(access)]) {
      auto [found, isNew] = least.try_emplace(placeOf(access), access.widest.elements);
      found->second = std::min(found->second, access.widest.elements);
    }
  return least;
}

/// The same as many as a store takes, where all that have fewer are loads of up to so many bytes.
void raiseToStores(llvm::MapVector<Place, unsigned> &least, llvm::ArrayRef<Access> accesses,
                   llvm::function_ref<Place(const Access &)> placeOf, unsigned mostLoaded) {
  for (auto &[place, elements] : least) {
    auto here = [&, place = place](const Access &access) {
      return access.widest.isWhole && placeOf(access) == place;
    };
    unsigned stored = elements;
    for (const Access &access : llvm::make_filter_range(accesses, here))
      if (!access.isLoad)
        stored = std::max(stored, access.widest.elements);
    if (llvm::all_of(llvm::make_filter_range(accesses, here), [&](const Access &access) {
          return access.widest.elements >= stored ||
                 (access.isLoad && stored * access.bytesOfElement() <= mostLoaded);
        }))
      elements = stored;
  }
}

} // namespace

llvm::DenseMap<Value, unsigned>
evenAccesses(func::FuncOp kernel, AccessBounds bounds,
             llvm::function_ref<bool(Value tile)> isSettled,
             llvm::function_ref<WidestAccess(Value pointer, Value mask)> widest) {
  Meetings meetings(kernel, isSettled, mostBytes);
  llvm::SmallVector<Access> accesses = accessesOf(kernel, widest);
  auto placeOf = [&](const Access &access) {
    const unsigned rank = tile::shapeOf(access.tile.getType()).size();
    return Place(meetings.classOf(access.tile), rank - access.widest.axis);
  };
  llvm::MapVector<Place, unsigned> least = leastElements(accesses, placeOf);
  raiseToStores(least, accesses, placeOf, bounds.mostLoaded);
  llvm::DenseMap<Value, unsigned> even;
  for (const Access &access : accesses) {
    auto found = least.find(placeOf(access));
    if (found == least.end() || found->second == access.widest.elements)
      continue;
    const unsigned bytes = found->second * access.bytesOfElement();
    const bool isFewer = found->second < access.widest.elements;
    const bool isWhole =
        access.widest.isWhole &&
        (isFewer ? bytes >= bounds.leastBytes : access.isLoad && bytes <= bounds.mostLoaded);
    const bool isSpread = access.isLoad && access.widest.isLoose && bytes <= bounds.mostSpanned;
    if (isWhole || isSpread)
      even[access.address] = found->second;
  }
  return even;
}

} // namespace nereid::backend::gpu
