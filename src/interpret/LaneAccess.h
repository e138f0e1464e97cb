// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "interpret/Planner.h"
#include "interpret/memory/LaneRuns.h"

#include <cstring>

namespace nereid::interpret {

/// Finds the memory behind the pointers of one access, lane after lane, and reports those that
/// leave their array.
class LaneAccess {
public:
  LaneAccess(const Execution &execution, mlir::Location location, OutOfBounds::Access access,
             unsigned bytes)
      : execution(execution), location(location), access(access), bytes(bytes) {
    enter(0);
  }

  /// Where the element lies, or null if it is out of bounds.
  std::byte *find(uint64_t pointer, int64_t lane) {
    if (AddressSpace::numberOf(pointer) != number)
      enter(AddressSpace::numberOf(pointer));
    uint64_t offset = pointer - array->origin;
    if (offset >= starts) {
      report(int64_t(offset), lane);
      return nullptr;
    }
    return array->base + offset;
  }

  /// Where `count` elements lie next to each other, or null if one of them is out of bounds.
  std::byte *findRun(uint64_t pointer, int64_t count) {
    if (AddressSpace::numberOf(pointer) != number)
      enter(AddressSpace::numberOf(pointer));
    uint64_t offset = pointer - array->origin, others = uint64_t(count - 1) * bytes;
    return others < starts && offset < starts - others ? array->base + offset : nullptr;
  }

private:
  void enter(uint64_t newNumber) {
    number = newNumber;
    array = &execution.memory.array(number);
    starts = array->extentBytes >= bytes ? array->extentBytes - bytes + 1 : 0;
  }
  void report(int64_t offset, int64_t lane) const;

  const Execution &execution;
  mlir::Location location;
  OutOfBounds::Access access;
  unsigned bytes;
  uint64_t number = 0;
  const AddressSpace::Array *array = nullptr;
  uint64_t starts = 0; // byte offsets at which an element still fits into the array
};

/// Calls `f(lane, address)` for each lane that the mask (if it has data) lets through and whose
/// element lies inside its array.
template <typename F> void forEachLane(LaneAccess access, Slot pointers, Slot mask, F f) {
  for (int64_t lane = 0, count = pointers.count(); lane < count; ++lane) {
    if (mask.data && !mask.as<uint8_t>()[lane])
      continue;
    if (std::byte *address = access.find(pointers.as<uint64_t>()[lane], lane))
      f(lane, address);
  }
}

/// The lanes of an access to elements of `bytes` bytes; without data in `mask`, all take part.
inline AccessLanes lanesOf(Slot pointers, Slot mask, uint64_t bytes) {
  return {pointers.as<uint64_t>(), mask.data ? mask.as<uint8_t>() : nullptr, pointers.count(),
          bytes};
}

/// The slot of an optional operand; without data if there is none.
inline Slot optionalSlot(Planner &planner, mlir::Value value) {
  return value ? planner.slotOf(value) : Slot();
}

template <typename T> T readElement(const std::byte *address) {
  T value;
  std::memcpy(&value, address, sizeof(T));
  return value;
}

template <typename T> void writeElement(std::byte *address, T value) {
  std::memcpy(address, &value, sizeof(T));
}

} // namespace nereid::interpret
