// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomics. One program runs at a time here, so plain reads and writes are atomic.
#include "dialect/tile/Tile.h"
#include "interpret/LaneAccess.h"
#include "interpret/operations/OperationTable.h"

#include <algorithm>

using namespace mlir;

namespace nereid::interpret {

struct AtomicSlots {
  Slot pointer, value, mask, out;
  Location location;
};

/// Replaces each element by `f(lane, element)`; the result is what was there before.
template <typename T, typename F> static Step replaceInMemory(AtomicSlots slots, F f) {
  return [slots, f](Execution &execution) {
    execution.round.hasSynchronized = true;
    std::memset(slots.out.data, 0, slots.out.bytes());
    LaneAccess access(execution, slots.location, OutOfBounds::Access::Atomic, sizeof(T));
    forEachLane(access, slots.pointer, slots.mask, [&](int64_t lane, std::byte *address) {
      T old = readElement<T>(address), changed = f(lane, old);
      slots.out.as<T>()[lane] = old;
      writeElement<T>(address, changed);
      execution.round.hasChanged |= std::memcmp(&old, &changed, sizeof(T)) != 0;
    });
  };
}

/// Each element becomes `f(element, value)`, a function of two T.
template <typename T, typename F> static Step combineInMemory(AtomicSlots slots, F f) {
  return replaceInMemory<T>(slots, [values = slots.value.as<T>(), f](int64_t lane, T old) -> T {
    return f(old, values[lane]);
  });
}

/// A kind that takes elements zero-extended, and one that takes them sign-extended.
template <typename F> static Step combineUnsigned(AtomicSlots slots, F f) {
  return visitInteger(slots.out.kind, [=](auto element) -> Step {
    using T = typename decltype(element)::Storage;
    return combineInMemory<T>(slots,
                              [=](T x, T y) { return element.wrap(f(uint64_t(x), uint64_t(y))); });
  });
}

template <typename F> static Step combineSigned(AtomicSlots slots, F f) {
  return visitInteger(slots.out.kind, [=](auto element) -> Step {
    using T = typename decltype(element)::Storage;
    return combineInMemory<T>(slots, [=](T x, T y) {
      return element.wrap(uint64_t(f(element.signExtend(x), element.signExtend(y))));
    });
  });
}

static Step combineFloats(AtomicSlots slots) {
  return visitFloat(slots.out.kind, [=](auto element) -> Step {
    using T = typename decltype(element)::Storage;
    return combineInMemory<T>(
        slots, [=](T x, T y) { return element.round(element.load(x) + element.load(y)); });
  });
}

static Step exchange(AtomicSlots slots) {
  return visitBits(slots.out.kind, [=](auto bits) -> Step {
    using T = decltype(bits);
    return combineInMemory<T>(slots, [](T, T value) { return value; });
  });
}

static Step planAtomic(Planner &planner, tile::AtomicRmwOp op) {
  AtomicSlots slots{planner.slotOf(op.getPointer()), planner.slotOf(op.getValue()),
                    optionalSlot(planner, op.getMask()), planner.define(op.getResult()),
                    op.getLoc()};
  switch (op.getKind()) {
  case tile::AtomicKind::Add:
    return combineUnsigned(slots, std::plus<uint64_t>());
  case tile::AtomicKind::FAdd:
    return combineFloats(slots);
  case tile::AtomicKind::SignedMax:
    return combineSigned(slots, [](int64_t x, int64_t y) { return std::max(x, y); });
  case tile::AtomicKind::SignedMin:
    return combineSigned(slots, [](int64_t x, int64_t y) { return std::min(x, y); });
  case tile::AtomicKind::UnsignedMax:
    return combineUnsigned(slots, [](uint64_t x, uint64_t y) { return std::max(x, y); });
  case tile::AtomicKind::UnsignedMin:
    return combineUnsigned(slots, [](uint64_t x, uint64_t y) { return std::min(x, y); });
  case tile::AtomicKind::And:
    return combineUnsigned(slots, std::bit_and<uint64_t>());
  case tile::AtomicKind::Or:
    return combineUnsigned(slots, std::bit_or<uint64_t>());
  case tile::AtomicKind::Xor:
    return combineUnsigned(slots, std::bit_xor<uint64_t>());
  case tile::AtomicKind::Exchange:
    return exchange(slots);
  case tile::AtomicKind::CountUp:
    return combineUnsigned(slots, [](uint64_t x, uint64_t last) { return x >= last ? 0 : x + 1; });
  case tile::AtomicKind::CountDown:
    return combineUnsigned(
        slots, [](uint64_t x, uint64_t last) { return x == 0 || x > last ? last : x - 1; });
  }
  NEREID_UNREACHABLE("atomic kind");
}

static Step planCompareAndSwap(Planner &planner, tile::AtomicCasOp op) {
  Slot expected = planner.slotOf(op.getExpected());
  AtomicSlots slots{planner.slotOf(op.getPointer()),
                    planner.slotOf(op.getValue()),
                    {},
                    planner.define(op.getResult()),
                    op.getLoc()};
  return visitBits(slots.out.kind, [=](auto bits) -> Step {
    using T = decltype(bits);
    return replaceInMemory<T>(slots, [=](int64_t lane, T old) {
      return old == expected.as<T>()[lane] ? slots.value.as<T>()[lane] : old;
    });
  });
}

/// Programs do everything in order.
static Step planBarrier(Planner &, tile::BarrierOp) { return {}; }

void addAtomicOperations(OperationTable &table) {
  table.add<tile::AtomicRmwOp>(planAtomic);
  table.add<tile::AtomicCasOp>(planCompareAndSwap);
  table.add<tile::BarrierOp>(planBarrier);
}

} // namespace nereid::interpret
