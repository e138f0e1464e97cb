// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What shape operations make of layouts, element by element, and the layouts of loads.
#include "layout/Blocked.h"
#include "layout/RandomLayout.h"

#include "support/Check.h"

#include <gtest/gtest.h>

#include <set>

namespace nereid::layout::test {
namespace {

/// Calls `check` with the element of each place in both layouts, by coordinates.
template <typename Check>
void forEachPlace(const LinearLayout &a, const LinearLayout &b, Check check) {
  ASSERT_EQ(a.inputs(), b.inputs());
  for (Vector place = 0; place < Vector(1) << a.inputBits(); ++place)
    check(unpack(a.outputs(), a(place)), unpack(b.outputs(), b(place)));
}

LinearLayout anyLayout(Random &random, const Shape &shape) {
  return randomDistributed(random, Mix::Sums, shape, below(random, 3), below(random, 3));
}

TEST(TileLayout, Transposed) {
  Random random(1);
  const LinearLayout layout = anyLayout(random, {4, 8, 16});
  const LinearLayout other = transposed(layout, {2, 0, 1});
  EXPECT_EQ(shapeOf(other), (Shape{16, 4, 8}));
  forEachPlace(layout, other, [](const Coordinates &a, const Coordinates &b) {
    ASSERT_EQ(b, (Coordinates{a[2], a[0], a[1]}));
  });
}

TEST(TileLayout, Reshaped) {
  Random random(2);
  const LinearLayout layout = anyLayout(random, {4, 32});
  forEachPlace(layout, reshaped(layout, {8, 2, 8}), [](const Coordinates &a, const Coordinates &b) {
    ASSERT_EQ(a[0] * 32 + a[1], b[0] * 16 + b[1] * 8 + b[2]);
  });
}

TEST(TileLayout, ExpandedAndBroadcast) {
  Random random(3);
  const LinearLayout layout = anyLayout(random, {4, 32});
  const LinearLayout column = expanded(layout, 1);
  forEachPlace(layout, column, [](const Coordinates &a, const Coordinates &b) {
    ASSERT_EQ(b, (Coordinates{a[0], 0, a[1]}));
  });
  const LinearLayout wide = broadcast(column, 1, 8);
  EXPECT_TRUE(wide.isSurjective());
  const uint64_t registers = uint64_t(1) << column.bases(Register).size();
  for (uint64_t lane = 0; lane < 32; ++lane)
    for (uint64_t r = 0; r < 8 * registers; ++r) {
      const Coordinates a = column(Coordinates{0, lane, r % registers});
      EXPECT_EQ(wide(Coordinates{0, lane, r}), (Coordinates{a[0], r / registers, a[2]}));
    }
  EXPECT_THROW(broadcast(layout, 1, 8), InternalError);
}

TEST(TileLayout, SlicedHoldsWhatAReductionLeaves) {
  Random random(4);
  for (int i = 0; i < 100; ++i) {
    const LinearLayout layout = anyLayout(random, {8, 4, 8});
    const DistinctRegisters result = sliced(layout, 1);
    const LinearLayout &slice = result.layout;
    EXPECT_EQ(shapeOf(slice), (Shape{8, 8}));
    // Each thread holds what it held of any element along the dimension, and each register differs.
    for (uint64_t warp = 0; warp < layout.inputs()[0].size(); ++warp)
      for (uint64_t lane = 0; lane < 32; ++lane) {
        std::set<Coordinates> before, after;
        for (uint64_t r = 0; r < layout.inputs()[2].size(); ++r) {
          const Coordinates element = layout(Coordinates{warp, lane, r});
          before.insert({element[0], element[2]});
          EXPECT_EQ(slice(Coordinates{warp, lane, result.indexOf[r]}),
                    (Coordinates{element[0], element[2]}));
        }
        for (uint64_t r = 0; r < slice.inputs()[2].size(); ++r)
          EXPECT_TRUE(after.insert(slice(Coordinates{warp, lane, r})).second);
        ASSERT_EQ(before, after);
      }
  }
}

TEST(TileLayout, JoinedIsSplitAgain) {
  Random random(5);
  const LinearLayout layout = anyLayout(random, {4, 32});
  const LinearLayout both = joined(layout);
  EXPECT_EQ(shapeOf(both), (Shape{4, 32, 2}));
  const auto halves = split(both);
  ASSERT_TRUE(halves);
  EXPECT_EQ(halves->half, layout);
  EXPECT_EQ(halves->registerBit, 0u); // neighbours lie in neighbouring registers
  // Halves in different lanes are not split in place.
  EXPECT_FALSE(split(blockedLayout({{32, 2}, 1, 1, {1, 0}})));
}

TEST(TileLayout, DistinctRegisters) {
  Random random(6);
  for (int i = 0; i < 100; ++i) {
    const LinearLayout layout =
        randomDistributed(random, i % 2 ? Mix::Sums : Mix::Units, {4, 16}, 1, 1 + below(random, 3));
    const DistinctRegisters distinct = distinctRegisters(layout);
    EXPECT_EQ(distinct.layout.image(Register).dimension(), distinct.layout.bases(Register).size());
    for (uint64_t lane = 0; lane < 32; ++lane) {
      for (uint64_t r = 0; r < distinct.kept.size(); ++r)
        ASSERT_EQ(distinct.layout(Coordinates{1, lane, r}),
                  layout(Coordinates{1, lane, distinct.kept[r]}));
      for (uint64_t r = 0; r < distinct.indexOf.size(); ++r)
        ASSERT_EQ(distinct.layout(Coordinates{1, lane, distinct.indexOf[r]}),
                  layout(Coordinates{1, lane, r}));
    }
  }
}

TEST(Blocked, GoesOverThreadsInOrder) {
  // Plain arithmetic: 4 elements, then lanes along columns and rows, then warps, then registers.
  const LinearLayout layout = blockedLayout({{64, 32}, 4, 4, {1, 0}});
  for (uint64_t warp = 0; warp < 4; ++warp)
    for (uint64_t lane = 0; lane < 32; ++lane)
      for (uint64_t r = 0; r < 16; ++r)
        EXPECT_EQ(layout(Coordinates{warp, lane, r}),
                  (Coordinates{r / 4 * 16 + warp * 4 + lane / 8, lane % 8 * 4 + r % 4}));
}

TEST(Blocked, RowsOfTheirOwnForWarps) {
  // Rows of 256 elements: in order, four warps share a row; with rows first, each has its own.
  const LinearLayout layout = blockedLayout({{4, 256}, 1, 4, {1, 0}, {0, 1}});
  for (uint64_t warp = 0; warp < 4; ++warp)
    for (uint64_t lane = 0; lane < 32; ++lane)
      for (uint64_t r = 0; r < 8; ++r)
        EXPECT_EQ(layout(Coordinates{warp, lane, r}), (Coordinates{warp, r * 32 + lane}));
}

TEST(Blocked, NeighboursAlongBothDimensions) {
  const LinearLayout rows = accessLayout({64, 64}, {1, 0}, 64, 2, 2);
  EXPECT_EQ(toString(rows), "{register: [[0, 1], [0, 2], [0, 4], [8, 0], [16, 0], [32, 0]], "
                            "lane: [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], "
                            "warp: [[4, 0]]} -> {dim0: 64, dim1: 64}");
  EXPECT_EQ(runOf(rows.bases(Register)), 3u);
  EXPECT_EQ(toString(withInThread(rows, 3, std::vector<Vector>{64, 128, 256})),
            "{register: [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], "
            "lane: [[0, 8], [0, 16], [0, 32], [8, 0], [16, 0]], "
            "warp: [[32, 0]]} -> {dim0: 64, dim1: 64}");
}

TEST(Blocked, SmallTilesAreHeldInCopies) {
  const LinearLayout layout = blockedLayout({{8}, 2, 2, {0}});
  for (uint64_t lane = 0; lane < 32; ++lane)
    for (uint64_t r = 0; r < 2; ++r)
      EXPECT_EQ(layout(Coordinates{1, lane, r}), (Coordinates{lane % 4 * 2 + r}));
  EXPECT_TRUE(blockedLayout({{}, 1, 2, {}}).isSurjective());
}

TEST(Blocked, MistakesOfOurs) {
  EXPECT_THROW(blockedLayout({{8, 8}, 1, 1, {0}}), InternalError);
  EXPECT_THROW(blockedLayout({{8, 8}, 1, 1, {0, 0}}), InternalError);
  EXPECT_THROW(blockedLayout({{8, 8}, 3, 1, {0, 1}}), InternalError);
  EXPECT_THROW(blockedLayout({{6}, 1, 1, {0}}), InternalError);
}

TEST(Blocked, OuterProductsAreAboutSquareInEachThread) {
  struct Expected {
    Shape shape;
    unsigned warps;
    uint64_t rows, columns; // of one thread
  };
  for (const auto &[shape, warps, rows, columns] :
       {Expected{{128, 128}, 8, 8, 8}, Expected{{128, 64}, 4, 8, 8}, Expected{{64, 256}, 8, 8, 8},
        Expected{{1024, 8}, 4, 16, 4}, Expected{{16, 16}, 8, 1, 1}, Expected{{2, 32, 32}, 4, 2, 4},
        Expected{{4, 512}, 2, 1, 32}}) {
    const LinearLayout layout = outerProductLayout(shape, warps);
    ASSERT_TRUE(layout.isSurjective());
    std::set<uint64_t> ownRows, ownColumns;
    for (uint64_t r = 0; r < uint64_t(1) << layout.bases(Register).size(); ++r) {
      const Coordinates at = unpack(layout.outputs(), layout(r));
      ownRows.insert(at[shape.size() - 2]);
      ownColumns.insert(at.back());
    }
    EXPECT_EQ(ownRows.size(), rows);
    EXPECT_EQ(ownColumns.size(), columns);
  }
}

TEST(Blocked, AccessesAreAsWideAsTheyCanBe) {
  const auto perThread = [](const Shape &shape, const Order &order, uint64_t contiguity,
                            unsigned elementBytes, unsigned warps) {
    const LinearLayout layout = accessLayout(shape, order, contiguity, elementBytes, warps);
    // Along order[0], how far the registers of one thread go without a gap.
    uint64_t count = 1;
    for (Vector basis : layout.bases(Register)) {
      if (unpack(layout.outputs(), basis)[order[0]] != count)
        break;
      count *= 2;
    }
    return count;
  };
  EXPECT_EQ(perThread({1024}, {0}, 1024, 4, 4), 4u);
  EXPECT_EQ(perThread({1024}, {0}, 1024, 2, 4), 8u);
  EXPECT_EQ(perThread({4096}, {0}, 4096, 1, 4), 16u);
  EXPECT_EQ(perThread({1024}, {0}, 1024, 8, 4), 2u);
  EXPECT_EQ(perThread({128, 128}, {1, 0}, 2, 4, 4), 2u); // no more is aligned
  EXPECT_EQ(perThread({128, 128}, {0, 1}, 128, 4, 4), 4u);
  EXPECT_EQ(perThread({128}, {0}, 128, 2, 4), 1u); // otherwise threads would be idle
  EXPECT_EQ(perThread({256}, {0}, 256, 2, 4), 2u);
}

} // namespace
} // namespace nereid::layout::test
