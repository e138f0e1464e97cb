// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic on pointers, which touches no memory.
#include "dialect/tile/Tile.h"
#include "interpret/operations/Elementwise.h"

#include <cstring>

using namespace mlir;

namespace nereid::interpret {

/// Moves each pointer by so many elements of `size` bytes. False, and `to` is not to be used, if
/// one would leave the positions of its array; without a branch, so that it becomes vector code.
template <int64_t size, typename Offset>
static bool moveAll(uint64_t *__restrict to, const uint64_t *from, const Offset *offsets,
                    int64_t count, auto element) {
  constexpr uint64_t near = uint64_t(1) << 44; // no product with a size leaves the number's bits
  uint64_t tooFar = 0;
  for (int64_t i = 0; i < count; ++i) {
    auto distance = uint64_t(element.signExtend(offsets[i]));
    if constexpr (sizeof(Offset) > 4)
      tooFar |= (distance + near) & ~(2 * near - 1);
    to[i] = from[i] + distance * uint64_t(size);
    tooFar |= AddressSpace::numberOf(to[i] ^ from[i]);
  }
  return !tooFar;
}

template <int64_t size> static Step planMoves(Slot pointer, Slot offset, Slot out) {
  return visitInteger(offset.kind, [=](auto element) -> Step {
    using T = typename decltype(element)::Storage;
    return [=](Execution &) {
      uint64_t *to = out.as<uint64_t>();
      const uint64_t *from = pointer.as<uint64_t>();
      const T *offsets = offset.as<T>();
      int64_t count = out.count();
      if (moveAll<size>(to, from, offsets, count, element))
        return;
      for (int64_t i = 0; i < count; ++i)
        to[i] = AddressSpace::advance(from[i], element.signExtend(offsets[i]), size);
    };
  });
}

static Step planOffset(Planner &planner, Operation &op) {
  Slot pointer = planner.slotOf(op.getOperand(0)), offset = planner.slotOf(op.getOperand(1));
  Slot out = planner.define(op.getResult(0));
  int64_t size = tile::byteSizeOf(tile::elementOf(tile::pointeeOf(op.getOperand(0).getType())));
  switch (size) {
  case 1:
    return planMoves<1>(pointer, offset, out);
  case 2:
    return planMoves<2>(pointer, offset, out);
  case 4:
    return planMoves<4>(pointer, offset, out);
  case 8:
    return planMoves<8>(pointer, offset, out);
  default:
    NEREID_UNREACHABLE("element of unknown size");
  }
}

static Step planPointerCast(Planner &planner, Operation &op) {
  Slot source = planner.slotOf(op.getOperand(0)), out = planner.define(op.getResult(0));
  return [=](Execution &) { std::memcpy(out.data, source.data, out.count() * sizeof(uint64_t)); };
}

static Step planPointerToInt(Planner &planner, Operation &op) {
  Slot source = planner.slotOf(op.getOperand(0)), out = planner.define(op.getResult(0));
  return [=](Execution &execution) {
    for (int64_t i = 0, count = out.count(); i < count; ++i)
      out.as<uint64_t>()[i] = execution.memory.toAddress(source.as<uint64_t>()[i]);
  };
}

static Step planIntToPointer(Planner &planner, Operation &op) {
  Slot source = planner.slotOf(op.getOperand(0)), out = planner.define(op.getResult(0));
  return [=](Execution &execution) {
    for (int64_t i = 0, count = out.count(); i < count; ++i)
      out.as<uint64_t>()[i] = execution.memory.fromAddress(source.as<uint64_t>()[i]);
  };
}

void addPointerOperations(OperationTable &table) {
  table.add<tile::OffsetOp>(planOffset);
  table.add<tile::PointerToIntOp>(planPointerToInt);
  table.add<tile::PointerCastOp>(planPointerCast);
  table.add<tile::IntToPointerOp>(planIntToPointer);
}

} // namespace nereid::interpret
