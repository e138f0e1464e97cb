// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "dialect/tile/Tile.h"
#include "interpret/Planner.h"

namespace nereid::interpret {

/// Tests what a hint promises of its value.
class PromiseTest {
public:
  PromiseTest(Planner &planner, tile::HintOp op);
  bool holds(const Execution &execution) const;

private:
  bool holdsAlong(const Execution &execution, size_t dim) const;
  bool mayFollow(int64_t lane, uint64_t value, uint64_t previous, int64_t amount) const;

  tile::HintKind kind;
  Slot value;
  llvm::SmallVector<int64_t> shape, strides, amounts;
  uint64_t step = 1; // between consecutive values: one, or the size of what a pointer points at
};

} // namespace nereid::interpret
