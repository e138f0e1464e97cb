// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads and stores. Pointers are real addresses in memory and the interpreter's own in tiles.
#include "dialect/tile/Tile.h"
#include "interpret/LaneAccess.h"
#include "interpret/operations/OperationTable.h"

using namespace mlir;

namespace nereid::interpret {

void LaneAccess::report(int64_t offset, int64_t lane) const {
  int64_t size = int64_t(array->elementBytes ? array->elementBytes : bytes);
  // Of an access that begins inside the array, the byte that is furthest outside.
  int64_t byte = (offset < 0 ? offset : offset + bytes - 1) - int64_t(array->below);
  int64_t index = byte / size - (byte % size < 0);
  execution.observer.outOfBounds({location, execution.program, access, array->name, index,
                                  int64_t(array->extentBytes) / size, lane});
}

/// What an element of memory stands for in a tile.
template <ElementKind kind, typename T> static T fromMemory(const Execution &execution, T element) {
  if constexpr (kind == ElementKind::Int1)
    return element != 0;
  else if constexpr (kind == ElementKind::Pointer)
    return execution.memory.fromAddress(element);
  else
    return element;
}

template <ElementKind kind, typename T> static T toMemory(const Execution &execution, T element) {
  if constexpr (kind == ElementKind::Pointer)
    return execution.memory.toAddress(element);
  else
    return element;
}

/// Calls `f` with the bits of an element and the kind as constants; the kinds whose form in memory
/// is their form in a tile are all Int64.
template <typename F> static Step visitMemory(ElementKind kind, F f) {
  using enum ElementKind;
  if (kind == Int1)
    return f(uint8_t(), std::integral_constant<ElementKind, Int1>());
  if (kind == Pointer)
    return f(uint64_t(), std::integral_constant<ElementKind, Pointer>());
  return visitBits(
      kind, [&](auto bits) { return f(bits, std::integral_constant<ElementKind, Int64>()); });
}

/// Whether elements lie in memory as they do in a tile.
template <ElementKind kind, bool isRead> constexpr bool liesAlike() {
  return kind != ElementKind::Pointer && !(isRead && kind == ElementKind::Int1);
}

/// What lanes get that take no part.
static void fillLeftOut(Slot out, Slot other) {
  if (other.data)
    std::memcpy(out.data, other.data, out.bytes());
  else
    std::memset(out.data, 0, out.bytes());
}

static Step planLoad(Planner &planner, tile::LoadOp op) {
  Slot pointer = planner.slotOf(op.getPointer());
  Slot mask = optionalSlot(planner, op.getMask()), other = optionalSlot(planner, op.getOther());
  Slot out = planner.define(op.getResult());
  bool isVolatile = op.getIsVolatile();
  return visitMemory(out.kind, [=, location = op.getLoc()](auto bits, auto kind) -> Step {
    using T = decltype(bits);
    return [=](Execution &execution) {
      execution.round.hasRead = true;
      execution.round.hasSynchronized |= isVolatile;
      if (mask.data)
        fillLeftOut(out, other);
      T *to = out.as<T>();
      LaneAccess access(execution, location, OutOfBounds::Access::Read, sizeof(T));
      forEachLaneRun(lanesOf(pointer, mask, sizeof(T)), [&](int64_t first, int64_t count) {
        const uint64_t *pointers = pointer.as<uint64_t>();
        const std::byte *from = access.findRun(pointers[first], count);
        if (from && liesAlike<kind(), true>())
          return (void)std::memcpy(to + first, from, size_t(count) * sizeof(T));
        for (int64_t lane = first; lane < first + count; ++lane) {
          const std::byte *address = access.find(pointers[lane], lane);
          to[lane] = address ? fromMemory<kind()>(execution, readElement<T>(address)) : T();
        }
      });
    };
  });
}

static Step planStore(Planner &planner, tile::StoreOp op) {
  Slot pointer = planner.slotOf(op.getPointer()), value = planner.slotOf(op.getValue());
  Slot mask = optionalSlot(planner, op.getMask());
  return visitMemory(value.kind, [=, location = op.getLoc()](auto bits, auto kind) -> Step {
    using T = decltype(bits);
    return [=](Execution &execution) {
      bool &hasWritten = execution.round.hasWritten;
      const T *from = value.as<T>();
      LaneAccess access(execution, location, OutOfBounds::Access::Write, sizeof(T));
      forEachLaneRun(lanesOf(pointer, mask, sizeof(T)), [&](int64_t first, int64_t count) {
        const uint64_t *pointers = pointer.as<uint64_t>();
        std::byte *to = access.findRun(pointers[first], count);
        if (to && liesAlike<kind(), false>()) {
          size_t bytes = size_t(count) * sizeof(T);
          hasWritten = hasWritten || std::memcmp(to, from + first, bytes);
          return (void)std::memcpy(to, from + first, bytes);
        }
        for (int64_t lane = first; lane < first + count; ++lane)
          if (std::byte *address = access.find(pointers[lane], lane)) {
            T element = toMemory<kind()>(execution, from[lane]);
            hasWritten = hasWritten || std::memcmp(address, &element, sizeof(T));
            writeElement<T>(address, element);
          }
      });
    };
  });
}

void addMemoryOperations(OperationTable &table) {
  table.add<tile::LoadOp>(planLoad);
  table.add<tile::StoreOp>(planStore);
}

} // namespace nereid::interpret
