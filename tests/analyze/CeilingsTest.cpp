// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What bounds a launch: which part of the time is whose alone, what the card could do, and what
// lies where in shared memory.
#include "AnalyzeTest.h"

using namespace nereid;
using test::AnalyzeTest;

namespace {

class CeilingsTest : public AnalyzeTest {
protected:
  Analysis product(int64_t m, int64_t n, int64_t k, int64_t tile) {
    auto halves = [&](int64_t r, int64_t c) { return array(DType::Float16, {r, c}); };
    return analyze("matmul", {m / tile, n / tile},
                   {{"a", halves(m, k)},
                    {"b", halves(k, n)},
                    {"c", halves(m, n)},
                    {"M", m},
                    {"N", n},
                    {"K", k},
                    {"BM", tile},
                    {"BN", tile},
                    {"BK", 64}});
  }
  Analysis product() { return product(512, 512, 512, 128); }
  static bool hasCeiling(const Analysis &analysis, const std::string &name) {
    return std::ranges::count(analysis.ceilings, name, &Analysis::Ceiling::name) == 1;
  }
};

/// What bounds a launch would be gone from its time, and of what others hide little is.
TEST_F(CeilingsTest, NothingHidesWhatBounds) {
  const int64_t n = 1 << 24;
  const Analysis a = analyze("copy", {n / 1024},
                             {{"x", floats({n})}, {"y", floats({n})}, {"n", n}, {"BLOCK", 1024}});
  ASSERT_EQ(a.bounds[0].name, "memory");
  EXPECT_GT(a.bounds[0].exposedSeconds, 0.5 * a.bounds[0].seconds);
  for (const Analysis::Bound &bound : a.bounds) {
    EXPECT_GE(bound.exposedSeconds, 0);
    EXPECT_LE(bound.exposedSeconds, bound.seconds * 1.0001);
    if (bound.seconds < 0.2 * a.bounds[0].seconds) {
      EXPECT_LT(bound.exposedSeconds, 0.2 * bound.seconds) << bound.name;
    }
  }
}

TEST_F(CeilingsTest, EachLevelAndUnitHasOne) {
  const Analysis a = product();
  for (const char *name : {"memory", "L2", "shared memory", "tensor cores", "FMA"})
    EXPECT_TRUE(hasCeiling(a, name)) << name;
  EXPECT_FALSE(hasCeiling(a, "f64"));
  for (const Analysis::Ceiling &each : a.ceilings) {
    EXPECT_GT(each.rate, 0);
    EXPECT_EQ(each.isOfBytes, each.bytes > 0) << each.name;
  }
}

/// Of a ring by mbarriers each round waits for its tiles and gives them back.
TEST_F(CeilingsTest, MbarriersAreCountedByLine) {
  const Analysis a = product();
  uint64_t waits = 0, releases = 0;
  for (const Analysis::Shared &entry : a.shared) {
    waits += entry.kind == "await_slot" ? entry.mbarriers : 0;
    releases += entry.kind == "release" ? entry.mbarriers : 0;
    EXPECT_TRUE(!entry.mbarriers || entry.place.line);
  }
  const uint64_t rounds = 512 / 64 * a.programs;
  EXPECT_GE(waits, rounds);
  EXPECT_GE(releases, rounds);
}

/// Rows that follow one another begin in other banks.
TEST_F(CeilingsTest, TilesAreSwizzled) {
  const Analysis a = product();
  ASSERT_FALSE(a.flow.rooms.empty());
  bool isSwizzled = false;
  for (const Analysis::Flow::Room &room : a.flow.rooms) {
    EXPECT_GE(uint64_t(1) << room.offsets.size() << 0, room.bytes / room.elementBytes);
    for (const std::vector<int64_t> &basis : room.offsets)
      isSwizzled |= basis.size() == 2 && basis[0] && basis[1];
  }
  EXPECT_TRUE(isSwizzled);
}

/// Of one round there is nothing but the engine's beginning and end.
TEST_F(CeilingsTest, TheEngineTakesItsTime) {
  const Analysis a = product(64, 64, 64, 64);
  const Analysis copied =
      analyze("copy", {1}, {{"x", floats({64})}, {"y", floats({64})}, {"n", 64}, {"BLOCK", 64}});
  EXPECT_GT(a.seconds, copied.seconds + 1.3e-6);
}

/// Programs that take turns on an SM ask for the same at other times than their neighbours.
TEST_F(CeilingsTest, FewAreInStepWhereAnSmHasMany) {
  auto timesAsked = [&](int64_t rows) {
    const Analysis a = product(rows, 1024, 256, 64);
    return double(use(a, "a").askedBytes) / double(use(a, "a").readBytes);
  };
  EXPECT_GT(timesAsked(2048), 1.5 * timesAsked(512));
}

/// What two programs of an SM read does not stay in L1 until they read it again: 256 programs are
/// two for nearly each of 132.
TEST_F(CeilingsTest, WhatFillsL1IsReadAgain) {
  auto timesAsked = [&](int64_t programs) {
    const int64_t n = 32, size = programs * n * 1024;
    const Analysis a =
        analyze("scaled_by_sums", {programs},
                {{"x", floats({size})}, {"y", floats({size})}, {"n", n}, {"BLOCK", 1024}});
    return double(use(a, "x").askedBytes) / double(use(a, "x").readBytes);
  };
  EXPECT_GT(timesAsked(256), 1.9);
  EXPECT_LT(timesAsked(132), 1.1);
}

/// Rows that begin anywhere have sectors in two parts, which neighbouring lanes store; that is less
/// than columns, of which each lane stores a part of a sector of its own.
TEST_F(CeilingsTest, EndsOfRowsAreNoColumns) {
  auto work = [&](int64_t pitch) {
    const Analysis a = analyze("copied_rows", {256},
                               {{"x", floats({256 * pitch})},
                                {"y", floats({256 * pitch})},
                                {"cols", 1000},
                                {"pitch", pitch},
                                {"BLOCK", 1024}});
    return double(access(a, "store").l2Work);
  };
  EXPECT_GT(work(1001), 1.2 * work(1008));
  EXPECT_LT(work(1001), 2 * work(1008));
}

} // namespace
