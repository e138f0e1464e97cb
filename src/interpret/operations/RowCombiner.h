// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What reductions and scans share: rows of tiles, combined by the region of the operation. A row is
// all elements that have one index along the axis.
#pragma once

#include "interpret/Planner.h"

namespace nereid::interpret {

struct RowCombiner {
  /// One tile: its rows, brought to the front, and where the region takes and leaves elements.
  struct Tile {
    Slot source, rows, accumulated = {}, fresh = {}, yielded = {};
    size_t elementBytes() const { return bytesOf(source.kind); }
  };

  int64_t length = 0, width = 0;             // rows, and elements of one
  llvm::SmallVector<int64_t> shape, strides; // to gather a source with the axis first
  std::vector<Tile> tiles;
  Lanes lanes;
  std::unique_ptr<int64_t> laneCount = std::make_unique<int64_t>(0);
  Steps steps;

  RowCombiner(Planner &planner, mlir::ValueRange sources, unsigned axis);
  /// Plans the region, for up to `most` elements at a time. Where an instrument watches, the tiles
  /// are followed by their shadows, and `results` by the places for those.
  void planRegion(Planner &planner, mlir::Region &combine, int64_t most,
                  llvm::SmallVectorImpl<Slot> &results);
  void release(Planner &planner);

  /// Fills the rows from the sources.
  void begin(Execution &execution);
  /// rows[to...] = combine(rows[accumulatedAt...], rows[freshAt...]), counted in elements.
  void combine(int64_t accumulatedAt, int64_t freshAt, int64_t to, int64_t count,
               Execution &execution);

private:
  void addShadows(Planner &planner, mlir::Operation &combiner,
                  llvm::SmallVectorImpl<Slot> &results);
  void settleShadows(Planner &planner, mlir::Block &block);
};

} // namespace nereid::interpret
