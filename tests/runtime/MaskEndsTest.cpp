// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Masks that compare numbers which count up along the lanes: CPUs look at the first and the last
// lane of a vector. Every place where a row may begin and end, and numbers that wrap within a
// vector.
#include "MeaningTest.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

using namespace nereid;

namespace {

using nereid::test::MeaningTest;

struct MaskOfLanes {
  const char *text;
  /// Of lane `i`, which holds the number `at`.
  bool (*isActive)(int64_t at, int lo, int hi);
};

const MaskOfLanes masksOfLanes[] = {
    {"at < hi", [](int64_t at, int, int hi) { return at < hi; }},
    {"hi > at", [](int64_t at, int, int hi) { return at < hi; }},
    {"at <= hi", [](int64_t at, int, int hi) { return at <= hi; }},
    {"hi >= at", [](int64_t at, int, int hi) { return at <= hi; }},
    {"at > lo", [](int64_t at, int lo, int) { return at > lo; }},
    {"lo < at", [](int64_t at, int lo, int) { return at > lo; }},
    {"at >= lo", [](int64_t at, int lo, int) { return at >= lo; }},
    {"lo <= at", [](int64_t at, int lo, int) { return at >= lo; }},
    {"at != hi", [](int64_t at, int, int hi) { return at != hi; }},
    {"(at >= lo) & (at < hi)", [](int64_t at, int lo, int hi) { return at >= lo && at < hi; }},
    {"(at < lo) | (at >= hi)", [](int64_t at, int lo, int hi) { return at < lo || at >= hi; }},
    {"(hi - at > 0) & (3 * at > lo)",
     [](int64_t at, int lo, int hi) {
       return int32_t(uint32_t(hi) - uint32_t(at)) > 0 && int32_t(3 * uint32_t(at)) > lo;
     }},
};

class MaskEnds : public MeaningTest {
protected:
  static constexpr int block = 256;

  /// A masked load that is summed and stored beside a masked store, for lanes that count from
  /// `first`.
  void expectMask(const MaskOfLanes &mask, int first, int lo, int hi) {
    std::string body = R"(
def k(x, copy, whole, sum, first, lo, hi, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    at = first + i
    mask = )" + std::string(mask.text) +
                       R"(
    row = tl.load(x + i, mask=mask, other=-3.0)
    tl.store(sum, tl.sum(row, 0))
    tl.store(whole + i, row)
    tl.store(copy + i, tl.load(x + i, mask=mask), mask=mask)
)";
    std::vector<float> x(block), copy(block, -1), whole(block), expectedCopy(copy),
        expectedWhole(block);
    float sum = 0;
    for (int i = 0; i < block; ++i) {
      x[i] = static_cast<float>(i % 37 + 1);
      bool isActive = mask.isActive(int32_t(uint32_t(first) + uint32_t(i)), lo, hi);
      expectedWhole[i] = isActive ? x[i] : -3;
      expectedCopy[i] = isActive ? x[i] : -1;
      sum += expectedWhole[i];
    }
    Array xs = device.array(x), copies = device.array(copy), wholes = device.array(whole),
          sums = device.zeros(DType::Float32, {1});
    run(body, {{"x", xs},
               {"copy", copies},
               {"whole", wholes},
               {"sum", sums},
               {"first", first},
               {"lo", lo},
               {"hi", hi},
               {"BLOCK", block}});
    std::string place = std::string(mask.text) + " from " + std::to_string(first) + ", " +
                        std::to_string(lo) + " to " + std::to_string(hi);
    EXPECT_EQ(wholes.toVector<float>(), expectedWhole) << place;
    EXPECT_EQ(copies.toVector<float>(), expectedCopy) << place;
    EXPECT_EQ(sums.toVector<float>()[0], sum) << place;
  }
};

TEST_P(MaskEnds, at_any_place) {
  for (const MaskOfLanes &mask : masksOfLanes)
    for (auto [lo, hi] : {std::pair{-5, 0},
                          {0, 1},
                          {1, 31},
                          {31, 32},
                          {32, 33},
                          {63, 64},
                          {64, 128},
                          {100, 255},
                          {255, 256},
                          {256, 257},
                          {500, 600},
                          {40, 20}})
      expectMask(mask, 0, lo, hi);
}

TEST_P(MaskEnds, of_numbers_that_wrap) {
  ignore({"wrapped_offset"});
  constexpr int most = std::numeric_limits<int>::max(), least = std::numeric_limits<int>::min();
  for (const MaskOfLanes &mask : masksOfLanes)
    for (int first : {most - 200, most - 40, most - 31, least, least + 1, -20})
      for (auto [lo, hi] :
           {std::pair{-5, 5}, {most - 20, most}, {most - 5, most - 1}, {least, least + 9}})
        expectMask(mask, first, lo, hi);
}

/// Numbers, zeros of both signs and NaNs of both kinds, where some are quiet because they were
/// computed.
TEST_P(MaskEnds, choose_numbers) {
  constexpr int count = 256;
  const float signalling = std::numeric_limits<float>::signaling_NaN(), quiet = NAN,
              infinity = INFINITY;
  const std::vector<float> values = {0.0f,  -0.0f,    1,         -1,     signalling,
                                     quiet, infinity, -infinity, 1e-42f, -1e-42f};
  std::vector<uint32_t> x(count), y(count);
  auto bits = [](float value) { return std::bit_cast<uint32_t>(value); };
  for (int i = 0; i < count; ++i) {
    x[i] = bits(values[i % values.size()]);
    y[i] = bits(values[i / values.size() % values.size()]);
  }
  Array xs = device.array(x), ys = device.array(y);
  Array most = device.zeros(DType::UInt32, {count}), least = device.zeros(DType::UInt32, {count});
  run(R"(
def k(x, y, most, least, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i).to(tl.float32, bitcast=True)
    c = tl.load(y + i).to(tl.float32, bitcast=True)
    tl.store(most + i, tl.maximum(a, c).to(tl.uint32, bitcast=True))
    tl.store(least + i, tl.minimum(a, c).to(tl.uint32, bitcast=True))
)",
      {{"x", xs}, {"y", ys}, {"most", most}, {"least", least}, {"N", count}});
  auto better = [](float a, float c, bool isMost) {
    if (std::isnan(a) || std::isnan(c))
      return std::isnan(a) ? c : a;
    if (a == c)
      return std::signbit(a) == isMost ? c : a;
    return (a > c) == isMost ? a : c;
  };
  for (bool isMost : {true, false}) {
    std::vector<uint32_t> results = (isMost ? most : least).toVector<uint32_t>();
    for (int i = 0; i < count; ++i) {
      float expected = better(std::bit_cast<float>(x[i]), std::bit_cast<float>(y[i]), isMost);
      if (std::isnan(expected))
        EXPECT_TRUE(std::isnan(std::bit_cast<float>(results[i]))) << i;
      else
        EXPECT_EQ(results[i], bits(expected)) << i << " " << isMost;
    }
  }
}

TEST_P(MaskEnds, leave_the_greatest_of_a_row) {
  const float signalling = std::numeric_limits<float>::signaling_NaN();
  struct Row {
    float first, other;
    uint32_t expected;
  };
  for (int length : {1, 7, 64, 100, 256, 300})
    for (Row row :
         {Row{-0.0f, 0.0f, 0}, Row{-0.0f, -0.0f, 0x80000000}, Row{5, signalling, 0x40A00000},
          Row{signalling, -1, 0xBF800000}, Row{NAN, -INFINITY, 0xFF800000}})
      for (int at : {0, length / 2, length - 1}) {
        std::vector<uint32_t> x(length, std::bit_cast<uint32_t>(row.first));
        x[at] = std::bit_cast<uint32_t>(row.other);
        uint32_t expected = length == 1 && std::isnan(row.other) ? 0x7FC00000
                            : length == 1                        ? x[0]
                                                                 : row.expected;
        Array xs = device.array(x), result = device.zeros(DType::UInt32, {1});
        run(R"(
def k(x, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    row = tl.load(x + i, mask=i < n, other=0x7FC00000).to(tl.float32, bitcast=True)
    tl.store(out, tl.max(row, 0).to(tl.uint32, bitcast=True))
)",
            {{"x", xs}, {"out", result}, {"n", length}, {"N", 512}});
        uint32_t found = result.toVector<uint32_t>()[0];
        bool areNans =
            std::isnan(std::bit_cast<float>(found)) && std::isnan(std::bit_cast<float>(expected));
        EXPECT_TRUE(found == expected || areNans)
            << length << " at " << at << ": " << std::hex << found;
      }
}

NEREID_ON_ALL_DEVICES(MaskEnds);

} // namespace
