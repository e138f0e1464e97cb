// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What reorders elements, counts them or folds their bits, against plain C++.
#include "MeaningTest.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <random>

using namespace nereid;

namespace {

class SortTest : public nereid::test::MeaningTest {};
NEREID_ON_ALL_DEVICES(SortTest);

template <typename T> std::vector<T> numbersBetween(size_t count, int64_t least, int64_t most) {
  std::mt19937_64 random(count);
  std::uniform_int_distribution<int64_t> distribution(least, most);
  std::vector<T> values(count);
  for (T &value : values)
    value = static_cast<T>(distribution(random));
  return values;
}

/// The numbers below `count` in the order of `before`, and where that has none, in their own.
template <typename Before> std::vector<int32_t> ordered(size_t count, Before before) {
  std::vector<int32_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](int32_t a, int32_t b) { return before(a, b) || (!before(b, a) && a < b); });
  return order;
}

TEST_P(SortTest, EveryLengthBothWays) {
  for (int length : {1, 2, 3, 5, 8, 16, 31, 64, 100, 1024})
    for (bool descends : {false, true}) {
      auto n = static_cast<size_t>(length);
      std::vector<int32_t> x = numbersBetween<int32_t>(n, -length, length); // with equal ones
      Array out = device.zeros(DType::Int32, {length});
      run("def k(x, o, N: tl.constexpr, D: tl.constexpr):\n"
          "    i = tl.arange(0, N)\n"
          "    tl.store(o + i, tl.sort(tl.load(x + i), descending=D))\n",
          {{"x", device.array(x)}, {"o", out}, {"N", length}, {"D", descends}});
      std::sort(x.begin(), x.end());
      if (descends)
        std::reverse(x.begin(), x.end());
      EXPECT_EQ(out.toVector<int32_t>(), x) << length << " " << descends;
    }
}

TEST_P(SortTest, GivesTheIndicesToo) {
  for (int length : {1, 5, 16, 100}) {
    auto n = static_cast<size_t>(length);
    std::vector<int32_t> x = numbersBetween<int32_t>(n, -length / 3, length / 3); // with equal ones
    int k = (length + 2) / 3;
    Array sorted = device.zeros(DType::Int32, {length}),
          places = device.zeros(DType::Int32, {length});
    Array best = device.zeros(DType::Int32, {k}), where = device.zeros(DType::Int32, {k});
    run("def k(x, s, p, b, w, N: tl.constexpr, K: tl.constexpr):\n"
        "    i = tl.arange(0, N)\n"
        "    y, order = tl.sort(tl.load(x + i), return_indices=True)\n"
        "    tl.store(s + i, y)\n"
        "    tl.store(p + i, order)\n"
        "    y, order = tl.topk(tl.load(x + i), K, return_indices=True)\n"
        "    tl.store(b + tl.arange(0, K), y)\n"
        "    tl.store(w + tl.arange(0, K), order)\n",
        {{"x", device.array(x)},
         {"s", sorted},
         {"p", places},
         {"b", best},
         {"w", where},
         {"N", length},
         {"K", k}});
    auto at = [&](int32_t i) { return x[static_cast<size_t>(i)]; };
    std::vector<int32_t> order = ordered(n, [&](int32_t a, int32_t b) { return at(a) < at(b); });
    EXPECT_EQ(places.toVector<int32_t>(), order) << length;
    std::vector<int32_t> y = sorted.toVector<int32_t>();
    for (size_t i = 0; i < n; ++i)
      EXPECT_EQ(y[i], at(order[i])) << length;
    order = ordered(n, [&](int32_t a, int32_t b) { return at(a) > at(b); });
    order.resize(static_cast<size_t>(k));
    EXPECT_EQ(where.toVector<int32_t>(), order) << length;
    std::vector<int32_t> top = best.toVector<int32_t>();
    for (size_t i = 0; i < top.size(); ++i)
      EXPECT_EQ(top[i], at(order[i])) << length;
  }
}

TEST_P(SortTest, GivesTheIndicesAlongEachDimension) {
  std::vector<int32_t> x = numbersBetween<int32_t>(size_t(12 * 20), -9, 9);
  for (int dim : {0, 1}) {
    Array out = device.zeros(DType::Int32, {12, 20});
    run("def k(x, o, DIM: tl.constexpr):\n"
        "    i = tl.arange(0, 12)[:, None] * 20 + tl.arange(0, 20)\n"
        "    y, order = tl.sort(tl.load(x + i), DIM, descending=True, return_indices=True)\n"
        "    tl.store(o + i, order)\n",
        {{"x", device.array(x)}, {"o", out}, {"DIM", dim}});
    std::vector<int32_t> result = out.toVector<int32_t>();
    int lines = dim == 0 ? 20 : 12, length = dim == 0 ? 12 : 20;
    for (int line = 0; line < lines; ++line) {
      auto at = [&](int i) {
        return static_cast<size_t>(dim == 0 ? i * 20 + line : line * 20 + i);
      };
      std::vector<int32_t> order = ordered(
          static_cast<size_t>(length), [&](int32_t a, int32_t b) { return x[at(a)] > x[at(b)]; });
      for (int i = 0; i < length; ++i)
        EXPECT_EQ(result[at(i)], order[static_cast<size_t>(i)]) << dim << " " << line << " " << i;
    }
  }
}

TEST_P(SortTest, EachRowOrColumn) {
  constexpr size_t rows = 12, columns = 64;
  std::vector<uint64_t> x = numbersBetween<uint64_t>(rows * columns, -9, 9); // half are huge
  for (int dim : {-1, 0}) {
    Array out = device.zeros(DType::UInt64, {rows * columns});
    run("def k(x, o, DIM: tl.constexpr):\n"
        "    i = tl.arange(0, 12)[:, None] * 64 + tl.arange(0, 64)\n"
        "    tl.store(o + i, tl.load(x + i).sort(DIM))\n",
        {{"x", device.array(x)}, {"o", out}, {"DIM", dim}});
    std::vector<uint64_t> wanted = x;
    size_t lines = dim == 0 ? columns : rows, length = dim == 0 ? rows : columns;
    for (size_t line = 0; line < lines; ++line) {
      auto at = [&](size_t i) { return dim == 0 ? i * columns + line : line * columns + i; };
      std::vector<uint64_t> sorted(length);
      for (size_t i = 0; i < length; ++i)
        sorted[i] = x[at(i)];
      std::sort(sorted.begin(), sorted.end());
      for (size_t i = 0; i < length; ++i)
        wanted[at(i)] = sorted[i];
    }
    EXPECT_EQ(out.toVector<uint64_t>(), wanted) << dim;
  }
}

TEST_P(SortTest, NanIsLastAndNothingIsLost) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN(), infinity = INFINITY;
  std::vector<float> x = {3, nan, -0.0f, 0, -infinity, nan, infinity, 1, 0, -0.0f, -7};
  auto isLess = [](float a, float b) { return a < b || (std::isnan(b) && !std::isnan(a)); };
  auto bitsOf = [](std::vector<float> values) {
    std::vector<uint32_t> bits(values.size());
    std::ranges::transform(values, bits.begin(),
                           [](float f) { return std::bit_cast<uint32_t>(f); });
    std::ranges::sort(bits);
    return bits;
  };
  for (bool descends : {false, true}) {
    Array out = device.zeros(DType::Float32, {11});
    run("def k(x, o, D: tl.constexpr):\n"
        "    i = tl.arange(0, 11)\n"
        "    tl.store(o + i, tl.sort(tl.load(x + i), 0, D))\n",
        {{"x", device.array(x)}, {"o", out}, {"D", descends}});
    std::vector<float> sorted = out.toVector<float>();
    EXPECT_EQ(bitsOf(sorted), bitsOf(x));
    for (size_t i = 1; i < sorted.size(); ++i)
      EXPECT_FALSE(descends ? isLess(sorted[i - 1], sorted[i]) : isLess(sorted[i], sorted[i - 1]))
          << i;
  }
}

TEST_P(SortTest, IndicesOfEqualElementsStayInOrder) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  for (int length : {1, 7, 64, 200})
    for (bool descends : {false, true}) {
      auto n = static_cast<size_t>(length);
      std::vector<float> x = numbersBetween<float>(n, -5, 5);
      for (size_t i = 0; i < n; i += 9)
        x[i] = nan;
      Array out = device.zeros(DType::Int32, {length});
      run("def k(x, o, N: tl.constexpr, D: tl.constexpr):\n"
          "    i = tl.arange(0, N)\n"
          "    tl.store(o + i, tl.argsort(tl.load(x + i), descending=D))\n",
          {{"x", device.array(x)}, {"o", out}, {"N", length}, {"D", descends}});
      auto key = [&](int32_t i) {
        float value = x[static_cast<size_t>(i)];
        return std::isnan(value) ? 100 : value;
      };
      std::vector<int32_t> wanted = ordered(
          n, [&](int32_t a, int32_t b) { return descends ? key(a) > key(b) : key(a) < key(b); });
      EXPECT_EQ(out.toVector<int32_t>(), wanted) << length << " " << descends;
    }
}

TEST_P(SortTest, TheLargestAndTheSmallest) {
  constexpr size_t rows = 3, n = 50;
  std::vector<int16_t> x = numbersBetween<int16_t>(rows * n, -32768, 32767);
  Array largest = device.zeros(DType::Int16, {rows * 4}),
        least = device.zeros(DType::Int16, {rows});
  run(R"(
def k(x, a, b):
    r = tl.arange(0, 3)[:, None]
    v = tl.load(x + r * 50 + tl.arange(0, 50))
    largest = tl.topk(v, 4)
    tl.static_assert(largest.dtype == tl.int32)
    tl.static_assert(tl.topk(v, 50).dtype == tl.int16)
    tl.store(a + r * 4 + tl.arange(0, 4), largest)
    tl.store(b + r, tl.topk(v, 1, dim=1, descending=False))
)",
      {{"x", device.array(x)}, {"a", largest}, {"b", least}});
  std::vector<int16_t> wantedLargest, wantedLeast;
  for (size_t row = 0; row < rows; ++row) {
    std::vector<int16_t> sorted(x.begin() + static_cast<int64_t>(row * n),
                                x.begin() + static_cast<int64_t>((row + 1) * n));
    std::ranges::sort(sorted, std::greater<>());
    wantedLargest.insert(wantedLargest.end(), sorted.begin(), sorted.begin() + 4);
    wantedLeast.push_back(sorted.back());
  }
  EXPECT_EQ(largest.toVector<int16_t>(), wantedLargest);
  EXPECT_EQ(least.toVector<int16_t>(), wantedLeast);
}

TEST_P(SortTest, MergesWhatRisesAndFalls) {
  std::vector<float> x(64);
  std::mt19937 random(1);
  for (float &value : x)
    value = static_cast<float>(random() % 100);
  std::sort(x.begin(), x.begin() + 20);
  std::sort(x.begin() + 20, x.end(), std::greater<>());
  Array out = device.zeros(DType::Float32, {128});
  run("def k(x, o):\n"
      "    i = tl.arange(0, 64)\n"
      "    tl.store(o + i, tl.bitonic_merge(tl.load(x + i)))\n"
      "    tl.store(o + 64 + i, tl.bitonic_merge(tl.load(x + i), descending=True))\n",
      {{"x", device.array(x)}, {"o", out}});
  std::sort(x.begin(), x.end());
  std::vector<float> wanted = x;
  wanted.insert(wanted.end(), x.rbegin(), x.rend());
  EXPECT_EQ(out.toVector<float>(), wanted);
}

// Gather and flip

TEST_P(SortTest, GathersAlongEachAxis) {
  constexpr int64_t a = 3, b = 10, c = 20, longer = 37;
  std::vector<double> x(a * b * c);
  std::iota(x.begin(), x.end(), 1);
  for (int axis : {0, 1, 2}) {
    int64_t from[] = {a, b, c}, to[] = {a, b, c};
    to[axis] = longer;
    auto count = static_cast<size_t>(to[0] * to[1] * to[2]);
    std::vector<int64_t> index = numbersBetween<int64_t>(count, 0, from[axis] - 1);
    Array out = device.zeros(DType::Float64, {static_cast<int64_t>(count)});
    run(R"(
def k(x, i, o, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr, AXIS: tl.constexpr):
    s = (tl.arange(0, 3)[:, None, None] * 10 + tl.arange(0, 10)[:, None]) * 20 + tl.arange(0, 20)
    d = (tl.arange(0, A)[:, None, None] * B + tl.arange(0, B)[:, None]) * C + tl.arange(0, C)
    tl.store(o + d, tl.load(x + s).gather(tl.load(i + d), AXIS))
)",
        {{"x", device.array(x)},
         {"i", device.array(index)},
         {"o", out},
         {"A", to[0]},
         {"B", to[1]},
         {"C", to[2]},
         {"AXIS", axis}});
    std::vector<double> wanted(count);
    for (int64_t at = 0; at < static_cast<int64_t>(count); ++at) {
      int64_t place[] = {at / (to[1] * to[2]), at / to[2] % to[1], at % to[2]};
      place[axis] = index[static_cast<size_t>(at)];
      wanted[static_cast<size_t>(at)] =
          x[static_cast<size_t>((place[0] * b + place[1]) * c + place[2])];
    }
    EXPECT_EQ(out.toVector<double>(), wanted) << axis;
  }
}

TEST_P(SortTest, GathersTruthsInALoopThatChangesThem) {
  std::vector<uint8_t> x = numbersBetween<uint8_t>(40, 0, 1);
  Array out = device.zeros(DType::Int32, {40});
  run(R"(
def k(x, o, n):
    i = tl.arange(0, 40)
    v = tl.load(x + i) != 0
    for j in range(n):
        v = v ^ tl.gather(v, (i + 1 + j) % 40, 0)
    tl.store(o + i, v)
)",
      {{"x", device.array(x)}, {"o", out}, {"n", 5}});
  for (size_t j = 0; j < 5; ++j) {
    std::vector<uint8_t> before = x;
    for (size_t i = 0; i < 40; ++i)
      x[i] = before[i] ^ before[(i + 1 + j) % 40];
  }
  EXPECT_EQ(out.toVector<int32_t>(), std::vector<int32_t>(x.begin(), x.end()));
}

TEST_P(SortTest, Flips) {
  std::vector<float> x(6 * 9);
  std::iota(x.begin(), x.end(), 0.0f);
  for (int dim : {0, 1, -1}) {
    Array out = device.zeros(DType::Float32, {6 * 9});
    run("def k(x, o, DIM: tl.constexpr):\n"
        "    i = tl.arange(0, 6)[:, None] * 9 + tl.arange(0, 9)\n"
        "    tl.store(o + i, tl.flip(tl.load(x + i), DIM))\n",
        {{"x", device.array(x)}, {"o", out}, {"DIM", dim}});
    std::vector<float> flipped = out.toVector<float>();
    for (size_t row = 0; row < 6; ++row)
      for (size_t column = 0; column < 9; ++column)
        EXPECT_EQ(flipped[row * 9 + column],
                  dim == 0 ? x[(5 - row) * 9 + column] : x[row * 9 + 8 - column]);
  }
}

// Counts and bits

TEST_P(SortTest, CountsEachValue) {
  constexpr size_t n = 1000;
  std::vector<int32_t> x = numbersBetween<int32_t>(n, -3, 60);
  std::vector<uint8_t> bytes = numbersBetween<uint8_t>(n, 0, 255);
  std::vector<int8_t> small = numbersBetween<int8_t>(n, -128, 127);
  Array all = device.zeros(DType::Int32, {50}), some = device.zeros(DType::Int32, {50}),
        ofBytes = device.zeros(DType::Int32, {256}), ofSmall = device.zeros(DType::Int32, {256});
  run(R"(
def k(x, bytes, small, all, some, b, s, n):
    i = tl.arange(0, 1024)
    v = tl.load(x + i, mask=i < n, other=-1)
    tl.store(all + tl.arange(0, 50), tl.histogram(v, 50))
    tl.store(some + tl.arange(0, 50), tl.histogram(v.to(tl.int64), 50, mask=(i < n) & (i % 3 == 0)))
    j = tl.arange(0, 256)
    tl.store(b + j, tl.load(bytes + i, mask=i < n).histogram(256, mask=i < n))
    tl.store(s + j, tl.histogram(tl.load(small + i, mask=i < n), 256, mask=i < n))
)",
      {{"x", device.array(x)},
       {"bytes", device.array(bytes)},
       {"small", device.array(small)},
       {"all", all},
       {"some", some},
       {"b", ofBytes},
       {"s", ofSmall},
       {"n", static_cast<int>(n)}});
  std::vector<int32_t> wantedAll(50), wantedSome(50), wantedBytes(256), wantedSmall(256);
  for (size_t i = 0; i < n; ++i) {
    if (x[i] >= 0 && x[i] < 50)
      ++wantedAll[static_cast<size_t>(x[i])];
    if (x[i] >= 0 && x[i] < 50 && i % 3 == 0)
      ++wantedSome[static_cast<size_t>(x[i])];
    ++wantedBytes[bytes[i]];
    if (small[i] >= 0)
      ++wantedSmall[static_cast<size_t>(small[i])];
  }
  EXPECT_EQ(all.toVector<int32_t>(), wantedAll);
  EXPECT_EQ(some.toVector<int32_t>(), wantedSome);
  EXPECT_EQ(ofBytes.toVector<int32_t>(), wantedBytes);
  EXPECT_EQ(ofSmall.toVector<int32_t>(), wantedSmall);
}

TEST_P(SortTest, FoldsBits) {
  std::vector<int32_t> x = numbersBetween<int32_t>(20 * 30, 0, 1 << 30);
  Array rows = device.zeros(DType::Int32, {20}), columns = device.zeros(DType::Int32, {30}),
        whole = device.zeros(DType::Int32, {2});
  run(R"(
def k(x, r, c, w):
    v = tl.load(x + tl.arange(0, 20)[:, None] * 30 + tl.arange(0, 30))
    tl.store(r + tl.arange(0, 20)[:, None], tl.xor_sum(v, 1, keep_dims=True))
    tl.store(c + tl.arange(0, 30), v.reduce_or(0))
    tl.store(w, v.xor_sum())
    tl.store(w + 1, tl.reduce_or(v, axis=None))
)",
      {{"x", device.array(x)}, {"r", rows}, {"c", columns}, {"w", whole}});
  std::vector<int32_t> wantedRows(20), wantedColumns(30), wantedWhole(2);
  for (size_t i = 0; i < x.size(); ++i) {
    wantedRows[i / 30] ^= x[i];
    wantedColumns[i % 30] |= x[i];
    wantedWhole[0] ^= x[i];
    wantedWhole[1] |= x[i];
  }
  EXPECT_EQ(rows.toVector<int32_t>(), wantedRows);
  EXPECT_EQ(columns.toVector<int32_t>(), wantedColumns);
  EXPECT_EQ(whole.toVector<int32_t>(), wantedWhole);
}

} // namespace
