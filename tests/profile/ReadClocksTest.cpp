// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Times of blocks and warps from what they noted, with figures made by hand.
#include "profile/ReadClocks.h"

#include <gtest/gtest.h>

namespace nereid::test {

using runtime::ClockReadings;
using runtime::ClockRecord;
using runtime::ClockSite;

namespace {

enum Site : uint32_t { Begin = 1, Load, Wait, End, Fetch, FetchEnd };

/// One block of two warps on SM 3, a gigahertz: cycles are nanoseconds. Areas of 8 records.
ClockReadings twoWarps() {
  ClockReadings readings;
  readings.sites = {
      {.name = ClockName::begin},
      {.name = ClockName::load, .place = {.file = "k.py", .line = 4, .lastLine = 4}},
      {.name = ClockName::await_load, .place = {.file = "k.py", .line = 4, .lastLine = 6}},
      {.name = ClockName::end},
      {.name = ClockName::fetch, .isProducer = true, .place = {.file = "k.py", .line = 4}},
      {.name = ClockName::end, .isProducer = true}};
  readings.blocks = 1;
  readings.warps = 2;
  readings.clockHertz = 1e9;
  readings.multiprocessors = 4;
  readings.shares = {1, 1, 64, 1, 2};
  readings.rows = {{1'000'000, 5'000'000'000, 5'000'001'000, 1'001'000, 3}};
  auto low = [](uint64_t cycles) { return static_cast<uint32_t>(cycles); };
  uint64_t begin = 5'000'000'000;
  readings.records = {{low(begin + 10), Begin},
                      {low(begin + 110), Load},
                      {low(begin + 510), Wait},
                      {low(begin + 610), Load},
                      {0, 0},
                      {0, 0},
                      {0, 0},
                      {low(begin + 1000), End},
                      {low(begin - 20), Begin},
                      {low(begin + 80), Fetch},
                      {0, 0},
                      {0, 0},
                      {0, 0},
                      {0, 0},
                      {0, 0},
                      {low(begin + 180), FetchEnd}};
  return readings;
}

const Profile::Line &lineOf(const Profile &profile, const std::string &what,
                            bool isProducer = false) {
  for (const Profile::Line &line : profile.lines)
    if (line.what == what && line.isProducer == isProducer)
      return line;
  throw std::runtime_error("no line of " + what);
}

} // namespace

TEST(ReadClocksTest, IntervalsAreAddedUpByLine) {
  Profile profile = profiler::readClocks(twoWarps());
  const Profile::Line &load = lineOf(profile, "load"), &wait = lineOf(profile, "await_load");
  EXPECT_EQ(load.count, 2u);
  EXPECT_NEAR(load.seconds, 200e-9, 1e-15);
  EXPECT_NEAR(load.share, 200. / 990, 1e-9);
  EXPECT_NEAR(wait.share, 400. / 990, 1e-9);
  EXPECT_TRUE(wait.isWait);
  EXPECT_EQ(wait.lastLine, 6u);
  EXPECT_NEAR(lineOf(profile, "end").seconds, 390e-9, 1e-15);
  // Of the other role's time.
  EXPECT_NEAR(lineOf(profile, "fetch", true).share, 0.5, 1e-9);
  EXPECT_NEAR(profile.waits, 400. / 990, 1e-9);
  EXPECT_DOUBLE_EQ(profile.recorded, 1);
  EXPECT_EQ(profile.lines.front().what, "await_load"); // the longest first
}

TEST(ReadClocksTest, TimesBeginWithTheFirstBlock) {
  Profile profile = profiler::readClocks(twoWarps());
  ASSERT_EQ(profile.blocks.size(), 1u);
  EXPECT_EQ(profile.blocks[0].multiprocessor, 3u);
  EXPECT_NEAR(profile.blocks[0].begin, 0, 1e-12);
  EXPECT_NEAR(profile.blocks[0].end, 1e-6, 1e-12);
  ASSERT_EQ(profile.intervals.size(), 6u);
  EXPECT_NEAR(profile.intervals[1].begin, 110e-9, 1e-12);
  EXPECT_NEAR(profile.intervals[1].end, 510e-9, 1e-12);
  EXPECT_NEAR(profile.intervals[4].begin, -20e-9, 1e-12); // before the block's first warp looked
}

TEST(ReadClocksTest, TheLowHalfOfTheCyclesTurnsOver) {
  ClockReadings readings = twoWarps();
  const uint64_t shift = (uint64_t(2) << 32) - 5'000'000'000 % (uint64_t(1) << 32) - 300;
  for (runtime::BlockRow &row : readings.rows) {
    row.beginCycles += shift;
    row.endCycles += shift;
  }
  for (ClockRecord &record : readings.records)
    record.clock = record.site ? uint32_t(record.clock + shift) : 0;
  Profile profile = profiler::readClocks(readings);
  EXPECT_NEAR(lineOf(profile, "await_load").seconds, 400e-9, 1e-15);
  EXPECT_NEAR(profile.intervals[1].end, 510e-9, 1e-12);
}

TEST(ReadClocksTest, WhatFoundNoRoomIsSaid) {
  ClockReadings readings = twoWarps();
  for (unsigned i = 4; i < 7; ++i)
    readings.records[i] = {readings.records[3].clock + 10 * (i - 3), Load};
  Profile profile = profiler::readClocks(readings);
  // 360 of 990 + 200 cycles came behind the last record.
  EXPECT_NEAR(profile.recorded, 1 - 360. / 1190, 1e-9);
  EXPECT_NEAR(lineOf(profile, "await_load").share, 400. / 630, 1e-9);
}

TEST(ReadClocksTest, MultiprocessorsCountCyclesOfTheirOwn) {
  ClockReadings readings = twoWarps();
  readings.blocks = 2;
  readings.shares = {1, 2, 64, 2, 2};
  readings.rows.push_back({1'000'500, 77, 577, 1'001'000, 0});
  Profile profile = profiler::readClocks(readings);
  EXPECT_NEAR(profile.blocks[1].begin, 500e-9, 1e-12);
  EXPECT_NEAR(profile.blocks[1].end, 1e-6, 1e-12);
  EXPECT_NEAR(profile.resolution, 500e-9, 1e-15);
}

TEST(ReadClocksTest, WhatNoKernelWritesIsAMistakeOfOurs) {
  ClockReadings unknown = twoWarps(), endless = twoWarps(), unborn = twoWarps(),
                reversed = twoWarps();
  unknown.records[1].site = 99;
  endless.records[7] = {};
  unborn.records[8] = {};
  reversed.rows[0].endCycles = 1;
  for (const ClockReadings &readings : {unknown, endless, unborn, reversed})
    try {
      profiler::readClocks(readings);
      ADD_FAILURE() << "was taken";
    } catch (const Error &error) {
      EXPECT_EQ(error.kind(), Error::Kind::Internal);
    }
}

TEST(ReadClocksTest, AreShown) {
  Profile profile = profiler::readClocks(twoWarps());
  profile.kernel = "k";
  profile.file = "k.py";
  profile.text = "one\ntwo\nthree\n    x = tl.load(p)\n";
  profile.device = "a GPU";
  std::string text = toText(profile);
  EXPECT_NE(text.find("4-6       40.4 %"), std::string::npos) << text;
  EXPECT_NE(text.find("waits for what was asked of memory: x = tl.load(p)"), std::string::npos)
      << text;
  EXPECT_EQ(text.find('\033'), std::string::npos);
  EXPECT_NE(toText(profile, /*isColored=*/true).find("\033[31m"), std::string::npos);
  EXPECT_NE(toJson(profile).find("\"what\": \"await_load\""), std::string::npos);
  std::string trace = toTrace(profile);
  EXPECT_NE(trace.find(R"("name":"await_load :4-6","cat":"wait","ph":"X","pid":3)"),
            std::string::npos)
      << trace;
  EXPECT_NE(trace.find(R"({"name":"SM 3"})"), std::string::npos);
}

} // namespace nereid::test
