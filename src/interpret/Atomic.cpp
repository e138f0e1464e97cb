// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomics. One program runs at a time here, so plain reads and writes are atomic.
#include "dialect/tile/Tile.h"
#include "interpret/LaneAccess.h"
#include "interpret/OperationTable.h"

using namespace mlir;

namespace nereid::interpret {

struct AtomicSlots {
  Slot pointer, value, mask, out;
  Location location;
};

template <typename T, typename F> static Step combineInMemory(AtomicSlots slots, F f) {
  return [slots, f](Execution &execution) {
    execution.hasSynchronized = true;
    std::memset(slots.out.data, 0, slots.out.bytes());
    LaneAccess access(execution, slots.location, OutOfBounds::Access::Atomic, sizeof(T));
    forEachLane(access, slots.pointer, slots.mask, [&](int64_t lane, std::byte *address) {
      T old = readElement<T>(address);
      slots.out.as<T>()[lane] = old;
      writeElement<T>(address, f(old, slots.value.as<T>()[lane]));
    });
  };
}

static Step planAtomic(Planner &planner, tile::AtomicRmwOp op) {
  AtomicSlots slots{planner.slotOf(op.getPointer()), planner.slotOf(op.getValue()),
                    optionalSlot(planner, op.getMask()), planner.define(op.getResult()),
                    op.getLoc()};
  switch (op.getKind()) {
  case tile::AtomicKind::Add:
    return visitInteger(slots.out.kind, [=](auto element) -> Step {
      using T = typename decltype(element)::Storage;
      return combineInMemory<T>(slots, [=](T x, T y) { return element.wrap(uint64_t(x) + y); });
    });
  case tile::AtomicKind::FAdd:
    return visitFloat(slots.out.kind, [=](auto element) -> Step {
      using T = typename decltype(element)::Storage;
      return combineInMemory<T>(
          slots, [=](T x, T y) { return element.round(element.load(x) + element.load(y)); });
    });
  }
  NEREID_UNREACHABLE("atomic kind");
}

/// Programs do everything in order.
static Step planBarrier(Planner &, tile::BarrierOp) { return {}; }

void addAtomicOperations(OperationTable &table) {
  table.add<tile::AtomicRmwOp>(planAtomic);
  table.add<tile::BarrierOp>(planBarrier);
}

} // namespace nereid::interpret
