// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products whose depth is no power of two: what masks fill up with zeros in both factors need not
// be multiplied. What only one of them lacks may be infinite in the other.
#include "MeaningTest.h"
#include "support/ExactProduct.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

using namespace nereid;

namespace {

using nereid::test::MeaningTest;

class NeededDepth : public MeaningTest {
protected:
  static constexpr int rows = 64, columns = 64;
};

// Every depth, in tiles of 64: in one round, in several, the last of which has few or none of its
// own.
TEST_P(NeededDepth, is_any_number) {
  std::mt19937 random(7);
  for (DType type : {DType::Float32, DType::BFloat16, DType::Int8})
    for (int depth : {1, 2, 3, 31, 33, 63, 64, 65, 100, 127, 129}) {
      std::vector<int> a = smallNumbers(random, size_t(rows) * depth),
                       b = smallNumbers(random, size_t(depth) * columns);
      Array c = device.zeros(DType::Int32, {rows, columns});
      run(R"(
def product(a, b, c, K, TYPE: tl.constexpr, SUM: tl.constexpr):
    i, j = tl.arange(0, 64), tl.arange(0, 64)
    sums = tl.zeros((64, 64), SUM)
    for k in range(0, K, 64):
        l = k + tl.arange(0, 64)
        left = tl.load(a + i[:, None] * K + l[None, :], mask=l[None, :] < K, other=0)
        right = tl.load(b + j[None, :] + l[:, None] * 64, mask=l[:, None] < K, other=0)
        sums = tl.dot(left.to(TYPE), right.to(TYPE), sums, out_dtype=SUM)
    tl.store(c + i[:, None] * 64 + j[None, :], sums.to(tl.int32))
)",
          {{"a", device.array(a)},
           {"b", device.array(b)},
           {"c", c},
           {"K", depth},
           {"TYPE", type},
           {"SUM", type == DType::Int8 ? DType::Int32 : DType::Float32}});
      EXPECT_EQ(c.toVector<int>(),
                (test::exactProductOf<int, int>(a, b, rows, columns, depth, {columns})))
          << name(type) << " " << depth;
    }
}

// The left factor ends at `K`, the right one at `L`: zero times infinity is no number.
TEST_P(NeededDepth, is_the_longer_one) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  for (auto [k, l] : {std::pair{40, 40}, {40, 41}, {41, 40}, {64, 3}, {3, 64}, {0, 0}, {0, 5}}) {
    Array c = device.zeros(DType::Float32, {rows, columns});
    run(R"(
def product(a, b, c, K, L):
    i, d = tl.arange(0, 64)[:, None], tl.arange(0, 64)[None, :]
    left = tl.load(a + i * 64 + d, mask=d < K, other=0)
    right = tl.trans(tl.load(b + i * 64 + d, mask=d < L, other=0))
    tl.store(c + i * 64 + d, tl.dot(left, right, input_precision="ieee"))
)",
        {{"a", device.array(std::vector<float>(64 * 64, 1))},
         {"b", device.array(std::vector<float>(64 * 64, infinity))},
         {"c", c},
         {"K", k},
         {"L", l}});
    for (float value : c.toVector<float>())
      if (l > k)
        ASSERT_TRUE(std::isnan(value)) << k << " " << l;
      else
        ASSERT_EQ(value, l ? infinity : 0) << k << " " << l;
  }
}

// Behind the depth both factors go on with what is no number, where they lie: whatever is read of
// them in place ends before, also where one of them ends earlier or has a gap.
TEST_P(NeededDepth, ends_what_is_read_in_place) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (auto [k, l, gap] : {std::array{64, 64, -1},
                           {60, 60, -1},
                           {61, 61, -1},
                           {1, 1, -1},
                           {0, 0, -1},
                           {32, 64, -1},
                           {64, 32, -1},
                           {63, 64, -1},
                           {60, 60, 17},
                           {128, 128, -1},
                           {127, 128, -1}}) {
    std::vector<float> a(64 * 128), b(128 * 64);
    for (int i = 0; i < 64; ++i)
      for (int d = 0; d < 128; ++d) {
        a[size_t(i) * 128 + d] = d < k && d != gap ? 1 : nan;
        b[size_t(d) * 64 + i] = d < l && d != gap ? 2 : nan;
      }
    Array c = device.zeros(DType::Float32, {rows, columns});
    run(R"(
def product(a, b, c, K, L, GAP):
    i, d = tl.arange(0, 64), tl.arange(0, 128)
    left = tl.load(a + i[:, None] * 128 + d[None, :], mask=(d < K)[None, :] & (d != GAP)[None, :], other=0)
    right = tl.load(b + d[:, None] * 64 + i[None, :], mask=(d < L)[:, None] & (d != GAP)[:, None], other=0)
    tl.store(c + i[:, None] * 64 + i[None, :], tl.dot(left, right, input_precision="ieee"))
)",
        {{"a", device.array(a)},
         {"b", device.array(b)},
         {"c", c},
         {"K", k},
         {"L", l},
         {"GAP", gap}});
    const float sum = static_cast<float>(2 * (std::min(k, l) - (gap >= 0)));
    EXPECT_EQ(c.toVector<float>(), std::vector<float>(64 * 64, sum)) << k << " " << l << " " << gap;
  }
}

// A mask of another factor's, of a tile that is loaded, and one that leaves zeros to nobody.
TEST_P(NeededDepth, is_not_what_other_masks_say) {
  std::vector<float> ones(64 * 64, 1);
  std::vector<int> ends(64, 50);
  Array c = device.zeros(DType::Float32, {rows, columns});
  run(R"(
def product(a, b, ends, c, K):
    i, d = tl.arange(0, 64)[:, None], tl.arange(0, 64)[None, :]
    left = tl.load(a + i * 64 + d, mask=d < tl.load(ends + i), other=0)
    right = tl.load(b + i * 64 + d, mask=i < K, other=2)
    tl.store(c + i * 64 + d, tl.dot(left, right, input_precision="ieee"))
)",
      {{"a", device.array(ones)},
       {"b", device.array(ones)},
       {"ends", device.array(ends)},
       {"c", c},
       {"K", 20}});
  EXPECT_EQ(c.toVector<float>(), std::vector<float>(64 * 64, 20 + 30 * 2));
}

// A tile of another shape, whose masks say nothing of the depth.
TEST_P(NeededDepth, is_not_that_of_what_is_reshaped) {
  std::vector<float> a(128 * 32, 1), b(32 * 128, 1);
  Array c = device.zeros(DType::Float32, {rows, columns});
  run(R"(
def product(a, b, c, K, L):
    i, j = tl.arange(0, 128), tl.arange(0, 32)
    left = tl.load(a + i[:, None] * 32 + j[None, :], mask=j[None, :] < K, other=0).reshape(64, 64)
    right = tl.load(b + j[:, None] * 128 + i[None, :], mask=j[:, None] < L, other=0).reshape(64, 64)
    k, l = tl.arange(0, 64)[:, None], tl.arange(0, 64)[None, :]
    tl.store(c + k * 64 + l, tl.dot(left, right, input_precision="ieee"))
)",
      {{"a", device.array(a)}, {"b", device.array(b)}, {"c", c}, {"K", 16}, {"L", 24}});
  // Of 64: 0 to 15 and 32 to 47 on the left, 0 to 47 on the right.
  EXPECT_EQ(c.toVector<float>(), std::vector<float>(64 * 64, 32));
}

// Where the result goes in a loop behind it, whose bound is loaded there.
TEST_P(NeededDepth, is_known_before_loops_that_store) {
  Array c = device.zeros(DType::Float32, {rows, columns});
  run(R"(
def product(a, b, n, c):
    i, j = tl.arange(0, 64)[:, None], tl.arange(0, 64)[None, :]
    sums = tl.dot(tl.load(a + i * 64 + j), tl.load(b + i * 64 + j), input_precision="ieee")
    for _ in range(tl.load(n)):
        tl.store(c + i * 64 + j, sums)
)",
      {{"a", device.array(std::vector<float>(64 * 64, 1))},
       {"b", device.array(std::vector<float>(64 * 64, 2))},
       {"n", device.array(std::vector<int>{2})},
       {"c", c}});
  EXPECT_EQ(c.toVector<float>(), std::vector<float>(64 * 64, 128));
}

NEREID_ON_ALL_DEVICES(NeededDepth);

} // namespace
