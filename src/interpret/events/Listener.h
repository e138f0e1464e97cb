// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What programs do, as events: who wants to know listens (docs/checking.md). Where nobody does, the
// plan of a kernel holds no step that would tell.
#pragma once

#include "interpret/Interpreter.h"
#include "interpret/memory/AddressSpace.h"
#include "interpret/memory/LaneRuns.h"

#include <algorithm>

namespace nereid::interpret {

/// A load, store or atomic of the kernel: what is the same each time that it runs.
struct AccessSite {
  unsigned number; // counted from 0, in the order of the kernel
  mlir::Location location;
  AccessKind kind;
  unsigned bytes; // of one lane's element
  /// What it finds in memory is used. An exchange whose result nobody wants reads nothing.
  bool reads;
  /// An atomic or a volatile load: programs may meet there.
  bool isStrong;
  bool acquires, releases;
};

/// One execution of an access, all its lanes, before memory changes.
struct AccessEvent {
  const AccessSite &site;
  ProgramId program;
  const AddressSpace &memory;
  const uint64_t *pointers; // the interpreter's own
  const uint8_t *mask;      // null: all lanes
  int64_t lanes;
  /// Of a store, the elements as they will lie in memory; null where that is not at hand.
  const std::byte *values;
};

/// What a run is about to do.
struct RunEvent {
  const AddressSpace &memory;
  GridExtent grid;
  /// All accesses of the kernel, by number.
  std::span<const AccessSite> sites;
  /// The fewest bytes that a pointer points at which was cast or computed from an integer;
  /// the elements' own size is a lower bound elsewhere.
  uint64_t smallestCast;
};

class Listener {
public:
  virtual ~Listener() = default;
  virtual void begins(const RunEvent &) {}
  virtual void accesses(const AccessEvent &) {}
  /// A barrier: acquires and releases without an access of its own.
  virtual void fences(ProgramId) {}
  /// Programs from this number on have waited for one another: each knows all that the others did.
  virtual void meets(uint64_t /*first*/, uint64_t /*count*/) {}
  /// The same of these programs alone, by number.
  virtual void meetSome(std::span<const uint64_t> /*programs*/) {}
  /// Another block of so many programs begins, the first of this number. `memory` are the arrays
  /// that are its own: what they hold is nobody's.
  virtual void beginsBlock(uint64_t /*first*/, uint64_t /*count*/,
                           std::span<const uint64_t> /*memory*/) {}
  /// The program came to its end, or was dropped while it waited.
  virtual void ends(ProgramId) {}
};

/// Lanes of an access that lie next to each other in an array, the first lane first.
struct AccessRun {
  uint64_t array;  // its number in the address space; never 0
  uint64_t offset; // in bytes, from the array's start
  int64_t lane, count;
};

/// Calls `f` with each run of the lanes that the mask lets through and that lie inside an array.
/// Others are skipped: who runs the access reports them.
template <typename F> void forEachRun(const AccessEvent &event, F f) {
  const uint64_t bytes = event.site.bytes;
  auto hand = [&](int64_t lane, int64_t count) {
    uint64_t number = AddressSpace::numberOf(event.pointers[lane]);
    const AddressSpace::Array &array = event.memory.array(number);
    auto offset = int64_t(event.pointers[lane] - array.origin), extent = int64_t(array.extentBytes);
    int64_t step = int64_t(bytes);
    int64_t skipped = offset < 0 ? (-offset + step - 1) / step : 0;
    int64_t fitting = offset > extent - step ? 0 : (extent - step - offset) / step + 1;
    if (int64_t end = std::min(count, fitting); skipped < end)
      f(AccessRun{number, uint64_t(offset + skipped * step), lane + skipped, end - skipped});
  };
  forEachLaneRun({event.pointers, event.mask, event.lanes, bytes}, hand);
}

} // namespace nereid::interpret
