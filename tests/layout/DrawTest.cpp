// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Drawings as a person found them right, and what holds for all.
#include "layout/Draw.h"
#include "layout/Blocked.h"
#include "layout/Fragment.h"
#include "layout/OperandImage.h"
#include "layout/RandomLayout.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>

namespace nereid::layout::test {
namespace {

void expectFitsPage(const std::string &text) {
  std::istringstream lines(text);
  size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    EXPECT_LE(line.size(), 100u) << line;
    EXPECT_TRUE(line.empty() || line.back() != ' ') << "'" << line << "'";
  }
  EXPECT_LE(count, 60u);
}

TEST(Draw, Accumulator) {
  EXPECT_EQ("\n" + drawTile(mmaFragment(Operand::D, 32, 16)), R"(
16 x 8: 4 registers, 32 lanes, 1 warp, each element held once
  register (0,1) (8,0)
  lane     (0,2) (0,4) (1,0) (2,0) (4,0)
  warp     -

        0-1     2-3     4-5     6-7
 0 |  l0 r0   l1 r0   l2 r0   l3 r0
 1 |  l4 r0   l5 r0   l6 r0   l7 r0
 2 |  l8 r0   l9 r0  l10 r0  l11 r0
 3 | l12 r0  l13 r0  l14 r0  l15 r0
 4 | l16 r0  l17 r0  l18 r0  l19 r0
 5 | l20 r0  l21 r0  l22 r0  l23 r0
 6 | l24 r0  l25 r0  l26 r0  l27 r0
 7 | l28 r0  l29 r0  l30 r0  l31 r0
 8 |  l0 r2   l1 r2   l2 r2   l3 r2
 9 |  l4 r2   l5 r2   l6 r2   l7 r2
10 |  l8 r2   l9 r2  l10 r2  l11 r2
11 | l12 r2  l13 r2  l14 r2  l15 r2
12 | l16 r2  l17 r2  l18 r2  l19 r2
13 | l20 r2  l21 r2  l22 r2  l23 r2
14 | l24 r2  l25 r2  l26 r2  l27 r2
15 | l28 r2  l29 r2  l30 r2  l31 r2
)");
}

TEST(Draw, VectorsAreBrokenIntoLines) {
  EXPECT_EQ("\n" + drawTile(accessLayout({1024}, {0}, 1024, 4, 4)), R"(
1024: 8 registers, 32 lanes, 4 warps, each element held once
  register (1) (2) (512)
  lane     (4) (8) (16) (32) (64)
  warp     (128) (256)

            0-3        4-7       8-11      12-15
  0 |  w0 l0 r0   w0 l1 r0   w0 l2 r0   w0 l3 r0
 16 |  w0 l4 r0   w0 l5 r0   w0 l6 r0   w0 l7 r0
 32 |  w0 l8 r0   w0 l9 r0  w0 l10 r0  w0 l11 r0
 48 | w0 l12 r0  w0 l13 r0  w0 l14 r0  w0 l15 r0
 64 | w0 l16 r0  w0 l17 r0  w0 l18 r0  w0 l19 r0
 80 | w0 l20 r0  w0 l21 r0  w0 l22 r0  w0 l23 r0
 96 | w0 l24 r0  w0 l25 r0  w0 l26 r0  w0 l27 r0
112 | w0 l28 r0  w0 l29 r0  w0 l30 r0  w0 l31 r0
128 |  w1 l0 r0   w1 l1 r0   w1 l2 r0   w1 l3 r0
  :
256 |  w2 l0 r0   w2 l1 r0   w2 l2 r0   w2 l3 r0
  :
512 |  w0 l0 r4   w0 l1 r4   w0 l2 r4   w0 l3 r4
)");
}

TEST(Draw, SharedMemory) {
  EXPECT_EQ("\n" + drawShared(operandImage({8, 64}, 1, 2, Swizzle::Bytes128).layout, 2), R"(
8 x 64 in 1024 bytes of shared memory
  offset (0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32)

byte     +0   +16   +32   +48   +64   +80   +96  +112
   0 |  0,0   0,8  0,16  0,24  0,32  0,40  0,48  0,56
 128 |  1,8   1,0  1,24  1,16  1,40  1,32  1,56  1,48
 256 | 2,16  2,24   2,0   2,8  2,48  2,56  2,32  2,40
 384 | 3,24  3,16   3,8   3,0  3,56  3,48  3,40  3,32
 512 | 4,32  4,40  4,48  4,56   4,0   4,8  4,16  4,24
 640 | 5,40  5,32  5,56  5,48   5,8   5,0  5,24  5,16
 768 | 6,48  6,56  6,32  6,40  6,16  6,24   6,0   6,8
 896 | 7,56  7,48  7,40  7,32  7,24  7,16   7,8   7,0
)");
}

TEST(Draw, AccessesAndConversions) {
  const LinearLayout rows = accessLayout({64, 64}, {1, 0}, 64, 2, 4);
  const auto global = [&](std::vector<int64_t> strides) {
    const GlobalTile tile{std::move(strides), 2, 8};
    const GlobalAccess access = globalAccess(rows, tile);
    return describe(access, countSectors(rows, tile, access), 2);
  };
  EXPECT_EQ(global({4096, 1}),
            "16 bytes a lane, 16 requests of 16 sectors, 100 % of their bytes used");
  EXPECT_EQ(global({1, 4096}),
            "2 bytes a lane, 128 requests of 8 sectors, 25 % of their bytes used");

  const auto conversion = [](const LinearLayout &source, const LinearLayout &target,
                             unsigned elementBytes) {
    return describe(planConversion(source, target, elementBytes, {true, {true, true}}),
                    elementBytes);
  };
  EXPECT_EQ(conversion(rows, rows, 2), "nothing to do");
  EXPECT_EQ(conversion(rows, mmaLayout(Operand::B, {64, 64}, 16, 16, {2, 2}), 2),
            R"(through 8192 bytes of shared memory
  write: 16 bytes a lane, 4 accesses of 4 wavefronts, no bank conflicts
  barrier of the block
  read:  4 matrices, transposed, 8 accesses of 4 wavefronts, no bank conflicts)");
  EXPECT_EQ(conversion(wgmmaAccumulator(32), wgmmaOperandALayout({64, 32}, 8, {1, 1}), 1),
            "4 shuffles of 4 bytes, 2 passes of selects");
  const LinearLayout plain =
      LinearLayout::identity({Offset, 12}, "dim0").reshapedOutputs(tileSpaces({64, 64}));
  EXPECT_EQ(describe(vectorAccess(blockedLayout({{64, 64}, 1, 4, {0, 1}}), plain, 4), 4),
            "4 bytes a lane, 32 accesses of 32 wavefronts, 32-way bank conflicts");
}

TEST(Draw, AnyLayoutFitsThePage) {
  Random random(1);
  for (int i = 0; i < 300; ++i) {
    Shape shape(below(random, 6), 1);
    if (!shape.empty())
      for (unsigned bits = below(random, 15); bits; --bits)
        shape[below(random, unsigned(shape.size()))] *= 2;
    expectFitsPage(drawTile(randomDistributed(random, i % 2 ? Mix::Units : Mix::Sums, shape,
                                              below(random, 4), below(random, 3))));
    const Spaces spaces = tileSpaces(shape);
    expectFitsPage(drawShared(randomInvertible(random, {{Offset, totalBits(spaces)}}, spaces),
                              1u << below(random, 4)));
    if (HasFailure())
      return;
  }
}

/// docs/layouts.md shows what this code draws. NEREID_TEST_PRINT=1 prints it.
TEST(Draw, PageShowsTheseDrawings) {
  std::ifstream file(NEREID_LAYOUTS_PAGE);
  const std::string page((std::istreambuf_iterator<char>(file)), {});
  ASSERT_FALSE(page.empty());
  const LinearLayout rows = accessLayout({64, 64}, {1, 0}, 64, 2, 4);
  const LinearLayout accumulator = mmaFragment(Operand::D, 32, 16);
  const auto global = [&](std::vector<int64_t> strides) {
    const GlobalTile tile{std::move(strides), 2, 8};
    const GlobalAccess access = globalAccess(rows, tile);
    return describe(access, countSectors(rows, tile, access), 2);
  };
  const Conversion conversion = planConversion(
      rows, mmaLayout(Operand::B, {64, 64}, 16, 16, {2, 2}), 2, {true, {true, false}});
  // An indented block there.
  std::string plan = describe(conversion, 2);
  for (size_t end = plan.find('\n'); end != std::string::npos; end = plan.find('\n', end + 1))
    plan.insert(end + 1, "    ");
  for (const std::string &drawing :
       {drawTile(accumulator), drawTile(rows), global({64, 1}), global({1, 64}),
        drawTile(sliced(rows, 1).layout), toString(accumulator), plan,
        drawShared(std::get<SharedPlan>(conversion.plan).path.layout, 2)}) {
    EXPECT_NE(page.find(drawing), std::string::npos) << drawing;
    if (std::getenv("NEREID_TEST_PRINT"))
      std::cout << drawing << "----\n";
  }
}

} // namespace
} // namespace nereid::layout::test
