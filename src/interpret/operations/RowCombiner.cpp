// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpret/operations/RowCombiner.h"

#include "dialect/tile/Tile.h"
#include "interpret/doubts/Doubts.h"
#include "interpret/operations/RowMajor.h"

#include <cstring>
#include <numeric>

using namespace mlir;

namespace nereid::interpret {

RowCombiner::RowCombiner(Planner &planner, ValueRange sources, unsigned axis)
    : shape(tile::shapeOf(sources[0].getType())), strides(rowMajorStrides(shape)) {
  auto moveAxis = [&](auto &extents) {
    std::rotate(extents.begin(), extents.begin() + axis, extents.begin() + axis + 1);
  };
  moveAxis(shape);
  moveAxis(strides);
  length = shape[0];
  width = std::accumulate(shape.begin() + 1, shape.end(), int64_t(1), std::multiplies<>());
  for (Value source : sources) {
    Slot from = planner.slotOf(source);
    tiles.push_back({from, planner.scratch(from.capacity, from.kind)});
  }
}

/// Whether the region computes each element from the elements at its place alone, so that many can
/// be evaluated together.
static bool isElementwise(Block &block) {
  return llvm::all_of(block.without_terminator(), [](Operation &op) {
    // A hint promises something of one value, and looks at no others.
    return tile::isElementwise(&op) && !tile::movesLanes(&op);
  });
}

/// Shadows are combined beside their elements, by the steps that instruments put there.
void RowCombiner::addShadows(Planner &planner, Operation &combiner,
                             llvm::SmallVectorImpl<Slot> &results) {
  Block &block = combiner.getRegion(0).front();
  size_t number = tiles.size();
  auto besideScalar = [&](Value value) {
    Slot shadow = planner.shadowOf(value);
    return shadow.data ? shadow : planner.scratch(2, ElementKind::Int8);
  };
  for (size_t i = 0; i < number; ++i) {
    int64_t count = tiles[i].source.capacity;
    Tile shadow{planner.emptyShadow(count), planner.scratch(count, ElementKind::Int8)};
    shadow.accumulated = besideScalar(block.getArgument(i));
    shadow.fresh = besideScalar(block.getArgument(number + i));
    tiles.push_back(shadow);
    Slot result = planner.shadowOf(combiner.getResult(i));
    results.push_back(result.data ? result
                                  : planner.scratch(results[i].capacity + 1, ElementKind::Int8));
    --results.back().capacity; // whether any lane is set is not combined
  }
}

/// Makes shadows of the region say whether any lane is set, and those that it leaves each lane.
void RowCombiner::settleShadows(Planner &planner, Block &block) {
  std::vector<Shadow> taken, left;
  size_t number = tiles.size() / 2;
  for (size_t i = 0; i < number; ++i) {
    Tile &shadow = tiles[number + i];
    Slot yielded = planner.shadowOf(block.getTerminator()->getOperand(i));
    shadow.yielded = yielded.data ? yielded : planner.emptyShadow(2);
    taken.insert(taken.end(), {Shadow(shadow.accumulated), Shadow(shadow.fresh)});
    left.push_back(Shadow(shadow.yielded));
  }
  steps.insert(steps.begin(), [taken](Execution &) {
    for (const Shadow &shadow : taken)
      shadow.settle();
  });
  steps.push_back([left](Execution &) {
    for (const Shadow &shadow : left)
      shadow.spellOut();
  });
}

void RowCombiner::planRegion(Planner &planner, Region &combine, int64_t most,
                             llvm::SmallVectorImpl<Slot> &results) {
  Block &block = combine.front();
  bool isWatched = planner.isWatchedInside(*combine.getParentOp());
  bool inLanes = isElementwise(block) && !isWatched;
  lanes.region = &combine;
  lanes.capacity = inLanes ? std::max<int64_t>(1, most) : 1;
  lanes.count = inLanes ? laneCount.get() : nullptr;
  size_t number = tiles.size();
  for (size_t i = 0; i < number; ++i) {
    auto argument = [&](size_t index) {
      if (isWatched)
        return planner.define(block.getArgument(index));
      Slot slot = planner.scratch(lanes.capacity, tiles[i].source.kind);
      slot.lanes = lanes.count;
      planner.alias(block.getArgument(index), slot);
      return slot;
    };
    tiles[i].accumulated = argument(i);
    tiles[i].fresh = argument(number + i);
  }
  if (isWatched)
    addShadows(planner, *combine.getParentOp(), results);
  steps = inLanes ? planner.planLanes(block, lanes) : planner.planBlock(block);
  for (size_t i = 0; i < number; ++i)
    tiles[i].yielded = planner.slotIn(lanes, block.getTerminator()->getOperand(i));
  if (isWatched)
    settleShadows(planner, block);
}

void RowCombiner::release(Planner &planner) {
  for (Tile &tile : tiles)
    for (Slot slot : {tile.rows, tile.accumulated, tile.fresh})
      planner.release(slot);
}

void RowCombiner::begin(Execution &execution) {
  for (Tile &tile : tiles)
    visitBits(tile.source.kind, [&](auto bits) {
      using T = decltype(bits);
      gather(tile.rows.as<T>(), tile.source.as<T>(), shape, strides);
    });
  runAll(lanes.prologue, execution);
}

void RowCombiner::combine(int64_t accumulatedAt, int64_t freshAt, int64_t to, int64_t count,
                          Execution &execution) {
  for (int64_t done = 0; done < count; done += *laneCount) {
    *laneCount = std::min(lanes.capacity, count - done);
    for (Tile &tile : tiles) {
      size_t size = tile.elementBytes();
      std::byte *rows = tile.rows.data;
      std::memcpy(tile.accumulated.data, rows + (accumulatedAt + done) * size, *laneCount * size);
      std::memcpy(tile.fresh.data, rows + (freshAt + done) * size, *laneCount * size);
    }
    runAll(steps, execution);
    for (Tile &tile : tiles) {
      size_t size = tile.elementBytes();
      std::memcpy(tile.rows.data + (to + done) * size, tile.yielded.data, *laneCount * size);
    }
  }
}

} // namespace nereid::interpret
