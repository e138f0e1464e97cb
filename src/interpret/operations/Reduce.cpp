// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions. Rows along the axis are combined by halves: the first half with the second, element
// by element, until one row is left. The order is free, and this one is fast and keeps float sums
// accurate.
#include "dialect/tile/Tile.h"
#include "interpret/operations/OperationTable.h"
#include "interpret/operations/RowCombiner.h"

#include <cstring>

using namespace mlir;

namespace nereid::interpret {

static void reduce(RowCombiner &rows, llvm::ArrayRef<Slot> results, Execution &execution) {
  if (rows.length == 0) { // nothing to combine; zero like every other value without a source
    for (Slot result : results)
      std::memset(result.data, 0, result.bytes());
    return;
  }
  rows.begin(execution);
  for (int64_t left = rows.length; left > 1;) {
    int64_t kept = (left + 1) / 2; // of an odd number, the middle row waits for the next round
    rows.combine(0, kept * rows.width, 0, (left - kept) * rows.width, execution);
    left = kept;
  }
  for (auto [tile, result] : llvm::zip(rows.tiles, results))
    std::memcpy(result.data, tile.rows.data, result.bytes());
}

static Step planReduce(Planner &planner, tile::ReduceOp op) {
  RowCombiner rows(planner, op.getSources(), op.getAxis());
  llvm::SmallVector<Slot> results;
  for (Value result : op.getResults())
    results.push_back(planner.define(result));
  rows.planRegion(planner, op.getCombine(), rows.length / 2 * rows.width, // the largest half
                  results);
  rows.release(planner);
  return [rows = std::move(rows), results](Execution &execution) mutable {
    reduce(rows, results, execution);
  };
}

void addReduceOperations(OperationTable &table) { table.add<tile::ReduceOp>(planReduce); }

} // namespace nereid::interpret
