// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans along each axis and in both directions, against plain C++.
#include "MeaningTest.h"

#include <cmath>
#include <random>

using namespace nereid;

namespace {

class ScanTest : public nereid::test::MeaningTest {};
NEREID_ON_ALL_DEVICES(ScanTest);

template <typename T> std::vector<T> randomNumbers(size_t count, int least, int most) {
  std::mt19937 random(static_cast<unsigned>(count));
  std::uniform_int_distribution<int> distribution(least, most);
  std::vector<T> values(count);
  for (T &value : values)
    value = static_cast<T>(distribution(random));
  return values;
}

/// Scans an array of three dimensions along the middle one.
template <typename T, typename Combine>
std::vector<T> scanned(std::vector<T> x, size_t outer, size_t length, size_t inner, bool isReverse,
                       Combine combine) {
  for (size_t o = 0; o < outer; ++o)
    for (size_t step = 1; step < length; ++step)
      for (size_t i = 0; i < inner; ++i) {
        size_t at = isReverse ? length - 1 - step : step;
        size_t before = isReverse ? at + 1 : at - 1;
        T &value = x[(o * length + at) * inner + i];
        value = combine(x[(o * length + before) * inner + i], value);
      }
  return x;
}

TEST_P(ScanTest, SumsOfEveryLengthInBothDirections) {
  for (int length : {1, 2, 3, 7, 8, 9, 16, 31, 64, 100, 1024})
    for (bool isReverse : {false, true}) {
      auto n = static_cast<size_t>(length);
      std::vector<int32_t> x = randomNumbers<int32_t>(n, -1000, 1000);
      Array out = device.array(std::vector<int32_t>(n + 1, 7));
      run("def k(x, o, N: tl.constexpr, R: tl.constexpr):\n"
          "    i = tl.arange(0, N)\n"
          "    tl.store(o + i, tl.cumsum(tl.load(x + i), 0, reverse=R))\n",
          {{"x", device.array(x)}, {"o", out}, {"N", length}, {"R", isReverse}});
      std::vector<int32_t> wanted = scanned(x, 1, n, 1, isReverse, std::plus<>());
      wanted.push_back(7);
      EXPECT_EQ(out.toVector<int32_t>(), wanted) << length << " " << isReverse;
    }
}

TEST_P(ScanTest, AlongEachAxis) {
  int shape[] = {3, 20, 33};
  std::vector<int64_t> x = randomNumbers<int64_t>(3 * 20 * 33, -9, 9);
  for (int axis = -3; axis < 3; ++axis)
    for (bool isReverse : {false, true}) {
      Array out = device.zeros(DType::Int64, {3 * 20 * 33});
      run(R"(
def k(x, o, AXIS: tl.constexpr, R: tl.constexpr):
    i = tl.arange(0, 3)[:, None, None] * 660 + tl.arange(0, 20)[:, None] * 33 + tl.arange(0, 33)
    tl.store(o + i, tl.load(x + i).cumsum(AXIS, R))
)",
          {{"x", device.array(x)}, {"o", out}, {"AXIS", axis}, {"R", isReverse}});
      int dim = axis < 0 ? axis + 3 : axis;
      size_t outer = 1, inner = 1;
      for (int d = 0; d < 3; ++d)
        (d < dim ? outer : inner) *= static_cast<size_t>(d == dim ? 1 : shape[d]);
      EXPECT_EQ(out.toVector<int64_t>(),
                scanned(x, outer, static_cast<size_t>(shape[dim]), inner, isReverse, std::plus<>()))
          << axis << " " << isReverse;
    }
}

/// Affine maps compose in an order that matters: h[i] = a[i] * h[i - 1] + b[i].
TEST_P(ScanTest, OfTuplesInOrder) {
  constexpr size_t rows = 5, n = 48;
  std::vector<uint32_t> a = randomNumbers<uint32_t>(rows * n, 1, 9),
                        c = randomNumbers<uint32_t>(rows * n + 1, 0, 99);
  c.pop_back();
  for (bool isTurned : {false, true})
    for (bool isReverse : {false, true}) {
      Array out = device.zeros(DType::UInt32, {static_cast<int64_t>(rows * n)});
      run(R"(
def then(a, b, c, d):
    return a * c, b * c + d

@triton.jit
def k(a, b, o, TURNED: tl.constexpr, R: tl.constexpr):
    i = tl.arange(0, 5)[:, None] * 48 + tl.arange(0, 48)
    if TURNED:
        i = i.T
    slope, value = tl.associative_scan((tl.load(a + i), tl.load(b + i)), 0 if TURNED else 1, then, R)
    tl.store(o + i, value)
)",
          {{"a", device.array(a)},
           {"b", device.array(c)},
           {"o", out},
           {"TURNED", isTurned},
           {"R", isReverse}});
      std::vector<uint32_t> wanted(rows * n);
      for (size_t row = 0; row < rows; ++row) {
        uint32_t state = 0;
        for (size_t step = 0; step < n; ++step) {
          size_t at = row * n + (isReverse ? n - 1 - step : step);
          wanted[at] = state = state * a[at] + c[at];
        }
      }
      EXPECT_EQ(out.toVector<uint32_t>(), wanted) << isTurned << " " << isReverse;
    }
}

TEST_P(ScanTest, MaximaThatBranchAndReadOutsideValues) {
  constexpr size_t n = 77;
  std::vector<int32_t> x = randomNumbers<int32_t>(n, -50, 50);
  Array out = device.zeros(DType::Int32, {n});
  run(R"(
def larger(a, b):
    if a > b:
        c = a
    else:
        c = b
    return c

@triton.jit
def k(x, o, n):
    i = tl.arange(0, 128)
    v = tl.load(x + i, mask=i < n, other=-100)
    total = tl.zeros((128,), tl.int32)
    for j in range(3):
        total += tl.associative_scan(v + j, 0, larger)
    tl.store(o + i, total, mask=i < n)
)",
      {{"x", device.array(x)}, {"o", out}, {"n", static_cast<int>(n)}});
  std::vector<int32_t> wanted =
      scanned(x, 1, n, 1, false, [](int32_t a, int32_t b) { return std::max(a, b); });
  for (int32_t &value : wanted)
    value = 3 * value + 3;
  EXPECT_EQ(out.toVector<int32_t>(), wanted);
}

TEST_P(ScanTest, FloatsAreAccurate) {
  constexpr size_t n = 1000;
  std::mt19937 random(3);
  std::uniform_real_distribution<float> distribution(-1, 1);
  std::vector<float> x(n);
  for (float &value : x)
    value = distribution(random);
  Array out = device.zeros(DType::Float32, {3 * n});
  run(R"(
def k(x, o):
    i = tl.arange(0, 1000)
    v = tl.load(x + i)
    tl.store(o + i, tl.cumsum(v))
    tl.store(o + 1000 + i, tl.cumprod(1 + v * 0.01, 0, reverse=True))
    ones = tl.full((1000,), 1.0, tl.float16)
    tl.store(o + 2000 + i, tl.cumsum(ones * 3))
)",
      {{"x", device.array(x)}, {"o", out}});
  std::vector<float> got = out.toVector<float>();
  double sum = 0, magnitude = 0;
  for (size_t i = 0; i < n; ++i) {
    sum += static_cast<double>(x[i]);
    magnitude += std::fabs(static_cast<double>(x[i]));
    EXPECT_NEAR(got[i], sum, static_cast<double>(i) * 0x1p-24 * magnitude) << i;
  }
  double product = 1;
  for (size_t i = n; i-- > 0;) {
    // 1 + v * 0.01 is itself rounded twice, to within 2^-23.
    product *= 1 + static_cast<double>(x[i]) * 0.01;
    EXPECT_NEAR(got[n + i] / product, 1, static_cast<double>(n - i) * 0x1.8p-23) << i;
  }
  // In float16 the sums of threes would stop; they are rounded once: 11 bits.
  for (size_t i = 0; i < n; ++i)
    EXPECT_NEAR(got[2 * n + i], 3 * (static_cast<double>(i) + 1),
                3 * (static_cast<double>(i) + 1) * 0x1p-11);
}

TEST_P(ScanTest, NarrowIntegersAreWidened) {
  constexpr size_t n = 40;
  std::vector<int8_t> x = randomNumbers<int8_t>(n, -128, 127);
  std::vector<uint8_t> y = randomNumbers<uint8_t>(n, 0, 255);
  Array signed32 = device.zeros(DType::Int32, {n}), unsigned32 = device.zeros(DType::UInt32, {n}),
        wide = device.zeros(DType::Int64, {n}), counts = device.zeros(DType::UInt32, {n});
  run(R"(
def k(x, y, s, u, w, c):
    i = tl.arange(0, 40)
    a = tl.cumsum(tl.load(x + i))
    b = tl.cumsum(tl.load(y + i))
    tl.static_assert(a.dtype == tl.int32)
    tl.static_assert(b.dtype == tl.uint32)
    tl.store(s + i, a)
    tl.store(u + i, b)
    tl.store(w + i, tl.cumsum(tl.load(x + i), dtype=tl.int64))
    tl.store(c + i, tl.cumsum(tl.load(x + i) > 0, reverse=True))
)",
      {{"x", device.array(x)},
       {"y", device.array(y)},
       {"s", signed32},
       {"u", unsigned32},
       {"w", wide},
       {"c", counts}});
  std::vector<int32_t> of8(x.begin(), x.end());
  std::vector<uint32_t> ofU8(y.begin(), y.end()), positive;
  for (int8_t value : x)
    positive.push_back(value > 0);
  std::vector<int32_t> sums = scanned(of8, 1, n, 1, false, std::plus<>());
  EXPECT_EQ(signed32.toVector<int32_t>(), sums);
  EXPECT_EQ(wide.toVector<int64_t>(), std::vector<int64_t>(sums.begin(), sums.end()));
  EXPECT_EQ(unsigned32.toVector<uint32_t>(), scanned(ofU8, 1, n, 1, false, std::plus<>()));
  EXPECT_EQ(counts.toVector<uint32_t>(), scanned(positive, 1, n, 1, true, std::plus<>()));
}

} // namespace
