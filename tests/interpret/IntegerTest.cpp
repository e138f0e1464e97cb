// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelRun.h"

#include <climits>
#include <gtest/gtest.h>
#include <random>

namespace nereid::interpret {

using Bytes = std::vector<int8_t>;
using Words = std::vector<int32_t>;

static Bytes bytes(const std::string &op, Bytes a, Bytes b) {
  return evaluate<int8_t>("%r = " + op + " %a, %b : $T", "i8", Operand<int8_t>{"i8", a},
                          Operand<int8_t>{"i8", b});
}

static Words words(const std::string &op, Words a, Words b) {
  return evaluate<int32_t>("%r = " + op + " %a, %b : $T", "i32", Operand<int32_t>{"i32", a},
                           Operand<int32_t>{"i32", b});
}

TEST(Integer, WrapsAtItsWidth) {
  EXPECT_EQ(bytes("arith.addi", {127, -128, 100}, {1, -1, 100}), (Bytes{-128, 127, -56}));
  EXPECT_EQ(bytes("arith.subi", {-128, 0}, {1, -128}), (Bytes{127, -128}));
  EXPECT_EQ(bytes("arith.muli", {16, -128, 7}, {16, -1, 11}), (Bytes{0, -128, 77}));
  EXPECT_EQ(words("arith.addi", {INT_MAX}, {1}), Words{INT_MIN});
  auto shorts =
      evaluate<uint16_t>("%r = arith.muli %a, %b : $T", "i16", Operand<uint16_t>{"i16", {65535}},
                         Operand<uint16_t>{"i16", {65535}});
  EXPECT_EQ(shorts, std::vector<uint16_t>{1});
  auto longs =
      evaluate<int64_t>("%r = arith.addi %a, %b : $T", "i64", Operand<int64_t>{"i64", {INT64_MAX}},
                        Operand<int64_t>{"i64", {2}});
  EXPECT_EQ(longs, std::vector<int64_t>{INT64_MIN + 1});
}

TEST(Integer, DividesTowardsZeroAndByZeroToZero) {
  EXPECT_EQ(bytes("arith.divsi", {-7, 7, -128, 5, 0}, {2, -2, -1, 0, 0}),
            (Bytes{-3, -3, -128, 0, 0}));
  EXPECT_EQ(bytes("arith.remsi", {-7, 7, -128, 5, 0}, {2, -2, -1, 0, 0}), (Bytes{-1, 1, 0, 0, 0}));
  EXPECT_EQ(bytes("arith.divui", {-7, 7, 5}, {2, -2, 0}), (Bytes{124, 0, 0}));
  EXPECT_EQ(bytes("arith.remui", {-7, 7, 5}, {2, -2, 0}), (Bytes{1, 7, 0}));
  EXPECT_EQ(words("arith.divsi", {INT_MIN}, {-1}), Words{INT_MIN});
  auto longs = evaluate<int64_t>("%r = arith.divsi %a, %b : $T", "i64",
                                 Operand<int64_t>{"i64", {INT64_MIN, INT64_MIN}},
                                 Operand<int64_t>{"i64", {-1, 0}});
  EXPECT_EQ(longs, (std::vector<int64_t>{INT64_MIN, 0}));
}

TEST(Integer, ShiftsByMoreThanTheWidth) {
  EXPECT_EQ(bytes("arith.shli", {1, 1, 1, -1}, {7, 8, -1, 4}), (Bytes{-128, 0, 0, -16}));
  EXPECT_EQ(bytes("arith.shrui", {-128, -128, 64}, {7, 8, -1}), (Bytes{1, 0, 0}));
  EXPECT_EQ(bytes("arith.shrsi", {-128, -128, 64, -3}, {7, 8, 100, -1}), (Bytes{-1, -1, 0, -1}));
  EXPECT_EQ(words("arith.shrsi", {-8, INT_MIN, 8}, {1, 32, 64}), (Words{-4, -1, 0}));
  EXPECT_EQ(words("arith.shli", {3, 3}, {31, 32}), (Words{INT_MIN, 0}));
}

TEST(Integer, CombinesBits) {
  EXPECT_EQ(bytes("arith.andi", {12, -1}, {10, 5}), (Bytes{8, 5}));
  EXPECT_EQ(bytes("arith.ori", {12, -128}, {10, 5}), (Bytes{14, -123}));
  EXPECT_EQ(bytes("arith.xori", {12, -1}, {10, 5}), (Bytes{6, -6}));
}

TEST(Integer, ComparesWithAndWithoutSign) {
  EXPECT_EQ(bytes("arith.maxsi", {-1, 3}, {1, 2}), (Bytes{1, 3}));
  EXPECT_EQ(bytes("arith.maxui", {-1, 3}, {1, 2}), (Bytes{-1, 3}));
  EXPECT_EQ(bytes("arith.minsi", {-1, 3}, {1, 2}), (Bytes{-1, 2}));
  EXPECT_EQ(bytes("arith.minui", {-1, 3}, {1, 2}), (Bytes{1, 2}));
  const std::vector<std::pair<std::string, std::vector<uint8_t>>> predicates = {
      {"eq", {0, 1, 0}},  {"ne", {1, 0, 1}},  {"slt", {1, 0, 0}}, {"sle", {1, 1, 0}},
      {"sgt", {0, 0, 1}}, {"sge", {0, 1, 1}}, {"ult", {0, 0, 0}}, {"ule", {0, 1, 0}},
      {"ugt", {1, 0, 1}}, {"uge", {1, 1, 1}}};
  for (auto &[predicate, expected] : predicates)
    EXPECT_EQ(evaluate<uint8_t>("%r = arith.cmpi " + predicate + ", %a, %b : $T", "i1",
                                Operand<int32_t>{"i32", {-1, 4, 5}},
                                Operand<int32_t>{"i32", {1, 4, 2}}),
              expected)
        << predicate;
}

TEST(Integer, TreatsBooleansAsOneBit) {
  using Bools = std::vector<uint8_t>;
  auto bools = [](const std::string &op) {
    return evaluate<uint8_t>("%r = " + op + " %a, %b : $T", "i1",
                             Operand<uint8_t>{"i1", {0, 0, 1, 1}},
                             Operand<uint8_t>{"i1", {0, 1, 0, 1}});
  };
  EXPECT_EQ(bools("arith.addi"), (Bools{0, 1, 1, 0}));
  EXPECT_EQ(bools("arith.muli"), (Bools{0, 0, 0, 1}));
  EXPECT_EQ(bools("arith.maxsi"), (Bools{0, 0, 0, 1})); // true is -1
  EXPECT_EQ(bools("arith.maxui"), (Bools{0, 1, 1, 1}));
  EXPECT_EQ(bools("arith.xori"), (Bools{0, 1, 1, 0}));
  EXPECT_EQ(bools("arith.cmpi slt,"), (Bools{0, 0, 1, 0}));
}

TEST(Integer, KeepsTheUpperHalfOfAProduct) {
  std::mt19937_64 random(3);
  std::vector<uint64_t> a{~0ull, 1ull << 63, 0}, b{~0ull, 1ull << 63, 5};
  for (int i = 0; i < 4; ++i)
    a.push_back(random()), b.push_back(random());
  auto high = evaluate<uint64_t>("%low, %r = arith.mului_extended %a, %b : $T", "i64",
                                 Operand<uint64_t>{"i64", a}, Operand<uint64_t>{"i64", b});
  for (size_t i = 0; i < a.size(); ++i)
    EXPECT_EQ(high[i], uint64_t((unsigned __int128)a[i] * b[i] >> 64));
  auto small = evaluate<int8_t>("%low, %r = arith.mului_extended %a, %b : $T", "i8",
                                Operand<int8_t>{"i8", {-1, 16}}, Operand<int8_t>{"i8", {-1, 17}});
  EXPECT_EQ(small, (Bytes{-2, 1}));
}

TEST(Integer, TakesTheAbsoluteValue) {
  EXPECT_EQ(evaluate<int8_t>("%r = math.absi %a : $T", "i8", Operand<int8_t>{"i8", {-5, 5, -128}}),
            (Bytes{5, 5, -128}));
}

TEST(Integer, CountsBits) {
  Operand<int8_t> x{"i8", {0, 1, -1, 20}};
  EXPECT_EQ(evaluate<int8_t>("%r = math.ctlz %a : $T", "i8", x), (Bytes{8, 7, 0, 3}));
  EXPECT_EQ(evaluate<int8_t>("%r = math.ctpop %a : $T", "i8", x), (Bytes{0, 1, 8, 2}));
}

TEST(Integer, SelectsByTileAndByScalar) {
  auto byTile = evaluate<int32_t>(
      "%c = arith.cmpi sgt, %a, %b : $T\n%r = arith.select %c, %a, %b : "
      "tensor<3xi1>, $T",
      "i32", Operand<int32_t>{"i32", {1, 5, 3}}, Operand<int32_t>{"i32", {2, 4, 3}});
  EXPECT_EQ(byTile, (Words{2, 5, 3}));
  auto byScalar =
      evaluate<int32_t>("%c = arith.constant false\n%r = arith.select %c, %a, %b : $T", "i32",
                        Operand<int32_t>{"i32", {1, 5, 3}}, Operand<int32_t>{"i32", {2, 4, 3}});
  EXPECT_EQ(byScalar, (Words{2, 4, 3}));
}

} // namespace nereid::interpret
