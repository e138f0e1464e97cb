// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions. Rows along the axis are combined by halves: the first half with the second, element
// by element, until one row is left. The order is free, and this one is fast and keeps float sums
// accurate.
#include "dialect/tile/Tile.h"
#include "interpret/OperationTable.h"
#include "interpret/RowMajor.h"

#include <cstring>
#include <numeric>

using namespace mlir;

namespace nereid::interpret {

/// One reduced tile: its rows, brought to the front, and where the region takes and leaves
/// elements.
struct ReducedTile {
  Slot source, rows, accumulated, fresh, yielded, result;
  size_t elementBytes() const { return bytesOf(source.kind); }
};

struct Reduction {
  int64_t length = 0, width = 0;             // of the axis; of a row, all other elements
  llvm::SmallVector<int64_t> shape, strides; // to gather a source with the axis first
  std::vector<ReducedTile> tiles;
  Lanes lanes;
  std::unique_ptr<int64_t> laneCount = std::make_unique<int64_t>(0);
  Steps steps;

  void bringAxisToFront();
  void combine(int64_t accumulatedAt, int64_t freshAt, int64_t count, Execution &execution);
  void run(Execution &execution);
};

void Reduction::bringAxisToFront() {
  for (ReducedTile &tile : tiles)
    visitBits(tile.source.kind, [&](auto bits) {
      using T = decltype(bits);
      gather(tile.rows.as<T>(), tile.source.as<T>(), shape, strides);
    });
}

/// rows[accumulatedAt...] = combine(rows[accumulatedAt...], rows[freshAt...]), as many lanes at a
/// time as the region was planned for.
void Reduction::combine(int64_t accumulatedAt, int64_t freshAt, int64_t count,
                        Execution &execution) {
  for (int64_t done = 0; done < count; done += *laneCount) {
    *laneCount = std::min(lanes.capacity, count - done);
    for (ReducedTile &tile : tiles) {
      size_t size = tile.elementBytes();
      std::byte *rows = tile.rows.data;
      std::memcpy(tile.accumulated.data, rows + (accumulatedAt + done) * size, *laneCount * size);
      std::memcpy(tile.fresh.data, rows + (freshAt + done) * size, *laneCount * size);
    }
    runAll(steps, execution);
    for (ReducedTile &tile : tiles) {
      size_t size = tile.elementBytes();
      std::memcpy(tile.rows.data + (accumulatedAt + done) * size, tile.yielded.data,
                  *laneCount * size);
    }
  }
}

void Reduction::run(Execution &execution) {
  if (length == 0) { // nothing to combine; zero like every other value without a source
    for (ReducedTile &tile : tiles)
      std::memset(tile.result.data, 0, tile.result.bytes());
    return;
  }
  bringAxisToFront();
  runAll(lanes.prologue, execution);
  for (int64_t left = length; left > 1;) {
    int64_t kept = (left + 1) / 2; // of an odd number, the middle row waits for the next round
    combine(0, kept * width, (left - kept) * width, execution);
    left = kept;
  }
  for (ReducedTile &tile : tiles)
    std::memcpy(tile.result.data, tile.rows.data, tile.result.bytes());
}

/// Whether the region computes each element from the elements at its place alone, so that many can
/// be evaluated together.
static bool isElementwise(Block &block) {
  return llvm::all_of(block.without_terminator(), [](Operation &op) {
    // A hint promises something of one value, and looks at no others.
    return tile::isElementwise(&op) && !tile::movesLanes(&op);
  });
}

static Reduction shapeOfReduction(tile::ReduceOp op) {
  Reduction reduction;
  reduction.shape.assign(tile::shapeOf(op.getSources()[0].getType()));
  reduction.strides = rowMajorStrides(reduction.shape);
  auto moveAxis = [&](auto &extents) {
    std::rotate(extents.begin(), extents.begin() + op.getAxis(),
                extents.begin() + op.getAxis() + 1);
  };
  moveAxis(reduction.shape);
  moveAxis(reduction.strides);
  reduction.length = reduction.shape[0];
  reduction.width = std::accumulate(reduction.shape.begin() + 1, reduction.shape.end(), int64_t(1),
                                    std::multiplies<>());
  return reduction;
}

/// Plans the region; places for its arguments are as wide as the largest half.
static void planRegion(Planner &planner, tile::ReduceOp op, Reduction &reduction) {
  Block &block = op.getCombine().front();
  bool inLanes = isElementwise(block);
  int64_t largestHalf = reduction.length / 2 * reduction.width;
  reduction.lanes.region = &op.getCombine();
  reduction.lanes.capacity = inLanes ? std::max<int64_t>(1, largestHalf) : 1;
  reduction.lanes.count = inLanes ? reduction.laneCount.get() : nullptr;
  size_t number = reduction.tiles.size();
  for (size_t i = 0; i < number; ++i) {
    auto argument = [&](size_t index) {
      Slot slot = planner.scratch(reduction.lanes.capacity, reduction.tiles[i].source.kind);
      slot.lanes = reduction.lanes.count;
      planner.alias(block.getArgument(index), slot);
      return slot;
    };
    reduction.tiles[i].accumulated = argument(i);
    reduction.tiles[i].fresh = argument(number + i);
  }
  reduction.steps = inLanes ? planner.planLanes(block, reduction.lanes) : planner.planBlock(block);
  for (size_t i = 0; i < number; ++i)
    reduction.tiles[i].yielded =
        planner.slotIn(reduction.lanes, block.getTerminator()->getOperand(i));
}

static Step planReduce(Planner &planner, tile::ReduceOp op) {
  Reduction reduction = shapeOfReduction(op);
  for (auto [source, result] : llvm::zip(op.getSources(), op.getResults())) {
    Slot from = planner.slotOf(source);
    reduction.tiles.push_back(
        {from, planner.scratch(from.capacity, from.kind), {}, {}, {}, planner.define(result)});
  }
  planRegion(planner, op, reduction);
  for (ReducedTile &tile : reduction.tiles)
    for (Slot slot : {tile.rows, tile.accumulated, tile.fresh})
      planner.release(slot);
  return [reduction = std::move(reduction)](Execution &execution) mutable {
    reduction.run(execution);
  };
}

void addReduceOperations(OperationTable &table) { table.add<tile::ReduceOp>(planReduce); }

} // namespace nereid::interpret
