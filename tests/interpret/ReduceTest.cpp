// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelRun.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace nereid::interpret {

static std::vector<float> randomFloats(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> distribution(-1, 1);
  std::vector<float> values(count);
  for (float &value : values)
    value = distribution(random);
  return values;
}

static const char *addRegion = R"( {
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    tile.yield %z : f32
  })";

TEST(Reduce, SumsVectorsOfAnyLength) {
  for (int64_t length : {1, 2, 3, 7, 8, 1000}) {
    std::vector<float> in = randomFloats(length, length), out(1);
    KernelRun().array(in).array(out).run(
        "func.func @k(%pa: !tile.ptr<f32>, %po: !tile.ptr<f32>) {\n" +
        loadLine("a", "pa", length, "f32") + "%r = tile.reduce (%a) axis 0 : (" +
        tile(length, "f32") + ") -> f32" + addRegion +
        "\ntile.store %po, %r : !tile.ptr<f32>\nreturn\n}");
    double expected = 0, size = 0;
    for (float value : in) {
      expected += value;
      size += std::fabs(value);
    }
    EXPECT_NEAR(out[0], expected, static_cast<double>(length - 1) * 0x1p-24 * size) << length;
  }
}

/// Sums a 3x5x7 tile along one axis.
TEST(Reduce, SumsAlongEachAxis) {
  int64_t shape[] = {3, 5, 7};
  std::vector<float> in = randomFloats(105, 4);
  for (int axis = 0; axis < 3; ++axis) {
    int64_t width = 105 / shape[axis];
    std::string reduced = axis == 0 ? "5x7" : axis == 1 ? "3x7" : "3x5";
    std::vector<float> out(width);
    KernelRun().array(in).array(out).run(
        "func.func @k(%pa: !tile.ptr<f32>, %po: !tile.ptr<f32>) {\n" +
        loadLine("a", "pa", 105, "f32") +
        "%c = tile.reshape %a : tensor<105xf32> -> tensor<3x5x7xf32>\n%s = tile.reduce (%c) axis " +
        std::to_string(axis) + " : (tensor<3x5x7xf32>) -> tensor<" + reduced + "xf32>" + addRegion +
        "\n%r = tile.reshape %s : tensor<" + reduced + "xf32> -> " + tile(width, "f32") + "\n" +
        storeLine("r", "po", width, "f32") + "return\n}");
    std::vector<double> expected(width), size(width);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 5; ++j)
        for (int k = 0; k < 7; ++k) {
          int at = axis == 0 ? j * 7 + k : axis == 1 ? i * 7 + k : i * 5 + j;
          expected[at] += in[i * 35 + j * 7 + k];
          size[at] += std::fabs(in[i * 35 + j * 7 + k]);
        }
    for (int64_t i = 0; i < width; ++i)
      EXPECT_NEAR(out[i], expected[i], static_cast<double>(shape[axis] - 1) * 0x1p-24 * size[i])
          << axis;
  }
}

/// An arg-max over pairs, whose region uses a constant from outside; `body` makes %first (i1),
/// whether the first of two pairs wins.
static std::string argMaxKernel(const std::string &body) {
  return "func.func @k(%pa: !tile.ptr<f32>, %po: !tile.ptr<i32>) {\n%zero = arith.constant 0 : "
         "i32\n"
         "%yes = arith.constant true\n" +
         loadLine("a", "pa", 13, "f32") + R"(
    %i = tile.range 0 to 13 : tensor<13xi32>
    %v, %at = tile.reduce (%a, %i) axis 0 : (tensor<13xf32>, tensor<13xi32>) -> f32, i32 {
    ^bb0(%x: f32, %xi: i32, %y: f32, %yi: i32):
      %gt = arith.cmpf ogt, %x, %y : f32
      %eq = arith.cmpf oeq, %x, %y : f32
      %d = arith.subi %xi, %yi : i32
      %lt = arith.cmpi slt, %d, %zero : i32
)" + body +
         R"(
      %m = arith.select %first, %x, %y : f32
      %mi = arith.select %first, %xi, %yi : i32
      tile.yield %m, %mi : f32, i32
    }
    tile.store %po, %at : !tile.ptr<i32>
    return
  })";
}

TEST(Reduce, CarriesSeveralTilesAndOutsideValues) {
  std::vector<float> in{1, 5, 2, 9, 3, 9, 0, 9, 4, -1, 8, 2, 9};
  std::vector<int32_t> inLanes(1, -1), oneByOne(1, -1);
  KernelRun().array(in).array(inLanes).run(
      argMaxKernel("%t = arith.andi %eq, %lt : i1\n%first = arith.ori %gt, %t : i1"));
  KernelRun().array(in).array(oneByOne).run(argMaxKernel(
      "%first = scf.if %gt -> i1 {\nscf.yield %yes : i1\n} else {\n%t = arith.andi %eq, %lt : i1\n"
      "scf.yield %t : i1\n}"));
  EXPECT_EQ(inLanes[0], 3);
  EXPECT_EQ(oneByOne[0], 3);
}

TEST(Reduce, RepeatsInALoopWithOutsideValuesThatChange) {
  std::vector<int32_t> out(3);
  KernelRun().array(out).run(R"(
    func.func @k(%p: !tile.ptr<i32>) {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %three = arith.constant 3 : i32
      %a = tile.range 0 to 5 : tensor<5xi32>
      scf.for %i = %zero to %three step %one : i32 {
        %mask = arith.addi %i, %one : i32
        %r = tile.reduce (%a) axis 0 : (tensor<5xi32>) -> i32 {
        ^bb0(%x: i32, %y: i32):
          %z = arith.ori %x, %y : i32
          %w = arith.ori %z, %mask : i32
          tile.yield %w : i32
        }
        %q = tile.offset %p, %i : !tile.ptr<i32>, i32
        %m = arith.muli %mask, %three : i32
        %s = arith.muli %r, %m : i32
        tile.store %q, %s : !tile.ptr<i32>
      }
      return
    })");
  EXPECT_EQ(out, (std::vector<int32_t>{7 * 3, 7 * 6, 7 * 9}));
}

TEST(Reduce, WideTilesUseHalfPrecisionPerStep) {
  std::vector<uint16_t> in(8, Half::round(512)), out(1);
  KernelRun().array(in).array(out).run(
      "func.func @k(%pa: !tile.ptr<f16>, %po: !tile.ptr<f16>) {\n" + loadLine("a", "pa", 8, "f16") +
      R"(
    %r = tile.reduce (%a) axis 0 : (tensor<8xf16>) -> f16 {
    ^bb0(%x: f16, %y: f16):
      %z = arith.addf %x, %y : f16
      tile.yield %z : f16
    }
    tile.store %po, %r : !tile.ptr<f16>
    return
  })");
  EXPECT_EQ(out[0], Half::round(4096));
}

/// Multiplies a (3x5) by b (5x7) with elements of the given types, adding to an accumulator of
/// ones.
template <typename T, typename R>
static std::vector<R> dot(const std::string &from, const std::string &to, std::vector<T> a,
                          std::vector<T> b, R one) {
  std::vector<R> out(21, one);
  KernelRun().array(a).array(b).array(out).run(
      "func.func @k(%pa: !tile.ptr<" + from + ">, %pb: !tile.ptr<" + from + ">, %po: !tile.ptr<" +
      to + ">) {\n" + loadLine("a", "pa", 15, from) + loadLine("b", "pb", 35, from) +
      loadLine("c", "po", 21, to) + "%l = tile.reshape %a : tensor<15x" + from +
      "> -> tensor<3x5x" + from + ">\n%r0 = tile.reshape %b : tensor<35x" + from +
      "> -> tensor<5x7x" + from + ">\n%acc = tile.reshape %c : tensor<21x" + to +
      "> -> tensor<3x7x" + to + ">\n%d = tile.dot %l, %r0, %acc precision ieee : tensor<3x5x" +
      from + ">, tensor<5x7x" + from + "> -> tensor<3x7x" + to +
      ">\n%r = tile.reshape %d : tensor<3x7x" + to + "> -> tensor<21x" + to + ">\n" +
      storeLine("r", "po", 21, to) + "return\n}");
  return out;
}

TEST(Dot, SumsFloatsInDoubleAndRoundsOnce) {
  std::vector<float> a = randomFloats(15, 7), b = randomFloats(35, 8);
  std::vector<float> actual = dot<float, float>("f32", "f32", a, b, 1);
  for (int m = 0; m < 3; ++m)
    for (int n = 0; n < 7; ++n) {
      double expected = 0;
      for (int k = 0; k < 5; ++k)
        expected += double(a[m * 5 + k]) * b[k * 7 + n];
      EXPECT_EQ(actual[m * 7 + n], float(expected + 1));
    }
}

TEST(Dot, TakesHalvesIntoFloats) {
  std::vector<uint16_t> a(15, Half::round(300)), b(35, Half::round(300));
  EXPECT_EQ((dot<uint16_t, float>("f16", "f32", a, b, 1)), std::vector<float>(21, 5 * 90000 + 1));
  std::vector<uint16_t> c(15, BFloat::round(3)), d(35, BFloat::round(-1));
  EXPECT_EQ((dot<uint16_t, uint16_t>("bf16", "bf16", c, d, BFloat::round(1))),
            std::vector<uint16_t>(21, BFloat::round(-14)));
}

TEST(Dot, WrapsIntegersInTheAccumulator) {
  std::vector<int8_t> a(15, -128), b(35, 127);
  EXPECT_EQ((dot<int8_t, int32_t>("i8", "i32", a, b, 1)),
            std::vector<int32_t>(21, -128 * 127 * 5 + 1));
  EXPECT_EQ((dot<int8_t, int8_t>("i8", "i8", a, b, 1)),
            std::vector<int8_t>(21, int8_t(-128 * 127 * 5 + 1)));
}

TEST(Dot, MultipliesBatches) {
  std::vector<float> out(2);
  KernelRun().array(out).run(R"(
    func.func @k(%po: !tile.ptr<f32>) {
      %a = arith.constant dense<[[[1.0, 2.0]], [[3.0, 4.0]]]> : tensor<2x1x2xf32>
      %b = arith.constant dense<[[[10.0], [1.0]], [[5.0], [6.0]]]> : tensor<2x2x1xf32>
      %c = arith.constant dense<0.0> : tensor<2x1x1xf32>
      %d = tile.dot %a, %b, %c precision tf32
          : tensor<2x1x2xf32>, tensor<2x2x1xf32> -> tensor<2x1x1xf32>
      %r = tile.reshape %d : tensor<2x1x1xf32> -> tensor<2xf32>
)" + storeLine("r", "po", 2, "f32") +
                             "return\n}");
  EXPECT_EQ(out, (std::vector<float>{12, 39}));
}

TEST(Scan, GoesAlongAnAxisFromEitherEnd) {
  std::vector<int32_t> in{3, -1, 4, 1, -5, 9}; // 2x3
  auto scan = [&](const std::string &direction) {
    std::vector<int32_t> out(6);
    KernelRun().array(in).array(out).run(
        "func.func @k(%pa: !tile.ptr<i32>, %po: !tile.ptr<i32>) {\n" +
        loadLine("a", "pa", 6, "i32") +
        "%m = tile.reshape %a : tensor<6xi32> -> tensor<2x3xi32>\n%s = tile.scan (%m) axis " +
        direction + R"( : (tensor<2x3xi32>) -> tensor<2x3xi32> {
  ^bb0(%x: i32, %y: i32):
    %z = arith.subi %x, %y : i32
    tile.yield %z : i32
  }
  %r = tile.reshape %s : tensor<2x3xi32> -> tensor<6xi32>
)" + storeLine("r", "po", 6, "i32") +
        "return\n}");
    return out;
  };
  EXPECT_EQ(scan("0"), (std::vector<int32_t>{3, -1, 4, 2, 4, -5}));
  EXPECT_EQ(scan("0 reverse"), (std::vector<int32_t>{-2, -4, 5, 1, -5, 9}));
  EXPECT_EQ(scan("1"), (std::vector<int32_t>{3, 4, 0, 1, 6, -3}));
  EXPECT_EQ(scan("1 reverse"), (std::vector<int32_t>{2, 5, 4, 13, 14, 9}));
}

/// The lanes of a result whose address is one that a sum on the way wrapped to, of 5x7 numbers.
static std::set<int64_t> wrappedLanes(std::vector<int32_t> in, const std::string &combiner,
                                      int64_t count) {
  std::vector<int32_t> out(1);
  std::string lanes = tile(count, "i32"), pointers = tile(count, "!tile.ptr<i32>");
  KernelRun run;
  run.array(in).array(out).run(
      "func.func @k(%pa: !tile.ptr<i32>, %po: !tile.ptr<i32>) {\n" +
          loadLine("a", "pa", 35, "i32") +
          "%m = tile.reshape %a : tensor<35xi32> -> tensor<5x7xi32>\n%s = tile." + combiner + R"( {
  ^bb0(%x: i32, %y: i32):
    %z = arith.addi %x, %y : i32
    tile.yield %z : i32
  }
)" +
          (count == 35 ? "%r = tile.reshape %s : tensor<5x7xi32> -> tensor<35xi32>\n"
                       : "%zero = arith.constant dense<0> : " + lanes +
                             "\n%r = arith.addi %s, %zero : " + lanes + "\n") +
          "%p = tile.splat %po : !tile.ptr<i32> -> " + pointers + "\n%q = tile.offset %p, %r : " +
          pointers + ", " + lanes + "\ntile.store %q, %r : " + pointers + "\nreturn\n}",
      {}, {.followsDoubts = true});
  return run.doubtful;
}

TEST(Doubts, BeginWhereASumWrapsAndStayInItsRow) {
  std::mt19937 random(17);
  auto add = [](std::pair<int32_t, bool> a, std::pair<int32_t, bool> b) {
    int32_t sum = 0;
    bool wraps = __builtin_add_overflow(a.first, b.first, &sum);
    return std::pair(sum, wraps || a.second || b.second);
  };
  for (int round = 0; round < 20; ++round) {
    std::vector<int32_t> in(35);
    for (int32_t &x : in)
      x = int32_t(random()) / (round % 5 + 1);
    std::set<int64_t> reduced, scanned;
    for (int64_t column = 0; column < 7; ++column) {
      std::vector<std::pair<int32_t, bool>> rows;
      for (int64_t row = 0; row < 5; ++row)
        rows.emplace_back(in[row * 7 + column], false);
      auto last = rows[4];
      for (int64_t row = 3; row >= 0; --row)
        if ((last = add(last, rows[row])).second)
          scanned.insert(row * 7 + column);
      for (size_t left = 5; left > 1; left = (left + 1) / 2) // by halves
        for (size_t i = 0; i < left / 2; ++i)
          rows[i] = add(rows[i], rows[(left + 1) / 2 + i]);
      if (rows[0].second)
        reduced.insert(column);
    }
    EXPECT_EQ(wrappedLanes(in, "reduce (%m) axis 0 : (tensor<5x7xi32>) -> tensor<7xi32>", 7),
              reduced);
    EXPECT_EQ(
        wrappedLanes(in, "scan (%m) axis 0 reverse : (tensor<5x7xi32>) -> tensor<5x7xi32>", 35),
        scanned);
  }
}

TEST(Histogram, CountsWhatHasABin) {
  std::vector<int32_t> in{2, 0, -1, 2, 3, 2, 1 << 30, 1}, out(3, 9);
  KernelRun().array(in).array(out).run(
      "func.func @k(%pa: !tile.ptr<i32>, %po: !tile.ptr<i32>) {\n" + loadLine("a", "pa", 8, "i32") +
      "%i = tile.range 0 to 8 : tensor<8xi32>\n%zero = arith.constant dense<0> : tensor<8xi32>\n"
      "%m = arith.cmpi ne, %i, %zero : tensor<8xi32>\n"
      "%r = tile.histogram %a mask %m : tensor<8xi32> -> tensor<3xi32>\n" +
      storeLine("r", "po", 3, "i32") + "return\n}");
  EXPECT_EQ(out, (std::vector<int32_t>{1, 1, 2}));
}

} // namespace nereid::interpret
