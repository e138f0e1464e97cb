// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelRun.h"

#include <gtest/gtest.h>
#include <numeric>

namespace nereid::interpret {

using Words = std::vector<int32_t>;

/// Evaluates text that makes %r, a tile of `count` i32, from %a, the numbers from 0 to `inputs`
/// - 1.
static Words shaped(int64_t inputs, int64_t count, const std::string &text) {
  Words result(count, -1);
  KernelRun().array(result).run("func.func @k(%p: !tile.ptr<i32>) {\n%a = tile.range 0 to " +
                                std::to_string(inputs) + " : " + tile(inputs, "i32") + "\n" + text +
                                "\n" + storeLine("r", "p", count, "i32") + "return\n}");
  return result;
}

TEST(Shape, RangeMayStartAnywhere) {
  EXPECT_EQ(shaped(1, 5, "%r = tile.range 3 to 8 : tensor<5xi32>"), (Words{3, 4, 5, 6, 7}));
}

TEST(Shape, ReadsEveryKindOfConstant) {
  EXPECT_EQ(shaped(1, 3, "%r = arith.constant dense<[7, -1, 3]> : tensor<3xi32>"),
            (Words{7, -1, 3}));
  EXPECT_EQ(shaped(1, 3, "%r = arith.constant dense<-4> : tensor<3xi32>"), (Words{-4, -4, -4}));
  EXPECT_EQ(shaped(1, 3,
                   "%c = arith.constant dense<[true, false, true]> : tensor<3xi1>\n"
                   "%r = arith.extui %c : tensor<3xi1> to tensor<3xi32>"),
            (Words{1, 0, 1}));
  EXPECT_EQ(shaped(1, 2,
                   "%c = arith.constant dense<[1.5, -2.0]> : tensor<2xbf16>\n"
                   "%d = arith.extf %c : tensor<2xbf16> to tensor<2xf32>\n"
                   "%r = arith.fptosi %d : tensor<2xf32> to tensor<2xi32>"),
            (Words{1, -2}));
}

TEST(Shape, RepeatsRowsAndColumns) {
  EXPECT_EQ(shaped(3, 6,
                   "%c = tile.expand_dims %a axis 1 : tensor<3xi32> -> tensor<3x1xi32>\n"
                   "%m = tile.broadcast %c : tensor<3x1xi32> -> tensor<3x2xi32>\n"
                   "%r = tile.reshape %m : tensor<3x2xi32> -> tensor<6xi32>"),
            (Words{0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(shaped(3, 6,
                   "%c = tile.expand_dims %a axis 0 : tensor<3xi32> -> tensor<1x3xi32>\n"
                   "%m = tile.broadcast %c : tensor<1x3xi32> -> tensor<2x3xi32>\n"
                   "%r = tile.reshape %m : tensor<2x3xi32> -> tensor<6xi32>"),
            (Words{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(shaped(2, 12,
                   "%c = tile.reshape %a : tensor<2xi32> -> tensor<1x2x1xi32>\n"
                   "%m = tile.broadcast %c : tensor<1x2x1xi32> -> tensor<2x2x3xi32>\n"
                   "%r = tile.reshape %m : tensor<2x2x3xi32> -> tensor<12xi32>"),
            (Words{0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1}));
}

TEST(Shape, JoinsAndSplits) {
  const std::string joined = "%b = arith.addi %a, %a : tensor<6xi32>\n"
                             "%c = tile.reshape %a : tensor<6xi32> -> tensor<2x3xi32>\n"
                             "%d = tile.reshape %b : tensor<6xi32> -> tensor<2x3xi32>\n"
                             "%j = tile.join %c, %d : tensor<2x3xi32> -> tensor<2x3x2xi32>\n";
  EXPECT_EQ(shaped(6, 12, joined + "%r = tile.reshape %j : tensor<2x3x2xi32> -> tensor<12xi32>"),
            (Words{0, 0, 1, 2, 2, 4, 3, 6, 4, 8, 5, 10}));
  const std::string split = "%f, %s = tile.split %j : tensor<2x3x2xi32> -> tensor<2x3xi32>\n";
  EXPECT_EQ(
      shaped(6, 6, joined + split + "%r = tile.reshape %f : tensor<2x3xi32> -> tensor<6xi32>"),
      (Words{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(
      shaped(6, 6, joined + split + "%r = tile.reshape %s : tensor<2x3xi32> -> tensor<6xi32>"),
      (Words{0, 2, 4, 6, 8, 10}));
}

TEST(Shape, ConvertsBetweenScalarAndTileOfOne) {
  EXPECT_EQ(
      shaped(1, 1, "%c = arith.constant 9 : i32\n%r = tile.reshape %c : i32 -> tensor<1xi32>"),
      Words{9});
  EXPECT_EQ(shaped(1, 4,
                   "%c = arith.constant dense<6> : tensor<1x1xi32>\n"
                   "%s = tile.reshape %c : tensor<1x1xi32> -> i32\n"
                   "%r = tile.splat %s : i32 -> tensor<4xi32>"),
            (Words{6, 6, 6, 6}));
}

TEST(Shape, PermutesThreeDimensions) {
  Words actual = shaped(30, 30,
                        "%c = tile.reshape %a : tensor<30xi32> -> tensor<2x3x5xi32>\n"
                        "%m = tile.permute %c [2, 0, 1] : tensor<2x3x5xi32> -> tensor<5x2x3xi32>\n"
                        "%r = tile.reshape %m : tensor<5x2x3xi32> -> tensor<30xi32>");
  size_t at = 0;
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 2; ++j)
      for (int k = 0; k < 3; ++k)
        EXPECT_EQ(actual[at++], j * 15 + k * 5 + i);
}

TEST(Shape, ProgramsSeeTheirPlaceInTheGrid) {
  Words result(12, -1);
  KernelRun().array(result).run(R"(
    func.func @k(%p: !tile.ptr<i32>) {
      %x = tile.program_id 0
      %y = tile.program_id 1
      %z = tile.program_id 2
      %nx = tile.num_programs 0
      %ny = tile.num_programs 1
      %nz = tile.num_programs 2
      %a = arith.muli %z, %ny : i32
      %b = arith.addi %a, %y : i32
      %c = arith.muli %b, %nx : i32
      %i = arith.addi %c, %x : i32
      %q = tile.offset %p, %i : !tile.ptr<i32>, i32
      %hundred = arith.constant 100 : i32
      %h = arith.muli %nz, %hundred : i32
      %v = arith.addi %h, %i : i32
      tile.store %q, %v : !tile.ptr<i32>
      return
    })",
                                {3, 2, 2});
  Words expected(12);
  std::iota(expected.begin(), expected.end(), 200);
  EXPECT_EQ(result, expected);
}

TEST(Shape, GathersAlongAnAxis) {
  EXPECT_EQ(shaped(4, 6,
                   "%i = arith.constant dense<[3, 0, -1, 4, 2147483647, 2]> : tensor<6xi32>\n"
                   "%r = tile.gather %a at %i axis 0 : tensor<4xi32>, tensor<6xi32> -> "
                   "tensor<6xi32>"),
            (Words{3, 0, 0, 0, 0, 2}));
  EXPECT_EQ(shaped(6, 3,
                   "%m = tile.reshape %a : tensor<6xi32> -> tensor<2x3xi32>\n"
                   "%i = arith.constant dense<[[1, 0, 1]]> : tensor<1x3xi64>\n"
                   "%s = tile.gather %m at %i axis 0 : tensor<2x3xi32>, tensor<1x3xi64> -> "
                   "tensor<1x3xi32>\n"
                   "%r = tile.reshape %s : tensor<1x3xi32> -> tensor<3xi32>"),
            (Words{3, 1, 5}));
}

} // namespace nereid::interpret
