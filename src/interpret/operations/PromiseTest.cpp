// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpret/operations/PromiseTest.h"

#include "interpret/operations/RowMajor.h"

using namespace mlir;

namespace nereid::interpret {

PromiseTest::PromiseTest(Planner &planner, tile::HintOp op)
    : kind(op.getKind()), value(planner.slotOf(op.getValue())), shape(tile::shapeOf(op.getType())),
      amounts(op.getAmounts()) {
  if (shape.empty())
    shape.push_back(1);
  strides = rowMajorStrides(shape);
  if (Type pointee = tile::pointeeOf(op.getType()))
    step = tile::byteSizeOf(tile::elementOf(pointee));
}

static uint64_t valueAt(const Execution &execution, Slot slot, int64_t index) {
  if (slot.kind == ElementKind::Pointer)
    return execution.memory.toAddress(slot.as<uint64_t>()[index]);
  return visitInteger(slot.kind, [=](auto element) {
    return uint64_t(element.signExtend(slot.as<typename decltype(element)::Storage>()[index]));
  });
}

/// Whether a lane of a line, with the given value, may follow its predecessor.
bool PromiseTest::mayFollow(int64_t lane, uint64_t value, uint64_t previous, int64_t amount) const {
  switch (kind) {
  case tile::HintKind::Contiguity:
    return lane % amount == 0 || value == previous + step;
  case tile::HintKind::Constancy:
    return lane % amount == 0 || value == previous;
  case tile::HintKind::Divisibility:
    // Runs are not known here, so a lane starts one unless it repeats or continues the one before.
    return (lane != 0 && (value == previous || value == previous + step)) ||
           int64_t(value) % amount == 0;
  }
  NEREID_UNREACHABLE("hint kind");
}

/// Compares each lane with its predecessor along the dimension.
bool PromiseTest::holdsAlong(const Execution &execution, size_t dim) const {
  for (int64_t index = 0; index < value.capacity; ++index) {
    int64_t lane = index / strides[dim] % shape[dim];
    uint64_t previous = lane ? valueAt(execution, value, index - strides[dim]) : 0;
    if (!mayFollow(lane, valueAt(execution, value, index), previous, amounts[dim]))
      return false;
  }
  return true;
}

bool PromiseTest::holds(const Execution &execution) const {
  if (isFloat(value.kind))
    return true; // nothing is promised about floats that could be tested
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (amounts[dim] != 1 && !holdsAlong(execution, dim))
      return false;
  return true;
}

} // namespace nereid::interpret
