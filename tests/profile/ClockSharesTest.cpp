// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/ClockRecords.h"

#include <gtest/gtest.h>

#include <bit>

namespace nereid::test {

using runtime::ClockLimits;
using runtime::ClockShares;

TEST(ClockSharesTest, OfSmallGridsEveryBlockNotes) {
  ClockShares shares = ClockShares::of(6, 4, {});
  EXPECT_EQ(shares.blocksPerRow, 1u);
  EXPECT_EQ(shares.blocksPerArea, 1u);
  EXPECT_EQ(shares.rows, 6u);
  EXPECT_EQ(shares.areas, 24u);
  EXPECT_EQ(shares.areaBytes, 4096u * 8); // as many records as a warp may have
}

TEST(ClockSharesTest, ABlockThatHasAnAreaHasARow) {
  for (uint64_t blocks :
       {1ull, 2ull, 131ull, 4096ull, 65536ull, 65537ull, 1'000'000ull, 4'000'000'000ull})
    for (unsigned warps : {1u, 4u, 12u, 32u}) {
      ClockShares shares = ClockShares::of(blocks, warps, {});
      EXPECT_EQ(shares.blocksPerArea % shares.blocksPerRow, 0u) << blocks << " blocks";
      EXPECT_EQ(shares.blocksPerRow % 2, 1u) << "a grid of even extents would show its even blocks";
      EXPECT_LE(shares.rows, ClockLimits().rows);
      EXPECT_GE(shares.rows * shares.blocksPerRow, blocks);
      EXPECT_GE(shares.areas / warps * shares.blocksPerArea, blocks);
      EXPECT_LE(shares.areas * (shares.areaBytes / 8), ClockLimits().records);
      EXPECT_TRUE(std::has_single_bit(shares.areaBytes));
    }
}

TEST(ClockSharesTest, NumbersTellWhoHasWhich) {
  for (uint64_t blocks : {1ull, 2ull, 1000ull, 65537ull, 300'000ull}) {
    ClockShares shares = ClockShares::of(blocks, 4, {.rows = 1000, .records = 1 << 14});
    auto [ofRows, rows, ofAreas, areas, bytes] = shares.numbers(4);
    EXPECT_EQ(bytes, shares.areaBytes);
    for (uint32_t block = 0; block < blocks; ++block) {
      uint32_t row = block * ofRows, area = block * ofAreas;
      ASSERT_EQ(row < rows, block % shares.blocksPerRow == 0) << block << " of " << blocks;
      ASSERT_EQ(area < areas, block % shares.blocksPerArea == 0) << block << " of " << blocks;
      if (row < rows)
        ASSERT_EQ(row, block / shares.blocksPerRow);
      if (area < areas)
        ASSERT_EQ(area, block / shares.blocksPerArea);
    }
  }
}

TEST(ClockSharesTest, FewBlocksAreOfTheGridsBeginning) {
  for (uint64_t blocks : {17ull, 100ull, 1024ull, 65537ull, 1'000'000ull}) {
    ClockShares shares = ClockShares::of(blocks, 4, {.blocks = 16});
    EXPECT_LE(shares.areas, 16u * 4) << blocks << " blocks";
    EXPECT_GE(shares.areas, 5u * 4) << blocks << " blocks";
    EXPECT_EQ(shares.blocksPerArea % shares.blocksPerRow, 0u);
    EXPECT_LE((shares.areas / 4 - 1) * shares.blocksPerArea, 3 * blocks / 4);
    EXPECT_GE(shares.rows * shares.blocksPerRow, blocks) << "all blocks say when they ran";
  }
}

TEST(ClockSharesTest, EvenTheLeastIsSomething) {
  ClockShares shares = ClockShares::of(1000, 8, {.rows = 0, .records = 0, .recordsOfWarp = 0});
  EXPECT_EQ(shares.rows, 1u);
  EXPECT_EQ(shares.areas, 8u);
  EXPECT_EQ(shares.areaBytes, 64u * 8);
}

} // namespace nereid::test
