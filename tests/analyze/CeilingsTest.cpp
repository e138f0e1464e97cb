// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What bounds a launch: which part of the time is whose alone, what the card could do, and what
// lies where in shared memory.
#include "AnalyzeTest.h"

using namespace nereid;
using test::AnalyzeTest;

namespace {

class CeilingsTest : public AnalyzeTest {
protected:
  Analysis product() {
    const int64_t size = 512;
    auto halves = [&] { return array(DType::Float16, {size, size}); };
    return analyze("matmul", {size / 128, size / 128},
                   {{"a", halves()},
                    {"b", halves()},
                    {"c", halves()},
                    {"M", size},
                    {"N", size},
                    {"K", size},
                    {"BM", 128},
                    {"BN", 128},
                    {"BK", 64}});
  }
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

} // namespace
