// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans, row after row, and histograms.
#include "dialect/tile/Tile.h"
#include "interpret/operations/OperationTable.h"
#include "interpret/operations/RowCombiner.h"
#include "interpret/operations/RowMajor.h"

#include <cstring>

using namespace mlir;

namespace nereid::interpret {

/// Distances between neighbours along each dimension of `shape` in an array that has the axis
/// first.
static llvm::SmallVector<int64_t> stridesInRows(const RowCombiner &rows, unsigned axis) {
  llvm::SmallVector<int64_t> strides = rowMajorStrides(rows.shape);
  std::rotate(strides.begin(), strides.begin() + 1, strides.begin() + axis + 1);
  return strides;
}

static void scan(RowCombiner &rows, bool isReverse, Execution &execution) {
  rows.begin(execution);
  auto start = [&](int64_t step) {
    return (isReverse ? rows.length - 1 - step : step) * rows.width;
  };
  for (int64_t step = 1; step < rows.length; ++step)
    rows.combine(start(step - 1), start(step), start(step), rows.width, execution);
}

static Step planScan(Planner &planner, tile::ScanOp op) {
  RowCombiner rows(planner, op.getSources(), op.getAxis());
  llvm::SmallVector<Slot> results;
  for (Value result : op.getResults())
    results.push_back(planner.define(result));
  rows.planRegion(planner, op.getCombine(), rows.width, results);
  rows.release(planner);
  llvm::SmallVector<int64_t> shape(tile::shapeOf(op.getResults()[0].getType()));
  llvm::SmallVector<int64_t> strides = stridesInRows(rows, op.getAxis());
  return [rows = std::move(rows), results, shape, strides,
          isReverse = op.getReverse()](Execution &execution) mutable {
    scan(rows, isReverse, execution);
    for (auto [tile, result] : llvm::zip(rows.tiles, results))
      visitBits(result.kind, [&](auto bits) {
        using T = decltype(bits);
        gather(result.as<T>(), tile.rows.as<T>(), shape, strides);
      });
  };
}

static Step planHistogram(Planner &planner, tile::HistogramOp op) {
  Slot source = planner.slotOf(op.getSource());
  Slot mask = op.getMask() ? planner.slotOf(op.getMask()) : Slot();
  Slot out = planner.define(op.getResult());
  return visitInteger(source.kind, [=](auto integer) -> Step {
    using T = typename decltype(integer)::Storage;
    return [=](Execution &) {
      std::memset(out.data, 0, out.bytes());
      for (int64_t i = 0; i < source.capacity; ++i) {
        int64_t value = integer.signExtend(source.as<T>()[i]);
        bool isCounted = !mask.data || mask.as<uint8_t>()[i];
        if (isCounted && value >= 0 && value < out.capacity)
          ++out.as<uint32_t>()[value];
      }
    };
  });
}

void addScanOperations(OperationTable &table) {
  table.add<tile::ScanOp>(planScan);
  table.add<tile::HistogramOp>(planHistogram);
}

} // namespace nereid::interpret
