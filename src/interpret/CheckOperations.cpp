// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Assertions, assumptions and promises: each is tested and reported where it does not hold.
#include "dialect/tile/Tile.h"
#include "interpret/OperationTable.h"
#include "interpret/RowMajor.h"

#include <cstring>

using namespace mlir;

namespace nereid::interpret {

static bool isAllTrue(Slot slot) { return !std::memchr(slot.data, 0, slot.bytes()); }

static Step planAssert(Planner &planner, tile::AssertOp op) {
  Slot condition = planner.slotOf(op.getCondition());
  return
      [condition, location = op.getLoc(), message = op.getMessage().str()](Execution &execution) {
        if (!isAllTrue(condition))
          execution.observer.assertionFailed(location, execution.program, message);
      };
}

static Step planAssume(Planner &planner, tile::AssumeOp op) {
  Slot condition = planner.slotOf(op.getCondition());
  return [condition, location = op.getLoc()](Execution &execution) {
    if (!isAllTrue(condition))
      execution.observer.assumptionFailed(location, execution.program);
  };
}

/// Tests a promise along one dimension of a tile.
struct Promise {
  tile::HintKind kind;
  int64_t amount;
  uint64_t step; // between consecutive values: one, or the size of what a pointer points at

  /// Whether lane `i` of a line, with the given value, may follow its predecessor.
  bool holds(int64_t i, uint64_t value, uint64_t previous) const {
    switch (kind) {
    case tile::HintKind::Contiguity:
      return i % amount == 0 || value == previous + step;
    case tile::HintKind::Constancy:
      return i % amount == 0 || value == previous;
    case tile::HintKind::Divisibility:
      // Runs are not known here, so a lane starts one unless it repeats or continues the one
      // before.
      return (i != 0 && (value == previous || value == previous + step)) ||
             int64_t(value) % amount == 0;
    }
    NEREID_UNREACHABLE("hint kind");
  }
};

static uint64_t valueAt(const Execution &execution, Slot slot, int64_t index) {
  if (slot.kind == ElementKind::Pointer)
    return execution.memory.toAddress(slot.as<uint64_t>()[index]);
  return visitInteger(slot.kind, [=](auto element) {
    return uint64_t(element.signExtend(slot.as<typename decltype(element)::Storage>()[index]));
  });
}

/// Compares each lane with its predecessor `stride` elements away; `extent` lanes make a line.
static bool holdsAlong(const Execution &execution, Slot slot, Promise promise, int64_t extent,
                       int64_t stride) {
  for (int64_t index = 0; index < slot.capacity; ++index) {
    int64_t lane = index / stride % extent;
    uint64_t previous = lane ? valueAt(execution, slot, index - stride) : 0;
    if (!promise.holds(lane, valueAt(execution, slot, index), previous))
      return false;
  }
  return true;
}

static Step planHint(Planner &planner, tile::HintOp op) {
  Slot value = planner.slotOf(op.getValue()), out = planner.define(op.getResult());
  llvm::SmallVector<int64_t> shape(tile::shapeOf(op.getType()));
  if (shape.empty())
    shape.push_back(1);
  uint64_t step = 1;
  if (Type pointee = tile::pointeeOf(op.getType()))
    step = tile::byteSizeOf(tile::elementOf(pointee));
  llvm::SmallVector<int64_t> amounts(op.getAmounts());
  return [=, kind = op.getKind(), location = op.getLoc()](Execution &execution) {
    std::memcpy(out.data, value.data, out.bytes());
    if (isFloat(value.kind))
      return; // nothing is promised about floats that could be tested
    llvm::SmallVector<int64_t> strides = rowMajorStrides(shape);
    bool holds = true;
    for (size_t i = 0; i < shape.size(); ++i)
      holds = holds && (amounts[i] == 1 || holdsAlong(execution, value, {kind, amounts[i], step},
                                                      shape[i], strides[i]));
    if (!holds)
      execution.observer.assumptionFailed(location, execution.program);
  };
}

void addCheckOperations(OperationTable &table) {
  table.add<tile::AssertOp>(planAssert);
  table.add<tile::AssumeOp>(planAssume);
  table.add<tile::HintOp>(planHint);
}

} // namespace nereid::interpret
