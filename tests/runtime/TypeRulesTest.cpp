// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules of Triton's language about types that are easy to get wrong, a test for each, on every
// executor. What is wanted stands in the rules, not in our code.
#include "MeaningTest.h"

#include <cmath>
#include <cstdint>
#include <limits>

using namespace nereid;

namespace {

class TypeRulesTest : public nereid::test::MeaningTest {
protected:
  /// Runs kernels that state the types of what they compute.
  void state(const std::string &claims) {
    Array out = device.zeros(DType::Int32, {1});
    run("def k(o, i8: tl.int8, i: tl.int32, l: tl.int64, f: tl.float32):\n" + claims +
            "    tl.store(o, 1)\n",
        {{"o", out}, {"i8", 1}, {"i", 5}, {"l", 7}, {"f", 1.5}});
    EXPECT_EQ(out.toVector<int32_t>(), std::vector<int32_t>{1});
  }
  void refuse(const std::string &claims) { EXPECT_THROW(state(claims), Error) << claims; }

  /// The type of `lhs op rhs` between tiles of two types.
  static std::string claim(const std::string &op, const char *lhs, const char *rhs,
                           const char *result) {
    return "    tl.static_assert((tl.full((4,), 1, tl." + std::string(lhs) + ") " + op +
           " tl.full((4,), 1, tl." + rhs + ")).dtype == tl." + result + ", '" + lhs + op + rhs +
           "')\n";
  }
};
NEREID_ON_ALL_DEVICES(TypeRulesTest);

TEST_P(TypeRulesTest, ScalarPromotion) {
  state(R"(
    u8, f16 = tl.full((4,), 200, tl.uint8), tl.full((4,), 0.5, tl.float16)
    tl.static_assert((u8 + 1).dtype == tl.uint8)
    tl.static_assert((f16 * 2.0).dtype == tl.float16)
    tl.static_assert((f16 + 3).dtype == tl.float16)
    tl.static_assert((2 * tl.full((4,), 1, tl.bfloat16)).dtype == tl.bfloat16)
    tl.static_assert((tl.arange(0, 4) + 0.5).dtype == tl.float32)
    tl.static_assert((tl.arange(0, 4) + 1e300).dtype == tl.float64)
    tl.static_assert((tl.full((4,), 1, tl.int1) + 1).dtype == tl.int32)
    tl.static_assert((tl.full((4,), 1, tl.int1) + 2147483648).dtype == tl.uint32)
    tl.static_assert((tl.full((4,), 1, tl.int1) + 4294967296).dtype == tl.int64)
)");
  refuse("    x = tl.full((4,), 1, tl.uint8) + 256\n");
  refuse("    x = tl.full((4,), 1, tl.uint8) + -1\n");
}

TEST_P(TypeRulesTest, ScalarsWrapInTheTypeOfTheTile) {
  Array out = device.zeros(DType::UInt8, {4});
  run("def k(o):\n    i = tl.arange(0, 4)\n    tl.store(o + i, (i + 253).to(tl.uint8) + 1)\n",
      {{"o", out}});
  EXPECT_EQ(out.toVector<uint8_t>(), (std::vector<uint8_t>{254, 255, 0, 1}));
}

TEST_P(TypeRulesTest, RuntimeScalars) {
  // An argument is a tensor without dimensions, and no number of Python's.
  state(R"(
    f16 = tl.full((4,), 0.5, tl.float16)
    tl.static_assert((f16 * f).dtype == tl.float32)
    tl.static_assert((tl.full((4,), 1, tl.int8) + i).dtype == tl.int32)
    tl.static_assert((tl.full((4,), 1, tl.int8) + i8).dtype == tl.int8)
    tl.static_assert((tl.arange(0, 4) + l).dtype == tl.int64)
    tl.static_assert((tl.full((4,), 1, tl.uint8) + tl.program_id(0)).dtype == tl.int32)
    n = 3
    tl.static_assert((tl.full((4,), 1, tl.int8) + n).dtype == tl.int32)
    m: tl.constexpr = 3
    tl.static_assert((tl.full((4,), 1, tl.int8) + m).dtype == tl.int8)
)");
}

TEST_P(TypeRulesTest, TilePromotion) {
  const char *sums[][3] = {{"float64", "float16", "float64"},
                           {"float64", "int64", "float64"},
                           {"float32", "float16", "float32"},
                           {"float32", "int64", "float32"},
                           {"bfloat16", "float16", "float16"},
                           {"float16", "int32", "float16"},
                           {"float16", "float8e5", "float16"},
                           {"bfloat16", "bfloat16", "bfloat16"},
                           {"bfloat16", "int32", "float32"},
                           {"bfloat16", "float8e4nv", "float32"},
                           {"float8e5", "float8e5", "float8e5"},
                           {"float8e5", "float8e4nv", "float16"},
                           {"int8", "int32", "int32"},
                           {"int8", "uint8", "uint8"},
                           {"int16", "uint8", "int16"},
                           {"int64", "uint32", "int64"},
                           {"int32", "uint32", "uint32"},
                           {"int1", "int8", "int8"},
                           {"int1", "int1", "int1"}};
  std::string claims;
  for (auto [lhs, rhs, result] : sums)
    claims += claim("+", lhs, rhs, result) + claim("*", rhs, lhs, result);
  state(claims);
  refuse(claim("+", "float8e5", "int32", "int32"));
}

TEST_P(TypeRulesTest, TypesOfQuotients) {
  std::string claims;
  const char *quotients[][3] = {
      {"int32", "int32", "float32"},     {"uint8", "uint64", "float32"},
      {"float16", "float16", "float32"}, {"bfloat16", "bfloat16", "float32"},
      {"float32", "float16", "float32"}, {"float64", "float16", "float64"}};
  for (auto [lhs, rhs, result] : quotients)
    claims += claim("/", lhs, rhs, result);
  claims += claim("%", "float16", "float16", "float32") + claim("%", "int8", "int32", "int32");
  state(claims);
  refuse(claim("/", "int8", "uint8", "float32"));
  refuse(claim("//", "int32", "uint32", "uint32"));
  refuse(claim("%", "int32", "uint32", "uint32"));
  refuse(claim("//", "float32", "float32", "float32"));
}

TEST_P(TypeRulesTest, TypesOfReductions) {
  state(R"(
    f16, bf16 = tl.full((4,), 1, tl.float16), tl.full((4,), 1, tl.bfloat16)
    i8, u8, i1 = tl.full((4,), 1, tl.int8), tl.full((4,), 1, tl.uint8), tl.full((4,), 1, tl.int1)
    i64 = tl.full((4,), 1, tl.int64)
    tl.static_assert(tl.sum(i8).dtype == tl.int32)
    tl.static_assert(tl.sum(u8).dtype == tl.uint32)
    tl.static_assert(tl.sum(i1).dtype == tl.uint32)
    tl.static_assert(tl.sum(i64).dtype == tl.int64)
    tl.static_assert(tl.sum(f16).dtype == tl.float16)
    tl.static_assert(tl.sum(bf16).dtype == tl.bfloat16)
    tl.static_assert(tl.sum(f16, dtype=tl.float32).dtype == tl.float32)
    tl.static_assert(tl.cumsum(bf16).dtype == tl.float32)
    tl.static_assert(tl.cumsum(f16).dtype == tl.float16)
    tl.static_assert(tl.max(f16).dtype == tl.float32)
    tl.static_assert(tl.max(bf16).dtype == tl.float32)
    tl.static_assert(tl.max(i8).dtype == tl.int32)
    tl.static_assert(tl.max(u8).dtype == tl.int32)
    tl.static_assert(tl.max(i64).dtype == tl.int64)
    tl.static_assert(tl.argmax(f16, 0).dtype == tl.int32)
    tl.static_assert(tl.minimum(bf16, bf16).dtype == tl.float32)
    tl.static_assert(tl.maximum(f16, f16).dtype == tl.float16)
)");
}

TEST_P(TypeRulesTest, ShapesOfReductions) {
  state(R"(
    x = tl.full((4, 8), 1.0, tl.float32)
    tl.static_assert(len(tl.sum(x).shape) == 0)
    tl.static_assert(tl.sum(x, 0).shape == (8,))
    tl.static_assert(tl.sum(x, -1).shape == (4,))
    tl.static_assert(tl.sum(x, 1, keep_dims=True).shape == (4, 1))
    tl.static_assert(tl.max(x, keep_dims=True).shape == (1, 1))
    tl.static_assert(len(tl.sum(tl.sum(x, 0), 0).shape) == 0)
)");
}

TEST_P(TypeRulesTest, TypesOfProducts) {
  auto dot = [](const std::string &lhs, const std::string &rhs, const std::string &more) {
    return "tl.dot(tl.full((16, 32), 1, tl." + lhs + "), tl.full((32, 16), 1, tl." + rhs + ")" +
           more + ")";
  };
  auto is = [&](const std::string &call, const std::string &type) {
    return "    tl.static_assert(" + call + ".dtype == tl." + type + ")\n";
  };
  state(is(dot("float32", "float32", ""), "float32") +
        is(dot("float16", "float16", ""), "float32") +
        is(dot("float16", "float16", ", out_dtype=tl.float16"), "float16") +
        is(dot("bfloat16", "bfloat16", ""), "float32") +
        is(dot("float8e5", "float8e4nv", ""), "float32") + is(dot("int8", "int8", ""), "int32") +
        is(dot("float64", "float64", ""), "float64") +
        is(dot("float32", "float32", ", out_dtype=tl.float64"), "float32") +
        is(dot("bfloat16", "bfloat16", ", out_dtype=tl.float64"), "float32"));
  refuse(is(dot("float16", "float32", ""), "float32"));
  refuse(is(dot("float16", "float16", ", out_dtype=tl.bfloat16"), "bfloat16"));
  refuse(is(dot("float32", "float32", ", out_dtype=tl.bfloat16"), "float32"));
  refuse(is(dot("float16", "float16", ", out_dtype=tl.float64"), "float64"));
  refuse(is(dot("float32", "float32", ", acc=tl.zeros((16, 16), tl.float64)"), "float64"));
  refuse(is(dot("uint8", "uint8", ""), "int32"));
  refuse(is(dot("float16", "float16", ", acc=tl.zeros((16, 16), tl.float16)"), "float32"));
}

TEST_P(TypeRulesTest, Bitcasts) {
  Array out = device.zeros(DType::Int32, {4});
  run(R"(
def k(o):
    i = tl.arange(0, 4)
    tl.store(o + i, (i.to(tl.float32) - 1.5).to(tl.int32, bitcast=True))
    tl.static_assert(i.to(tl.uint32, bitcast=True).dtype == tl.uint32)
)",
      {{"o", out}});
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(out.toVector<int32_t>()[static_cast<size_t>(i)],
              std::bit_cast<int32_t>(static_cast<float>(i) - 1.5F));
  refuse("    x = tl.arange(0, 4).to(tl.float16, bitcast=True)\n");
}

TEST_P(TypeRulesTest, Where) {
  state(R"(
    i8, f16 = tl.full((4,), 1, tl.int8), tl.full((4,), 1, tl.float16)
    tl.static_assert(tl.where(i8 > 0, i8, f16).dtype == tl.float16)
    tl.static_assert(tl.where(i8, i8, tl.arange(0, 4)).dtype == tl.int32)
    tl.static_assert(tl.where(i > 2, f16, 0.0).dtype == tl.float16)
    tl.static_assert(tl.where(i8 > 0, o, o + 4).dtype == o.dtype)
)");
  // Any number is a condition, and both sides are evaluated.
  Array out = device.zeros(DType::Int32, {4});
  run("def k(o):\n    i = tl.arange(0, 4)\n    tl.store(o + i, tl.where(i % 3, i, -i - 10))\n",
      {{"o", out}});
  EXPECT_EQ(out.toVector<int32_t>(), (std::vector<int32_t>{-10, 1, 2, -13}));
}

} // namespace
