// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpret/events/AccessEvents.h"

#include "dialect/tile/Access.h"
#include "dialect/tile/Tile.h"
#include "interpret/LaneAccess.h"

#include <limits>

using namespace mlir;

namespace nereid::interpret {

static std::optional<AccessKind> kindOf(Operation &op) {
  if (isa<tile::LoadOp>(op))
    return AccessKind::Read;
  if (isa<tile::StoreOp>(op))
    return AccessKind::Write;
  if (isa<tile::AtomicRmwOp, tile::AtomicCasOp>(op))
    return AccessKind::Atomic;
  return std::nullopt;
}

/// Whether what memory held makes a difference to anyone.
static bool usesWhatItFinds(Operation &op) {
  if (isa<tile::StoreOp>(op))
    return false;
  auto atomic = dyn_cast<tile::AtomicRmwOp>(op);
  return !atomic || atomic.getKind() != tile::AtomicKind::Exchange || !atomic->use_empty();
}

Step AccessEvents::before(Planner &planner, Operation &op) {
  if (isa<tile::BarrierOp>(op))
    return [listeners = listeners](Execution &execution) {
      for (Listener *listener : listeners)
        listener->fences(execution.program);
    };
  std::optional<AccessKind> kind = kindOf(op);
  if (!kind)
    return {};
  tile::Access access = tile::accessOf(&op);
  Type pointee = tile::pointeeOf(access.pointer.getType());
  auto load = dyn_cast<tile::LoadOp>(op);
  bool isStrong = *kind == AccessKind::Atomic || (load && load.getIsVolatile());
  auto number = static_cast<unsigned>(sites.size());
  AccessSite site{number,
                  op.getLoc(),
                  *kind,
                  unsigned(tile::byteSizeOf(tile::elementOf(pointee))),
                  usesWhatItFinds(op),
                  isStrong,
                  access.acquires,
                  access.releases};
  sites.push_back(site);
  Slot pointer = planner.slotOf(access.pointer), mask = optionalSlot(planner, access.mask);
  auto store = dyn_cast<tile::StoreOp>(op);
  Slot value = store ? planner.slotOf(store.getValue()) : Slot();
  if (value.kind == ElementKind::Pointer)
    value = {}; // it has another form in memory
  return [site, pointer, mask, value, listeners = listeners](Execution &execution) {
    AccessEvent event{site,
                      execution.program,
                      execution.memory,
                      pointer.as<uint64_t>(),
                      mask.data ? mask.as<uint8_t>() : nullptr,
                      pointer.capacity,
                      value.data};
    for (Listener *listener : listeners)
      listener->accesses(event);
  };
}

/// Pointers that come out of memory are as wide as their type says; they count as cast.
static uint64_t smallestCast(func::FuncOp kernel) {
  uint64_t smallest = std::numeric_limits<uint64_t>::max();
  kernel.walk([&](Operation *op) {
    if (!isa<tile::PointerCastOp, tile::IntToPointerOp, tile::LoadOp>(op))
      return;
    if (Type pointee = tile::pointeeOf(op->getResult(0).getType()))
      smallest = std::min<uint64_t>(smallest, tile::byteSizeOf(tile::elementOf(pointee)));
  });
  return smallest;
}

void AccessEvents::begin(func::FuncOp kernel, const AddressSpace &memory, GridExtent grid) const {
  for (Listener *listener : listeners)
    listener->begins({memory, grid, sites, smallestCast(kernel)});
}

} // namespace nereid::interpret
