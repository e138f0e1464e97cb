// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomics of every kind and type, by many programs on few elements.
#include "MeaningTest.h"

#include <algorithm>
#include <bit>
#include <compare>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <random>

using namespace nereid;

namespace {

constexpr int programs = 23, lanes = 37, places = 19;

class AtomicTest : public nereid::test::MeaningTest {
protected:
  std::mt19937_64 random{7};

  template <typename T> std::vector<T> bits(size_t count) {
    std::vector<T> values(count);
    for (T &value : values)
      value = std::bit_cast<T>(static_cast<std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>(
          random() >> random() % 64));
    return values;
  }

  /// Each program acts on elements that all of them share, with some lanes masked off.
  template <typename T, typename F>
  void expectCombined(const std::string &function, const std::vector<T> &before,
                      const std::vector<T> &values, F combine) {
    Array memory = device.array(before);
    run("def k(memory, values):\n"
        "    i = tl.arange(0, 37)\n"
        "    pid = tl.program_id(0)\n"
        "    v = tl.load(values + pid * 37 + i)\n"
        "    tl." +
            function + "(memory + (i * 5 + pid) % 19, v, mask=i % 4 != 1, sem='relaxed')\n",
        {{"memory", memory}, {"values", device.array(values)}}, {programs});
    std::vector<T> expected = before;
    for (int pid = 0; pid < programs; ++pid)
      for (int i = 0; i < lanes; ++i)
        if (i % 4 != 1) {
          T &element = expected[(i * 5 + pid) % places];
          element = combine(element, values[pid * lanes + i]);
        }
    std::vector<T> actual = memory.toVector<T>();
    for (size_t i = 0; i < expected.size(); ++i)
      EXPECT_EQ(std::memcmp(&actual[i], &expected[i], sizeof(T)), 0)
          << function << " of " << name(detail::dtypeOf<T>()) << ", element " << i << ": "
          << actual[i] << ", not " << expected[i];
  }

  template <typename T, typename F> void expectCombined(const std::string &function, F combine) {
    expectCombined<T>(function, bits<T>(places), bits<T>(programs * lanes), combine);
  }

  template <typename T> void expectIntegerKinds() {
    expectCombined<T>("atomic_add", [](T x, T y) {
      return static_cast<T>(static_cast<uint64_t>(x) + static_cast<uint64_t>(y));
    });
    expectCombined<T>("atomic_max", [](T x, T y) { return std::max(x, y); });
    expectCombined<T>("atomic_min", [](T x, T y) { return std::min(x, y); });
    expectCombined<T>("atomic_and", std::bit_and<T>());
    expectCombined<T>("atomic_or", std::bit_or<T>());
    expectCombined<T>("atomic_xor", std::bit_xor<T>());
  }

  /// In IEEE 754's total order, which puts -0 before 0 and has a place for every NaN.
  template <typename T> void expectFloatExtrema() {
    auto isLess = [](T x, T y) { return std::strong_order(x, y) < 0; };
    expectCombined<T>("atomic_max", [&](T x, T y) { return isLess(x, y) ? y : x; });
    expectCombined<T>("atomic_min", [&](T x, T y) { return isLess(y, x) ? y : x; });
    constexpr T inf = std::numeric_limits<T>::infinity();
    std::vector<T> special = {0, -T(0), inf, -inf, 1, -1}, before(places, -T(0));
    std::vector<T> values(programs * lanes);
    for (T &value : values)
      value = special[random() % 2];
    expectCombined<T>("atomic_max", before, values, [&](T x, T y) { return isLess(x, y) ? y : x; });
    for (T &value : values)
      value = special[random() % special.size()];
    expectCombined<T>("atomic_min", before, values, [&](T x, T y) { return isLess(y, x) ? y : x; });
  }

  /// Small whole numbers, whose sums are exact in any order.
  void expectFloatSum(DType type) {
    std::vector<double> values(programs * lanes), expected(places);
    for (double &value : values)
      value = static_cast<double>(random() % 5) - 2;
    for (int pid = 0; pid < programs; ++pid)
      for (int i = 0; i < lanes; ++i)
        expected[(i + pid) % places] += values[pid * lanes + i];
    Array memory = device.zeros(type, {places}), out = device.zeros(DType::Float64, {places});
    Array given = device.array(values);
    run("def k(memory, values):\n"
        "    i = tl.arange(0, 37)\n"
        "    pid = tl.program_id(0)\n"
        "    (memory + (i + pid) % 19).atomic_add(tl.load(values + pid * 37 + i))\n",
        {{"memory", memory}, {"values", given}}, {programs});
    run("def k(memory, out):\n"
        "    i = tl.arange(0, 19)\n"
        "    tl.store(out + i, tl.load(memory + i))\n",
        {{"memory", memory}, {"out", out}});
    EXPECT_EQ(out.toVector<double>(), expected) << name(type);
  }
};
NEREID_ON_ALL_DEVICES(AtomicTest);

TEST_P(AtomicTest, IntegersOfEveryType) {
  expectIntegerKinds<int32_t>();
  expectIntegerKinds<uint32_t>();
  expectIntegerKinds<int64_t>();
  expectIntegerKinds<uint64_t>();
}

TEST_P(AtomicTest, LargestAndSmallestFloat) {
  expectFloatExtrema<float>();
  expectFloatExtrema<double>();
}

TEST_P(AtomicTest, SumsOfFloats) {
  for (DType type : {DType::Float16, DType::BFloat16, DType::Float32, DType::Float64})
    expectFloatSum(type);
}

/// What was there and what was written are the same as what came back and what is left.
TEST_P(AtomicTest, ExchangeLosesNothing) {
  auto before = bits<int64_t>(places), values = bits<int64_t>(programs * lanes);
  Array memory = device.array(before), old = device.zeros(DType::Int64, {programs * lanes});
  run(R"(
def k(memory, values, old):
    i = tl.arange(0, 37)
    pid = tl.program_id(0)
    v = tl.load(values + pid * 37 + i)
    tl.store(old + pid * 37 + i, tl.atomic_xchg(memory + (i * i + pid) % 19, v))
)",
      {{"memory", memory}, {"values", device.array(values)}, {"old", old}}, {programs});
  auto all = before, found = memory.toVector<int64_t>(), returned = old.toVector<int64_t>();
  all.insert(all.end(), values.begin(), values.end());
  found.insert(found.end(), returned.begin(), returned.end());
  std::ranges::sort(all);
  std::ranges::sort(found);
  EXPECT_EQ(found, all);
}

/// What executors give where a mask leaves an atomic out is zero, which the checked one lets nobody
/// rely on.
TEST_P(AtomicTest, ReturnsWhatWasThereAndNothingWhereMasked) {
  std::string stored = GetParam() == "check" ? ", mask=m)\n" : ")\n";
  for (const char *call : {"atomic_add(p, v, mask=m)", "atomic_max(p, v, mask=m)",
                           "atomic_min(p, v, m, 'acquire', 'cta')", "atomic_xchg(p, v, m)"}) {
    auto before = bits<float>(lanes), values = bits<float>(lanes);
    Array memory = device.array(before), old = device.zeros(DType::Float32, {lanes});
    run(std::string("def k(memory, values, old):\n"
                    "    i = tl.arange(0, 37)\n"
                    "    p, v, m = memory + i, tl.load(values + i), i % 3 == 0\n"
                    "    tl.store(old + i, tl.") +
            call + stored,
        {{"memory", memory}, {"values", device.array(values)}, {"old", old}});
    auto after = memory.toVector<float>(), returned = old.toVector<float>();
    for (int i = 0; i < lanes; ++i) {
      auto was = std::bit_cast<uint32_t>(before[i]);
      EXPECT_EQ(std::bit_cast<uint32_t>(returned[i]), i % 3 == 0 ? was : 0) << call << " " << i;
      if (i % 3 != 0)
        EXPECT_EQ(std::bit_cast<uint32_t>(after[i]), was) << call << " " << i;
    }
  }
}

TEST_P(AtomicTest, ScalarsHaveMasksToo) {
  Array memory = device.array(std::vector<int32_t>{5, 6}), old = device.zeros(DType::Int32, {2});
  run(std::string("def k(memory, old):\n"
                  "    pid = tl.program_id(0)\n"
                  "    was = tl.atomic_or(memory + pid, 9, mask=pid == 1)\n"
                  "    tl.store(old + pid, was") +
          (GetParam() == "check" ? ", mask=pid == 1)\n" : ")\n"),
      {{"memory", memory}, {"old", old}}, {2});
  EXPECT_EQ(memory.toVector<int32_t>(), (std::vector<int32_t>{5, 15}));
  EXPECT_EQ(old.toVector<int32_t>(), (std::vector<int32_t>{0, 6}));
}

template <typename T>
void expectSwaps(const std::vector<T> &memory, const std::vector<T> &before,
                 const std::vector<T> &expected, const std::vector<T> &values,
                 const std::vector<T> &old) {
  for (size_t i = 0; i < memory.size(); ++i) {
    EXPECT_EQ(memory[i], before[i] == expected[i] ? values[i] : before[i]) << i;
    EXPECT_EQ(old[i], before[i]) << i;
  }
}

TEST_P(AtomicTest, SwapsLanesThatHoldWhatIsExpected) {
  auto swap = [&]<typename T>(T) {
    std::vector<T> before(lanes), expected(lanes), values(lanes);
    for (int i = 0; i < lanes; ++i) {
      before[i] = static_cast<T>(random() % 1000);
      expected[i] = random() % 2 ? before[i] : static_cast<T>(random() % 1000);
      values[i] = static_cast<T>(random() % 1000);
    }
    Array memory = device.array(before), old = device.zeros(detail::dtypeOf<T>(), {lanes});
    run(R"(
def k(memory, expected, values, old):
    i = tl.arange(0, 37)
    e, v = tl.load(expected + i), tl.load(values + i)
    tl.store(old + i, tl.atomic_cas(memory + i, e, v))
)",
        {{"memory", memory},
         {"expected", device.array(expected)},
         {"values", device.array(values)},
         {"old", old}});
    expectSwaps(memory.toVector<T>(), before, expected, values, old.toVector<T>());
  };
  swap(int16_t());
  swap(uint16_t());
  swap(int32_t());
  swap(uint32_t());
  swap(int64_t());
  swap(uint64_t());
  swap(float());
  swap(double());
}

/// Bits, not numbers: -0 is not 0, and a NaN is itself.
TEST_P(AtomicTest, SwapComparesBits) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  Array memory = device.array(std::vector<float>{-0.0F, nan});
  run(R"(
def k(memory):
    tl.atomic_cas(memory, 0.0, 1.0)
    tl.atomic_cas(memory + 1, float('nan'), 2.0)
)",
      {{"memory", memory}});
  auto after = memory.toVector<float>();
  EXPECT_EQ(std::bit_cast<uint32_t>(after[0]), 0x80000000);
  EXPECT_EQ(after[1], 2);
}

/// An operation that no machine has, by trying again.
TEST_P(AtomicTest, SwapMakesAnyOperationAtomic) {
  Array memory = device.array(std::vector<uint64_t>{1});
  run(R"(
def k(memory):
    old = tl.load(memory, volatile=True)
    seen = tl.atomic_cas(memory, old, old * 3)
    while seen != old:
        old = seen
        seen = tl.atomic_cas(memory, old, old * 3)
)",
      {{"memory", memory}}, {500});
  uint64_t expected = 1;
  for (int i = 0; i < 500; ++i)
    expected *= 3;
  EXPECT_EQ(memory.toVector<uint64_t>()[0], expected);
}

} // namespace
