// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles that are read along one dimension and written along the other, on the CPU against the
// interpreter: squares are turned in registers, block by block.
#include "support/TileProgram.h"

#include <gtest/gtest.h>

#include <random>

using namespace nereid;
using namespace nereid::test;

namespace {

std::string filledIn(std::string text, const std::string &key, const std::string &value) {
  for (size_t at; (at = text.find(key)) != std::string::npos;)
    text.replace(at, key.size(), value);
  return text;
}

struct RowsAndColumns {
  int rows, columns;
};

void expectTurned(std::string text, RowsAndColumns tile, const std::string &element,
                  std::vector<TestArgument> arguments, GridExtent grid) {
  text = filledIn(text, "$P", "!tile.ptr<" + element + ">");
  text = filledIn(filledIn(text, "$M", std::to_string(tile.rows)), "$E", element);
  text = filledIn(text, "$N", std::to_string(tile.columns));
  auto wanted = runTile(text, arguments, grid, Executor::Interpreter);
  auto got = runTile(text, arguments, grid, Executor::Cpu);
  for (size_t i = 0; i < wanted.size(); ++i)
    if (wanted[i].isArray)
      EXPECT_EQ(got[i].bytes, wanted[i].bytes)
          << element << " " << tile.rows << " x " << tile.columns << ", argument " << i;
}

TestArgument randomBytes(size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::vector<uint8_t> values(count);
  for (uint8_t &value : values)
    value = static_cast<uint8_t>(generator());
  return TestArgument::array(values);
}

// clang-format off: the kernels read better as written
/// Programs by rows and columns; what is computed of what was read is stored turned, up to limits.
const char *turned = R"(
func.func @turned(%x: $P, %y: $P, %out: $P, %rows: i32, %columns: i32) attributes {tile.kernel, tile.noalias} {
  %p = tile.program_id 0
  %q = tile.program_id 1
  %m = arith.constant $M : i32
  %n = arith.constant $N : i32
  %firstRow = arith.muli %p, %m : i32
  %firstColumn = arith.muli %q, %n : i32
  %i0 = tile.range 0 to $M : tensor<$Mxi32>
  %j0 = tile.range 0 to $N : tensor<$Nxi32>
  %i1 = tile.splat %firstRow : i32 -> tensor<$Mxi32>
  %j1 = tile.splat %firstColumn : i32 -> tensor<$Nxi32>
  %i2 = arith.addi %i0, %i1 : tensor<$Mxi32>
  %j2 = arith.addi %j0, %j1 : tensor<$Nxi32>
  %i3 = tile.expand_dims %i2 axis 1 : tensor<$Mxi32> -> tensor<$Mx1xi32>
  %j3 = tile.expand_dims %j2 axis 0 : tensor<$Nxi32> -> tensor<1x$Nxi32>
  %i = tile.broadcast %i3 : tensor<$Mx1xi32> -> tensor<$Mx$Nxi32>
  %j = tile.broadcast %j3 : tensor<1x$Nxi32> -> tensor<$Mx$Nxi32>
  %rowsAll = tile.splat %rows : i32 -> tensor<$Mx$Nxi32>
  %columnsAll = tile.splat %columns : i32 -> tensor<$Mx$Nxi32>
  %isRow = arith.cmpi slt, %i, %rowsAll : tensor<$Mx$Nxi32>
  %isColumn = arith.cmpi slt, %j, %columnsAll : tensor<$Mx$Nxi32>
  %mask = arith.andi %isRow, %isColumn : tensor<$Mx$Nxi1>
  %byRows0 = arith.muli %i, %columnsAll : tensor<$Mx$Nxi32>
  %byRows = arith.addi %byRows0, %j : tensor<$Mx$Nxi32>
  %byColumns0 = arith.muli %j, %rowsAll : tensor<$Mx$Nxi32>
  %byColumns = arith.addi %byColumns0, %i : tensor<$Mx$Nxi32>
  %x0 = tile.splat %x : $P -> tensor<$Mx$Nx$P>
  %y0 = tile.splat %y : $P -> tensor<$Mx$Nx$P>
  %out0 = tile.splat %out : $P -> tensor<$Mx$Nx$P>
  %xs = tile.offset %x0, %byRows : tensor<$Mx$Nx$P>, tensor<$Mx$Nxi32>
  %ys = tile.offset %y0, %byColumns : tensor<$Mx$Nx$P>, tensor<$Mx$Nxi32>
  %outs = tile.offset %out0, %byColumns : tensor<$Mx$Nx$P>, tensor<$Mx$Nxi32>
  %a = tile.load %xs mask %mask : tensor<$Mx$Nx$P>
  %b = tile.load %ys mask %mask : tensor<$Mx$Nx$P>
  %sum = arith.addi %a, %b : tensor<$Mx$Nx$E>
  tile.store %outs, %sum mask %mask : tensor<$Mx$Nx$P>
  return
})";

/// A tile that two stores take, one along its rows and one across them: it is stored in any case.
const char *twoWays = R"(
func.func @two_ways(%x: $P, %out: $P, %across: $P) attributes {tile.kernel, tile.noalias} {
  %i0 = tile.range 0 to $M : tensor<$Mxi32>
  %j0 = tile.range 0 to $N : tensor<$Nxi32>
  %i1 = tile.expand_dims %i0 axis 1 : tensor<$Mxi32> -> tensor<$Mx1xi32>
  %j1 = tile.expand_dims %j0 axis 0 : tensor<$Nxi32> -> tensor<1x$Nxi32>
  %i = tile.broadcast %i1 : tensor<$Mx1xi32> -> tensor<$Mx$Nxi32>
  %j = tile.broadcast %j1 : tensor<1x$Nxi32> -> tensor<$Mx$Nxi32>
  %m = arith.constant dense<$M> : tensor<$Mx$Nxi32>
  %n = arith.constant dense<$N> : tensor<$Mx$Nxi32>
  %r0 = arith.muli %i, %n : tensor<$Mx$Nxi32>
  %r = arith.addi %r0, %j : tensor<$Mx$Nxi32>
  %c0 = arith.muli %j, %m : tensor<$Mx$Nxi32>
  %c = arith.addi %c0, %i : tensor<$Mx$Nxi32>
  %x0 = tile.splat %x : $P -> tensor<$Mx$Nx$P>
  %out0 = tile.splat %out : $P -> tensor<$Mx$Nx$P>
  %across0 = tile.splat %across : $P -> tensor<$Mx$Nx$P>
  %xs = tile.offset %x0, %r : tensor<$Mx$Nx$P>, tensor<$Mx$Nxi32>
  %outs = tile.offset %out0, %r : tensor<$Mx$Nx$P>, tensor<$Mx$Nxi32>
  %acrosses = tile.offset %across0, %c : tensor<$Mx$Nx$P>, tensor<$Mx$Nxi32>
  %v0 = tile.load %xs : tensor<$Mx$Nx$P>
  %v = arith.muli %v0, %v0 : tensor<$Mx$Nx$E>
  tile.store %outs, %v : tensor<$Mx$Nx$P>
  tile.store %acrosses, %v : tensor<$Mx$Nx$P>
  return
})";

/// Where each element goes is a remainder of its row and a multiple of its column: a column of
/// pointers beside a row of offsets, as Inductor writes it.
const char *numbered = R"(
func.func @numbered(%x: $P, %out: $P) attributes {tile.kernel, tile.noalias} {
  %q = tile.program_id 0
  %m = arith.constant $M : i32
  %first = arith.muli %q, %m : i32
  %first1 = tile.splat %first : i32 -> tensor<$Mxi32>
  %i00 = tile.range 0 to $M : tensor<$Mxi32>
  %i0 = arith.addi %first1, %i00 : tensor<$Mxi32>
  %j0 = tile.range 0 to $N : tensor<$Nxi32>
  %i = tile.expand_dims %i0 axis 1 : tensor<$Mxi32> -> tensor<$Mx1xi32>
  %j = tile.expand_dims %j0 axis 0 : tensor<$Nxi32> -> tensor<1x$Nxi32>
  %inner = arith.constant dense<64> : tensor<$Mx1xi32>
  %outer = arith.constant dense<$N> : tensor<$Mx1xi32>
  %along = arith.constant dense<64> : tensor<1x$Nxi32>
  %low = arith.remsi %i, %inner : tensor<$Mx1xi32>
  %high0 = arith.divsi %i, %inner : tensor<$Mx1xi32>
  %high1 = arith.muli %high0, %inner : tensor<$Mx1xi32>
  %high = arith.muli %high1, %outer : tensor<$Mx1xi32>
  %steps = arith.muli %j, %along : tensor<1x$Nxi32>
  %rows = arith.muli %i, %outer : tensor<$Mx1xi32>
  %x0 = tile.splat %x : $P -> tensor<$Mx1x$P>
  %x1 = tile.offset %x0, %rows : tensor<$Mx1x$P>, tensor<$Mx1xi32>
  %x2 = tile.broadcast %x1 : tensor<$Mx1x$P> -> tensor<$Mx$Nx$P>
  %out0 = tile.splat %out : $P -> tensor<$Mx1x$P>
  %out1 = tile.offset %out0, %low : tensor<$Mx1x$P>, tensor<$Mx1xi32>
  %out2 = tile.offset %out1, %high : tensor<$Mx1x$P>, tensor<$Mx1xi32>
  %out3 = tile.broadcast %out2 : tensor<$Mx1x$P> -> tensor<$Mx$Nx$P>
  %j1 = tile.broadcast %j : tensor<1x$Nxi32> -> tensor<$Mx$Nxi32>
  %steps1 = tile.broadcast %steps : tensor<1x$Nxi32> -> tensor<$Mx$Nxi32>
  %xs = tile.offset %x2, %j1 : tensor<$Mx$Nx$P>, tensor<$Mx$Nxi32>
  %outs = tile.offset %out3, %steps1 : tensor<$Mx$Nx$P>, tensor<$Mx$Nxi32>
  %v = tile.load %xs : tensor<$Mx$Nx$P>
  tile.store %outs, %v : tensor<$Mx$Nx$P>
  return
})";
// clang-format on

const std::vector<std::pair<std::string, int>> elements = {
    {"i8", 1}, {"i16", 2}, {"i32", 4}, {"i64", 8}};

TEST(Turn, tiles_that_are_written_across_agree) {
  for (auto [element, size] : elements)
    for (RowsAndColumns tile : {RowsAndColumns{64, 64},
                                {32, 32},
                                {16, 64},
                                {64, 16},
                                {4, 8},
                                {8, 4},
                                {2, 32},
                                {128, 8},
                                {8, 256}})
      for (RowsAndColumns array : {RowsAndColumns{tile.rows, 2 * tile.columns}, {37, 71}}) {
        size_t count = static_cast<size_t>(array.rows) * array.columns * size;
        auto parts = [](int whole, int part) {
          return static_cast<uint32_t>((whole + part - 1) / part);
        };
        expectTurned(turned, tile, element,
                     {randomBytes(count, 1), randomBytes(count, 2), randomBytes(count, 3),
                      TestArgument::scalar(array.rows), TestArgument::scalar(array.columns)},
                     {parts(array.rows, tile.rows), parts(array.columns, tile.columns), 1});
      }
}

TEST(Turn, tiles_that_are_written_both_ways_agree) {
  for (auto [element, size] : elements)
    for (RowsAndColumns tile :
         {RowsAndColumns{64, 64}, {16, 16}, {4, 4}, {16, 128}, {128, 4}, {8, 2}}) {
      size_t count = static_cast<size_t>(tile.rows) * tile.columns * size;
      expectTurned(twoWays, tile, element,
                   {randomBytes(count, 1), randomBytes(count, 2), randomBytes(count, 3)},
                   {1, 1, 1});
    }
}

TEST(Turn, columns_of_pointers_that_quotients_number_agree) {
  for (auto [element, size] : elements)
    for (RowsAndColumns tile :
         {RowsAndColumns{64, 64}, {32, 32}, {16, 64}, {128, 16}, {256, 8}, {8, 32}}) {
      size_t count = static_cast<size_t>(256) * tile.columns * size;
      expectTurned(numbered, tile, element, {randomBytes(count, 1), randomBytes(count, 2)},
                   {static_cast<uint32_t>(256 / tile.rows), 1, 1});
    }
}

} // namespace
