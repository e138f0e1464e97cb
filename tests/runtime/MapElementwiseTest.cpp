// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tl.map_elementwise: functions of scalars with branches and loops, lane by lane, against the same
// in C++.
#include "MeaningTest.h"

#include <cmath>
#include <cstdint>
#include <functional>
#include <random>

using namespace nereid;

namespace {

class MapElementwiseTest : public nereid::test::MeaningTest {
protected:
  static std::vector<int32_t> numbers(size_t count, int least, int most) {
    std::mt19937 random(11);
    std::vector<int32_t> values(count);
    for (int32_t &value : values)
      value = std::uniform_int_distribution<int>(least, most)(random);
    return values;
  }
  /// Compares `function`, which follows the mark of a kernel and is called f, with `wanted`.
  void expect(const std::string &function, const std::vector<int32_t> &x,
              const std::vector<int32_t> &y, const std::function<int32_t(int32_t, int32_t)> &wanted,
              int pack = 1) {
    auto count = static_cast<int64_t>(x.size());
    Array out = device.zeros(DType::Int32, {count});
    run("def f" + function +
            "\n@triton.jit\n"
            "def k(x, y, o, N: tl.constexpr, PACK: tl.constexpr):\n"
            "    i = tl.arange(0, N)\n"
            "    tl.store(o + i, tl.map_elementwise(f, tl.load(x + i), tl.load(y + i), "
            "pack=PACK))\n",
        {{"x", device.array(x)}, {"y", device.array(y)}, {"o", out}, {"N", count}, {"PACK", pack}});
    std::vector<int32_t> given = out.toVector<int32_t>();
    for (size_t i = 0; i < x.size(); ++i)
      ASSERT_EQ(given[i], wanted(x[i], y[i])) << x[i] << ", " << y[i] << function;
  }
};
NEREID_ON_ALL_DEVICES(MapElementwiseTest);

TEST_P(MapElementwiseTest, Branches) {
  expect(R"((x, y):
    if x > y:
        return x - y
    elif x == y:
        return 1000
    if x % 3 == 0:
        x = -x
    return x + y
)",
         numbers(257, -9, 9), numbers(257, -3, 3), [](int x, int y) {
           if (x > y)
             return x - y;
           if (x == y)
             return 1000;
           return (x % 3 == 0 ? -x : x) + y;
         });
}

TEST_P(MapElementwiseTest, ADivisionThatABranchSpares) {
  expect("(x, y):\n    return x // y + x % y if y != 0 else -1\n", numbers(100, -50, 50),
         numbers(100, -2, 2), [](int x, int y) { return y ? x / y + x % y : -1; });
}

static int collatz(int x, int most) {
  int steps = 0;
  while (x > 1 && steps < most) {
    x = x % 2 ? 3 * x + 1 : x / 2;
    ++steps;
  }
  return steps;
}

TEST_P(MapElementwiseTest, LoopsThatEndAtTheirOwnTimes) {
  expect(R"((x, y):
    steps = 0
    while (x > 1) & (steps < y):
        if x % 2 == 1:
            x = 3 * x + 1
        else:
            x = x // 2
        steps += 1
    return steps
)",
         numbers(130, -2, 99), numbers(130, 0, 60), collatz);
}

TEST_P(MapElementwiseTest, LoopsOverRangesOfTheirOwn) {
  expect(R"((x, y):
    sum = 0
    for i in range(x, y, 3):
        if i == 7:
            continue
        for j in range(i):
            if j > 4:
                break
            sum += j * i
    return sum
)",
         numbers(65, -5, 9), numbers(65, -9, 20), [](int x, int y) {
           int sum = 0;
           for (int i = x; i < y; i += 3)
             for (int j = 0; i != 7 && j < i && j <= 4; ++j)
               sum += j * i;
           return sum;
         });
}

TEST_P(MapElementwiseTest, ReturnsInsideLoops) {
  expect(R"((x, y):
    for i in range(10):
        if i * i >= x:
            return i
        y += 1
    return -y
)",
         numbers(64, -4, 120), numbers(64, 0, 5), [](int x, int y) {
           for (int i = 0; i < 10; ++i) {
             if (i * i >= x)
               return i;
             ++y;
           }
           return -y;
         });
}

TEST_P(MapElementwiseTest, SeveralElementsAndResultsAtATime) {
  std::vector<int32_t> x = numbers(96, -100, 100), y = numbers(96, 1, 9);
  Array quotients = device.zeros(DType::Int32, {96}), rests = device.zeros(DType::Int32, {96});
  run(R"(
def both(a0, a1, b0, b1):
    return a0 // b0, a1 // b1, a0 % b0, a1 % b1 + 1000

@triton.jit
def k(x, y, q, r):
    i = tl.reshape(tl.arange(0, 96), (12, 8))
    quotient, rest = tl.map_elementwise(both, tl.load(x + i), tl.load(y + i), pack=2)
    tl.store(q + i, quotient)
    tl.store(r + i, rest)
)",
      {{"x", device.array(x)}, {"y", device.array(y)}, {"q", quotients}, {"r", rests}});
  for (size_t i = 0; i < x.size(); ++i) {
    EXPECT_EQ(quotients.toVector<int32_t>()[i], x[i] / y[i]);
    EXPECT_EQ(rests.toVector<int32_t>()[i], x[i] % y[i] + (i % 2 ? 1000 : 0));
  }
}

TEST_P(MapElementwiseTest, BroadcastsAndTakesScalars) {
  Array out = device.zeros(DType::Float32, {4, 8});
  run(R"(
def selu(x, y, alpha):
    if x > 0:
        return x * y
    else:
        return alpha * (tl.exp(x) - 1)

@triton.jit
def k(o, alpha):
    i, j = tl.arange(0, 4)[:, None], tl.arange(0, 8)[None, :]
    x = (i - 2).to(tl.float32)
    tl.store(o + i * 8 + j, tl.map_elementwise(selu, x, j, alpha))
)",
      {{"o", out}, {"alpha", 1.5}});
  std::vector<float> given = out.toVector<float>();
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 8; ++j) {
      double x = i - 2, wanted = x > 0 ? x * j : 1.5 * std::expm1(x);
      EXPECT_NEAR(given[static_cast<size_t>(i * 8 + j)], wanted, 1e-6) << i << ", " << j;
    }
}

TEST_P(MapElementwiseTest, TakesScalarsAlone) {
  Array out = device.zeros(DType::Int32, {3, 2});
  run(R"(
def collatz(n, most):
    steps = 0
    while n != 1 and steps < most:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return n, steps

@triton.jit
def k(o):
    n, steps = tl.map_elementwise(collatz, tl.program_id(0) + 6, 10)
    tl.store(o + tl.program_id(0) * 2, n)
    tl.store(o + tl.program_id(0) * 2 + 1, steps)
)",
      {{"o", out}}, {3});
  EXPECT_EQ(out.toVector<int32_t>(), (std::vector<int32_t>{1, 8, 10, 10, 1, 3}));
}

TEST_P(MapElementwiseTest, RefusesMemory) {
  Array out = device.zeros(DType::Int32, {4});
  EXPECT_THROW(run("def f(p, x):\n    return tl.load(p + x)\n\n@triton.jit\n"
                   "def k(o):\n    i = tl.arange(0, 4)\n"
                   "    tl.store(o + i, tl.map_elementwise(f, o, i))\n",
                   {{"o", out}}),
               Error);
}

} // namespace
