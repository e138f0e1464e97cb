// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products so deep, of programs so few, that threads of a CPU share the rounds of their loops; and
// loops that look alike and may not be shared, whose results would be wrong.
#include "MeaningTest.h"
#include "support/ExactProduct.h"

#include <algorithm>
#include <cmath>
#include <random>

using namespace nereid;

namespace {

using nereid::test::MeaningTest;

/// A product with all that a loop may carry: pointers that step, by scalars and by tiles, and a
/// count.
const std::string deepProduct = R"(
def product(a, b, c, begin, end, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    l = tl.arange(0, BK)
    a_at = a + i[:, None] * K + (begin + l)[None, :]
    b_at = b + begin * N
    done = begin
    sums = tl.load(c + i[:, None] * N + j[None, :], mask=(i[:, None] < M) & (j[None, :] < N), other=0)
    for k in range(begin, end, BK):
        left = tl.load(a_at, mask=(i[:, None] < M) & (done + l < end)[None, :], other=0)
        right = tl.load(b_at + l[:, None] * N + j[None, :], mask=(k + l[:, None] < end) & (j[None, :] < N), other=0)
        sums = tl.dot(left, right, sums, input_precision="ieee")
        a_at += BK
        b_at += BK * N
        done += BK
    last = done - begin
    tl.store(c + i[:, None] * N + j[None, :], sums * 2 + last, mask=(i[:, None] < M) & (j[None, :] < N))
)";

struct DeepShape {
  int m, n, k, begin, blockM, blockN, blockK;
};

class SharedLoop : public MeaningTest {
protected:
  /// On as many threads, however many cores there are; the check device as it is.
  void useThreads(unsigned threads) {
    if (GetParam() == "cpu")
      device = Device::open("cpu", {.threads = threads});
  }

  template <typename T> std::vector<T> numbers(size_t count) {
    std::vector<T> values;
    for (int value : smallNumbers(random, count))
      values.push_back(static_cast<T>(value));
    return values;
  }

  template <typename T, typename Sum>
  std::vector<Sum> product(const DeepShape &s, const std::vector<T> &a, const std::vector<T> &b,
                           const std::vector<Sum> &before) {
    Array c = device.array(before);
    run(deepProduct,
        {{"a", device.array(a)},
         {"b", device.array(b)},
         {"c", c},
         {"begin", s.begin},
         {"end", s.k},
         {"M", s.m},
         {"N", s.n},
         {"K", s.k},
         {"BM", s.blockM},
         {"BN", s.blockN},
         {"BK", s.blockK}},
        {(s.m + s.blockM - 1) / s.blockM, (s.n + s.blockN - 1) / s.blockN});
    return c.toVector<Sum>();
  }

  /// With numbers whose sums are exact in every order.
  template <typename T, typename Sum> void expectExact(const DeepShape &s) {
    std::vector<T> a = numbers<T>(size_t(s.m) * s.k), b = numbers<T>(size_t(s.k) * s.n);
    std::vector<Sum> before = numbers<Sum>(size_t(s.m) * s.n);
    int rounds = s.k > s.begin ? (s.k - s.begin + s.blockK - 1) / s.blockK : 0;
    std::vector<T> used = b; // but for the lines in front of the first
    std::fill_n(used.begin(), std::min(size_t(s.begin) * s.n, used.size()), T(0));
    std::vector<Sum> expected = test::exactProductOf<Sum, T>(a, used, s.m, s.n, s.k, {s.n});
    for (size_t i = 0; i < expected.size(); ++i)
      expected[i] = (expected[i] + before[i]) * 2 + Sum(rounds * s.blockK);
    EXPECT_EQ((product<T, Sum>(s, a, b, before)), expected)
        << sizeof(T) << " bytes, " << s.m << " x " << s.n << " x " << s.k << " from " << s.begin
        << " in rounds of " << s.blockK;
  }

  std::mt19937 random{7};
};

TEST_P(SharedLoop, of_any_shape) {
  for (unsigned threads : {2, 7, 16}) {
    useThreads(threads);
    for (const DeepShape &s : {DeepShape{16, 32, 8192, 0, 16, 32, 32},
                               {13, 33, 5003, 5, 16, 64, 32},
                               {1, 16, 9001, 0, 1, 16, 16},
                               {40, 70, 3000, 1, 32, 64, 64},
                               {16, 16, 300, 0, 16, 16, 256},
                               {16, 16, 0, 0, 16, 16, 16},
                               {16, 16, 16, 0, 16, 16, 16}}) {
      expectExact<float, float>(s);
      expectExact<int8_t, int32_t>(s);
    }
    expectExact<double, double>({17, 20, 4001, 0, 16, 16, 32});
  }
}

// As many threads give the same bits each time, whoever comes first; others give others, all close
// to the exact sums.
TEST_P(SharedLoop, in_the_same_order) {
  constexpr int m = 16, n = 16, k = 20000;
  std::uniform_real_distribution<float> any(-1, 1);
  std::vector<float> a(m * k), b(k * n), zeros(m * n);
  for (std::vector<float> *factor : {&a, &b})
    for (float &value : *factor)
      value = any(random);
  std::vector<std::vector<float>> results;
  for (unsigned threads : {1, 3, 16}) {
    useThreads(threads);
    DeepShape shape{m, n, k, 0, 16, 16, 16};
    results.push_back(product<float, float>(shape, a, b, zeros));
    for (int again = 0; again < (GetParam() == "cpu" ? 5 : 0); ++again)
      ASSERT_EQ((product<float, float>(shape, a, b, zeros)), results.back())
          << threads << " threads";
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        double sum = 0, sizes = 0;
        for (int l = 0; l < k; ++l) {
          double product = double(a[size_t(i) * k + l]) * b[size_t(l) * n + j];
          sum += product;
          sizes += std::abs(product);
        }
        EXPECT_NEAR(results.back()[i * n + j], 2 * sum + k,
                    2 * (sizes + k) * std::sqrt(double(k)) * 0x1p-24);
      }
  }
  if (GetParam() == "cpu") {
    EXPECT_NE(results[0], results[1]) << "no rounds were shared by 3 threads";
    EXPECT_NE(results[1], results[2]) << "no rounds were shared by 16 threads";
  }
}

// Of several sums, one in an inner loop, and a number; one program of a grid has other rounds than
// the first.
TEST_P(SharedLoop, with_several_sums) {
  constexpr int rounds = 700, tile = 16;
  useThreads(8);
  std::vector<float> a = numbers<float>(rounds * tile * tile);
  Array c = device.zeros(DType::Float32, {2, 2, tile, tile}),
        counts = device.zeros(DType::Int32, {2});
  run(R"(
def several(a, c, counts, ROUNDS):
    i = tl.arange(0, 16)
    at = i[:, None] * 16 + i[None, :]
    first = tl.zeros((16, 16), tl.float32)
    second = tl.full((16, 16), 3, tl.float32)
    positive = 0
    for k in range(0, ROUNDS - tl.program_id(0) * 333):
        tile = tl.load(a + k * 256 + at)
        first += tl.dot(tile, tile) * 2
        for half in range(2):
            second = tl.dot(tl.trans(tile), tile, second)
        positive += tl.sum((tile > 0).to(tl.int32))
    c += tl.program_id(0) * 512
    tl.store(c + at, first)
    tl.store(c + 256 + at, second)
    tl.store(counts + tl.program_id(0), positive)
)",
      {{"a", device.array(a)}, {"c", c}, {"counts", counts}, {"ROUNDS", rounds}}, {2});
  std::vector<float> expected(2 * 2 * tile * tile);
  std::vector<int> positive(2);
  for (int program = 0; program < 2; ++program) {
    float *first = expected.data() + program * 512, *second = first + 256;
    std::fill_n(second, 256, 3.0f);
    for (int round = 0; round < rounds - program * 333; ++round) {
      const float *t = a.data() + round * 256;
      for (int i = 0; i < tile; ++i)
        for (int j = 0; j < tile; ++j) {
          positive[program] += t[i * tile + j] > 0;
          for (int l = 0; l < tile; ++l) {
            first[i * tile + j] += 2 * t[i * tile + l] * t[l * tile + j];
            second[i * tile + j] += 2 * t[l * tile + i] * t[l * tile + j];
          }
        }
    }
  }
  EXPECT_EQ(c.toVector<float>(), expected);
  EXPECT_EQ(counts.toVector<int>(), positive);
}

// What would be wrong if parts began with zeros, or in the midst: sums that are scaled, read or
// stored on the way, numbers that are multiplied, effects before and in the loop.
TEST_P(SharedLoop, not_where_rounds_need_those_before) {
  constexpr int rounds = 2000;
  useThreads(16);
  struct Case {
    const char *what, *before, *body;
  };
  const Case cases[] = {
      {"scaled", "", "sums = tl.dot(tile, tile, sums) % 7"},
      {"begun anew", "", "sums = tl.dot(tile, tile, tl.where(k > 1000, 0.0, sums))"},
      {"read", "",
       "sums = tl.dot(tile, tile, sums)\n        most = tl.maximum(most, tl.max(sums % 64))"},
      {"added twice", "", "sums = tl.dot(tile, tile, sums) + sums % 5"},
      {"multiplied", "", "sums = tl.dot(tile, tile, sums)\n        factor = factor * 3 % 1001"},
      {"grown by what grows", "", "sums = tl.dot(tile, tile, sums)\n        factor += k"},
      {"stored in the loop", "",
       "sums = tl.dot(tile, tile, sums)\n        tl.store(c + 300 + k % 3, k)"},
      {"counted in the loop", "",
       "sums = tl.dot(tile, tile, sums)\n        tl.atomic_add(c + 300, 1.0)"},
      {"counted before", "tl.atomic_add(c + 303, 1.0)", "sums = tl.dot(tile, tile, sums)"},
      {"stored before", "tl.store(c + 299, tl.load(c + 299) + 1)",
       "sums = tl.dot(tile, tile, sums)"},
  };
  std::vector<float> a = numbers<float>(256), atomics(304);
  for (float &value : a)
    value = std::abs(value) > 2 ? 1 : 0;
  for (auto [what, before, body] : cases) {
    std::vector<std::vector<float>> results;
    for (const char *other : {"check", GetParam().c_str()}) {
      Device on = std::string(other) == "check" ? Device::open("check") : device;
      std::swap(on, device);
      Array c = device.array(atomics);
      run(std::string(R"(
def loop(a, c, ROUNDS):
    i = tl.arange(0, 16)
    at = i[:, None] * 16 + i[None, :]
    sums = tl.zeros((16, 16), tl.float32)
    most = 0.0
    factor = 1
    )") + before +
              R"(
    for k in range(ROUNDS):
        tile = tl.load(a + at)
        )" + body +
              R"(
    tl.store(c + at, sums)
    tl.store(c + 290, most)
    tl.store(c + 291, factor)
)",
          {{"a", device.array(a)}, {"c", c}, {"ROUNDS", rounds}});
      results.push_back(c.toVector<float>());
      std::swap(on, device);
    }
    EXPECT_EQ(results[0], results[1]) << what;
  }
}

NEREID_ON_ALL_DEVICES(SharedLoop);

} // namespace
