// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fragments against formulas of the PTX ISA, written out once more from its figures: "groupID" and
// "threadID_in_group" are its words.
#include "layout/Fragment.h"

#include "support/Check.h"

#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <set>

namespace nereid::layout::test {
namespace {

using Bases = std::vector<Coordinates>;

LinearLayout fragment(Bases registers, Bases lanes, Bases warps, const Shape &shape) {
  return LinearLayout({{Register, registers}, {Lane, lanes}, {Warp, warps}}, tileSpaces(shape));
}

const Bases Lanes16 = {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}};
const Bases Lanes8 = {{0, 4}, {0, 8}, {1, 0}, {2, 0}, {4, 0}};
const Bases Lanes32 = {{0, 1}, {0, 2}, {1, 0}, {2, 0}, {4, 0}};

Bases swapped(Bases bases) {
  for (Coordinates &basis : bases)
    std::swap(basis[0], basis[1]);
  return bases;
}

TEST(Fragment, TablesOfMmaSync) {
  // As measured on the hardware.
  struct Row {
    unsigned bits, k;
    Bases a, aLanes, b;
  };
  const Row rows[] = {
      {16, 16, {{0, 1}, {8, 0}, {0, 8}}, Lanes16, {{1, 0}, {8, 0}}},
      {16, 8, {{0, 1}, {8, 0}}, Lanes16, {{1, 0}}},
      {32, 8, {{8, 0}, {0, 4}}, Lanes32, {{4, 0}}},
      {32, 4, {{8, 0}}, Lanes32, {}},
      {8, 32, {{0, 1}, {0, 2}, {8, 0}, {0, 16}}, Lanes8, {{1, 0}, {2, 0}, {16, 0}}},
      {8, 16, {{0, 1}, {0, 2}, {8, 0}}, Lanes8, {{1, 0}, {2, 0}}},
  };
  for (const Row &row : rows) {
    EXPECT_EQ(mmaFragment(Operand::A, row.bits, row.k),
              fragment(row.a, row.aLanes, {}, {16, row.k}));
    EXPECT_EQ(mmaFragment(Operand::B, row.bits, row.k),
              fragment(row.b, swapped(row.aLanes), {}, {row.k, 8}));
    EXPECT_EQ(mmaFragment(Operand::D, row.bits, row.k),
              fragment({{0, 1}, {8, 0}}, Lanes16, {}, {16, 8}));
  }
  EXPECT_THROW(mmaFragment(Operand::A, 16, 32), InternalError);
  EXPECT_THROW(mmaFragment(Operand::A, 64, 4), InternalError);
}

TEST(Fragment, FormulasOfMmaSync) {
  const LinearLayout a = mmaFragment(Operand::A, 16, 16), b = mmaFragment(Operand::B, 16, 16);
  const LinearLayout d = mmaFragment(Operand::D, 32, 16), bytes = mmaFragment(Operand::A, 8, 32);
  for (uint64_t lane = 0; lane < 32; ++lane) {
    const uint64_t groupID = lane >> 2, threadID_in_group = lane % 4;
    for (uint64_t i = 0; i < 8; ++i) {
      const uint64_t row = i < 2 || (i >= 4 && i < 6) ? groupID : groupID + 8;
      const uint64_t column = threadID_in_group * 2 + (i & 1) + (i >= 4 ? 8 : 0);
      EXPECT_EQ(a(Coordinates{0, lane, i}), (Coordinates{row, column}));
    }
    for (uint64_t i = 0; i < 4; ++i) {
      EXPECT_EQ(b(Coordinates{0, lane, i}),
                (Coordinates{threadID_in_group * 2 + (i & 1) + (i >= 2 ? 8 : 0), groupID}));
      EXPECT_EQ(d(Coordinates{0, lane, i}),
                (Coordinates{i < 2 ? groupID : groupID + 8, threadID_in_group * 2 + (i & 1)}));
    }
    for (uint64_t i = 0; i < 16; ++i) {
      const uint64_t row = i < 4 || (i >= 8 && i < 12) ? groupID : groupID + 8;
      const uint64_t column = threadID_in_group * 4 + (i & 3) + (i < 8 ? 0 : 16);
      EXPECT_EQ(bytes(Coordinates{0, lane, i}), (Coordinates{row, column}));
    }
  }
}

TEST(Fragment, TablesOfWgmma) {
  const Bases warps = {{16, 0}, {32, 0}};
  EXPECT_EQ(wgmmaAccumulator(8), fragment({{0, 1}, {8, 0}}, Lanes16, warps, {64, 8}));
  EXPECT_EQ(wgmmaAccumulator(64),
            fragment({{0, 1}, {8, 0}, {0, 8}, {0, 16}, {0, 32}}, Lanes16, warps, {64, 64}));
  EXPECT_EQ(wgmmaOperandA(16), fragment({{0, 1}, {8, 0}, {0, 8}}, Lanes16, warps, {64, 16}));
  EXPECT_EQ(wgmmaOperandA(8), fragment({{0, 1}, {0, 2}, {8, 0}, {0, 16}}, Lanes8, warps, {64, 32}));
  EXPECT_EQ(wgmmaOperandA(32), fragment({{8, 0}, {0, 4}}, Lanes32, warps, {64, 8}));
  EXPECT_THROW(wgmmaAccumulator(24), InternalError);
}

TEST(Fragment, TilesHoldEveryElementAsOftenAsWarpsNeedIt) {
  for (unsigned bits : {8u, 16u, 32u})
    for (unsigned m : {1u, 2u, 4u})
      for (unsigned n : {1u, 2u}) {
        const unsigned k = 256 / bits;
        const std::pair<LinearLayout, unsigned> layouts[] = {
            {mmaLayout(Operand::A, {128, 2 * k}, bits, k, {m, n}), n},
            {mmaLayout(Operand::B, {2 * k, 64}, bits, k, {m, n}), m},
            {mmaLayout(Operand::D, {128, 64}, bits, k, {m, n}), 1},
            // More warps than the tile has room for.
            {mmaLayout(Operand::D, {16, 8}, bits, k, {m, n}), m * n},
            {wgmmaAccumulatorLayout({256, 128}, 64, {m, n}), 1},
            {wgmmaOperandALayout({256, 64}, bits, {m, n}), n},
        };
        for (const auto &[layout, copies] : layouts) {
          std::map<Vector, unsigned> held;
          for (Vector place = 0; place < Vector(1) << layout.inputBits(); ++place)
            ++held[layout(place)];
          EXPECT_EQ(held.size(), size_t(1) << layout.outputBits()) << toString(layout);
          for (const auto &[element, count] : held)
            ASSERT_EQ(count, copies) << toString(layout);
        }
      }
}

TEST(Fragment, LanesRepeatRowsThatATileLacks) {
  for (unsigned rows : {1, 2, 4, 8}) {
    const LinearLayout a = mmaFragment(Operand::A, 16, 16, rows),
                       whole = mmaFragment(Operand::A, 16, 16);
    EXPECT_EQ(a.outputBits(), std::countr_zero(rows) + 4u);
    for (Vector lane = 0; lane < 32; ++lane)
      for (Vector word : {0, 1}) { // along k; whole fragments have a word of rows 8 to 15 between
        const Coordinates few = unpack(a.outputs(), a(lane << 2 | word << 1)),
                          all = unpack(whole.outputs(), whole(lane << 3 | word << 2));
        EXPECT_EQ(few, (Coordinates{all[0] % rows, all[1]}));
      }
    EXPECT_EQ(mmaFragment(Operand::D, 32, 8, rows).bases(Register).size(), 1u);
    const LinearLayout b = mmaFragment(Operand::B, 16, 16, 16, rows),
                       all = mmaFragment(Operand::B, 16, 16);
    for (Vector place = 0; place < 128; ++place) {
      const Coordinates whole = unpack(all.outputs(), all(place));
      EXPECT_EQ(unpack(b.outputs(), b(place)), (Coordinates{whole[0], whole[1] % rows}));
    }
    EXPECT_EQ(mmaFragment(Operand::D, 32, 8, 16, rows).bases(Register).size(), rows == 1 ? 1u : 2u);
  }
}

TEST(Fragment, WarpsShareABatchFirst) {
  const LinearLayout d = mmaLayout(Operand::D, {8, 32, 16}, 16, 16, {2, 1, 4}),
                     one = mmaLayout(Operand::D, {32, 16}, 16, 16, {2, 1});
  for (Vector warp = 0; warp < 8; ++warp)
    for (Vector lane : {0, 13, 31})
      for (Vector matrix : {0, 1}) {
        const Vector place = (warp << 5 | lane) << 4 | matrix << 3 | 5;
        const Coordinates at = unpack(d.outputs(), d(place)),
                          within = unpack(one.outputs(), one(((warp & 1) << 5 | lane) << 3 | 5));
        EXPECT_EQ(at, (Coordinates{matrix * 4 + (warp >> 1), within[0], within[1]}));
      }
}

TEST(Fragment, InstructionsAreFoundByDivision) {
  // What an emitter asks: the operand of a tile, less the operand of one instruction.
  const LinearLayout tile = mmaLayout(Operand::A, {64, 64}, 16, 16, {2, 2});
  const auto steps = tile.dividedBy(mmaFragment(Operand::A, 16, 16));
  ASSERT_TRUE(steps);
  EXPECT_EQ(*steps, fragment({{0, 1}, {0, 2}, {2, 0}}, {}, {{1, 0}, {0, 0}}, {4, 4}));
  EXPECT_FALSE(tile.dividedBy(mmaFragment(Operand::B, 16, 16)));
}

TEST(Fragment, WarpsThatShareAProductAgree) {
  // A warp that has D(m, n) has A(m, all k) and B(all k, n).
  const WarpGrid warps = {2, 4};
  const LinearLayout a = mmaLayout(Operand::A, {64, 32}, 16, 16, warps);
  const LinearLayout b = mmaLayout(Operand::B, {32, 128}, 16, 16, warps);
  const LinearLayout d = mmaLayout(Operand::D, {64, 128}, 16, 16, warps);
  const auto coordinates = [](const LinearLayout &layout, uint64_t warp, int dimension) {
    std::set<uint64_t> held;
    const uint64_t places = uint64_t(1) << (layout.inputBits() - layout.inputs()[0].bits);
    for (uint64_t place = 0; place < places; ++place)
      held.insert(unpack(layout.outputs(), layout(warp * places + place))[dimension]);
    return held;
  };
  for (uint64_t warp = 0; warp < 8; ++warp) {
    EXPECT_EQ(coordinates(a, warp, 0), coordinates(d, warp, 0));
    EXPECT_EQ(coordinates(b, warp, 1), coordinates(d, warp, 1));
    EXPECT_EQ(coordinates(a, warp, 1), coordinates(b, warp, 0));
  }
}

} // namespace
} // namespace nereid::layout::test
