// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic on pointers, which touches no memory.
#include "dialect/tile/Tile.h"
#include "interpret/Elementwise.h"

#include <cstring>

using namespace mlir;

namespace nereid::interpret {

static Step planOffset(Planner &planner, Operation &op) {
  Slot pointer = planner.slotOf(op.getOperand(0)), offset = planner.slotOf(op.getOperand(1));
  Slot out = planner.define(op.getResult(0));
  int64_t size = tile::byteSizeOf(tile::elementOf(tile::pointeeOf(op.getOperand(0).getType())));
  return visitInteger(offset.kind, [=](auto element) -> Step {
    using T = typename decltype(element)::Storage;
    return [=](Execution &) {
      uint64_t *__restrict to = out.as<uint64_t>();
      const uint64_t *from = pointer.as<uint64_t>();
      const T *elements = offset.as<T>();
      for (int64_t i = 0, count = out.count(); i < count; ++i) {
        int64_t distance = element.signExtend(elements[i]);
        to[i] = sizeof(T) <= 4 ? AddressSpace::advanceNear(from[i], distance * size)
                               : AddressSpace::advance(from[i], distance, size);
      }
    };
  });
}

static Step planCopy(Planner &planner, Operation &op) {
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
  table.add<tile::PointerCastOp>(planCopy);
  table.add<tile::IntToPointerOp>(planIntToPointer);
}

} // namespace nereid::interpret
