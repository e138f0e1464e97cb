// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads and stores. Pointers are real addresses in memory and the interpreter's own in tiles.
#include "dialect/tile/Tile.h"
#include "interpret/LaneAccess.h"
#include "interpret/OperationTable.h"

using namespace mlir;

namespace nereid::interpret {

void LaneAccess::report(int64_t offset, int64_t lane) const {
  int64_t size = int64_t(array->elementBytes ? array->elementBytes : bytes);
  // Of an access that begins inside the array, the byte that is furthest outside.
  int64_t byte = offset < 0 ? offset : offset + bytes - 1;
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

static Step planLoad(Planner &planner, tile::LoadOp op) {
  Slot pointer = planner.slotOf(op.getPointer());
  Slot mask = optionalSlot(planner, op.getMask()), other = optionalSlot(planner, op.getOther());
  Slot out = planner.define(op.getResult());
  bool isVolatile = op.getIsVolatile();
  return visitMemory(out.kind, [=, location = op.getLoc()](auto bits, auto kind) -> Step {
    using T = decltype(bits);
    return [=](Execution &execution) {
      execution.hasRead = true;
      execution.hasSynchronized |= isVolatile;
      T *to = out.as<T>();
      LaneAccess access(execution, location, OutOfBounds::Access::Read, sizeof(T));
      for (int64_t lane = 0; lane < out.capacity; ++lane) {
        to[lane] = 0;
        if (mask.data && !mask.as<uint8_t>()[lane])
          to[lane] = other.data ? other.as<T>()[lane] : 0;
        else if (const std::byte *address = access.find(pointer.as<uint64_t>()[lane], lane))
          to[lane] = fromMemory<kind()>(execution, readElement<T>(address));
      }
    };
  });
}

static Step planStore(Planner &planner, tile::StoreOp op) {
  Slot pointer = planner.slotOf(op.getPointer()), value = planner.slotOf(op.getValue());
  Slot mask = optionalSlot(planner, op.getMask());
  return visitMemory(value.kind, [=, location = op.getLoc()](auto bits, auto kind) -> Step {
    using T = decltype(bits);
    return [=](Execution &execution) {
      execution.hasWritten = true;
      LaneAccess access(execution, location, OutOfBounds::Access::Write, sizeof(T));
      forEachLane(access, pointer, mask, [&](int64_t lane, std::byte *address) {
        writeElement<T>(address, toMemory<kind()>(execution, value.as<T>()[lane]));
      });
    };
  });
}

void addMemoryOperations(OperationTable &table) {
  table.add<tile::LoadOp>(planLoad);
  table.add<tile::StoreOp>(planStore);
}

} // namespace nereid::interpret
