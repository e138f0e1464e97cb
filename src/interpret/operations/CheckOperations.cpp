// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Assertions, assumptions and promises: each is tested and reported where it does not hold.
#include "dialect/tile/Tile.h"
#include "interpret/operations/OperationTable.h"
#include "interpret/operations/PromiseTest.h"

#include <algorithm>
#include <cstring>

using namespace mlir;

namespace nereid::interpret {

static bool isAllTrue(Slot slot) { return !std::memchr(slot.data, 0, slot.bytes()); }

static Step planAssert(Planner &planner, tile::AssertOp op) {
  Slot condition = planner.slotOf(op.getCondition());
  bool isTile = tile::isTile(op.getCondition().getType());
  return [=, location = op.getLoc(), message = op.getMessage().str()](Execution &execution) {
    if (isAllTrue(condition))
      return;
    const auto *lanes = condition.as<uint8_t>();
    int64_t lane = std::find(lanes, lanes + condition.capacity, 0) - lanes;
    execution.observer.assertionFailed(location, execution.program, message, isTile ? lane : -1);
  };
}

static Step planCheckIndex(Planner &planner, tile::CheckIndexOp op) {
  Slot index = planner.slotOf(op.getIndex()), extent = planner.slotOf(op.getExtent()),
       part = planner.slotOf(op.getPart());
  return [=, location = op.getLoc(), dimension = op.getDimension()](Execution &execution) {
    int64_t at = *index.as<int64_t>(), size = *extent.as<int64_t>();
    if (at >= 0 && at < size)
      return;
    uint64_t pointer = *part.as<uint64_t>(), number = AddressSpace::numberOf(pointer);
    const AddressSpace::Array *array = number ? &execution.memory.array(number) : nullptr;
    if (array && pointer - array->origin < array->extentBytes)
      execution.observer.indexBeyond(
          {location, execution.program, array->name, dimension, at, size});
  };
}

static Step planAssume(Planner &planner, tile::AssumeOp op) {
  Slot condition = planner.slotOf(op.getCondition());
  return [condition, location = op.getLoc()](Execution &execution) {
    if (!isAllTrue(condition))
      execution.observer.assumptionFailed(location, execution.program);
  };
}

static Step planHint(Planner &planner, tile::HintOp op) {
  Slot value = planner.slotOf(op.getValue()), out = planner.define(op.getResult());
  return [=, test = PromiseTest(planner, op), location = op.getLoc()](Execution &execution) {
    std::memcpy(out.data, value.data, out.bytes());
    if (!test.holds(execution))
      execution.observer.promiseBroken(location, execution.program);
  };
}

/// Debuggers look at it (LineEvents).
static Step planVariable(Planner &, tile::VariableOp) { return {}; }

void addCheckOperations(OperationTable &table) {
  table.add<tile::AssertOp>(planAssert);
  table.add<tile::CheckIndexOp>(planCheckIndex);
  table.add<tile::AssumeOp>(planAssume);
  table.add<tile::HintOp>(planHint);
  table.add<tile::VariableOp>(planVariable);
}

} // namespace nereid::interpret
