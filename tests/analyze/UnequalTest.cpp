// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs of which some do more than others, and what only an array's elements say.
#include "AnalyzeTest.h"

#include "backend/nvptx/EmittedKernel.h"

using namespace nereid;
using test::AnalyzeTest;

namespace {

class UnequalTest : public AnalyzeTest {
protected:
  static constexpr int64_t block = 1024, most = 900;

  Analysis ofLengths(const std::vector<int32_t> &lengths, AnalyzeOptions options = {}) {
    const auto count = int64_t(lengths.size());
    Array array = this->array(DType::Int32, {count});
    array.copyFrom(lengths.data());
    return analyze("ragged", {count},
                   {{"x", floats({most * block})},
                    {"lengths", array},
                    {"y", floats({count * block})},
                    {"BLOCK", block}},
                   options);
  }
  static bool saysOf(const std::vector<std::string> &notes, const std::string &text) {
    return std::ranges::any_of(
        notes, [&](const std::string &note) { return note.find(text) != std::string::npos; });
  }
};

/// A program that goes through its rows and then through others waits for both.
TEST_F(UnequalTest, LoopsWaitOneAfterTheOther) {
  auto waiting = [&](const char *kernel) {
    const Analysis a = analyze(
        kernel, {1},
        {{"x", floats({200 * block})}, {"y", floats({block})}, {"n", 100}, {"BLOCK", block}});
    return std::ranges::find(a.bounds, "latency", &Analysis::Bound::name)->seconds;
  };
  EXPECT_GT(waiting("sums_in_two_passes"), 1.7 * waiting("sums_of_rounds"));
}

/// A launch takes no less than its longest program takes alone.
TEST_F(UnequalTest, OneLongProgramIsWaitedFor) {
  std::vector<int32_t> lengths(1024, 0);
  lengths[3] = most;
  const Analysis all = ofLengths(lengths), alone = ofLengths({most});
  EXPECT_GT(all.seconds, 0.9 * alone.seconds);
  EXPECT_LT(all.seconds, 1.3 * alone.seconds);
  EXPECT_EQ(all.longestX, 3);
  EXPECT_GT(all.longestProgram, 50);
  EXPECT_LT(all.timeAtWork, 0.1);
  ASSERT_FALSE(all.advice.empty());
  EXPECT_NE(all.advice[0].cause.find("programs do unequally much: (3, 0, 0)"), std::string::npos);
  EXPECT_EQ(alone.longestProgram, 1);
  // Blocks begin as quickly whatever they do then.
  for (const Analysis::Bound &bound : all.bounds)
    if (bound.name == "block starts")
      EXPECT_LT(bound.seconds, 1e-6);
}

/// The same programs take longer where the longest begin last.
TEST_F(UnequalTest, OrderCounts) {
  std::vector<int32_t> rising(132 * 12 * 3, 50);
  std::fill(rising.end() - 66, rising.end(), 400);
  std::vector<int32_t> falling(rising.rbegin(), rising.rend());
  const Analysis late = ofLengths(rising), early = ofLengths(falling);
  EXPECT_LT(early.seconds, 0.95 * late.seconds);
}

/// Of a sample each program that is not run is taken to be as one near it.
TEST_F(UnequalTest, SampleKnowsWhereTheLongOnesAre) {
  std::vector<int32_t> lengths(4096, 2);
  for (size_t i = 0; i < lengths.size() / 4; ++i)
    lengths[i] = 100;
  AnalyzeOptions options;
  options.programs = 256;
  const Analysis all = ofLengths(lengths), some = ofLengths(lengths, options);
  ASSERT_LT(some.programsRun, all.programsRun);
  EXPECT_NEAR(some.longestProgram, all.longestProgram, 0.05 * all.longestProgram);
  EXPECT_NEAR(some.seconds, all.seconds, 0.05 * all.seconds);
}

/// A few programs that do most of the work are in each sample: an eighth of the others do as much.
TEST_F(UnequalTest, SampleHasTheFewThatAreLong) {
  std::vector<int32_t> lengths(2048, 1);
  for (size_t i : {100u, 777u, 1500u})
    lengths[i] = 600;
  AnalyzeOptions options;
  options.programs = 64;
  const Analysis all = ofLengths(lengths), some = ofLengths(lengths, options);
  ASSERT_EQ(some.programsRun, 64u);
  auto requests = [](const Analysis &analysis) {
    double sum = 0;
    for (const Analysis::Access &access : analysis.accesses)
      sum += double(access.requests);
    return sum;
  };
  EXPECT_NEAR(requests(some), requests(all), 0.01 * requests(all));
  EXPECT_EQ(some.longestX, all.longestX);
  EXPECT_NEAR(some.seconds, all.seconds, 0.05 * all.seconds);
}

/// Each program has one number, and those that are last along x come first, of each group of rows.
TEST(ProgramOrderTest, IsOfAllPrograms) {
  const uint64_t x = 7, rows = 10, blocks = 14;
  for (bool areLooped : {false, true}) {
    const backend::nvptx::ProgramOrder order{true, areLooped, 2};
    std::vector<bool> seen(x * rows);
    for (uint64_t number = 0; number < x * rows; ++number) {
      const uint64_t program = order.programAt(number, blocks, x, rows);
      ASSERT_LT(program, x * rows);
      EXPECT_FALSE(seen[program]);
      seen[program] = true;
    }
    EXPECT_EQ(order.programAt(0, blocks, x, rows) % x, x - 1);
    EXPECT_EQ(order.programAt(1, blocks, x, rows) % x, areLooped ? x - 1 : x - 2);
  }
}

/// Programs that run at once and read the same at about the same time find it in L1, though they
/// read more in all than it holds.
TEST_F(UnequalTest, ProgramsInStepShareL1) {
  const Analysis a = ofLengths(std::vector<int32_t>(132 * 12, 100));
  EXPECT_LT(use(a, "x").askedBytes, 132 * 12 / 6 * 100 * block * 4);
}

TEST_F(UnequalTest, WhatAnArrayHoldsIsSaidToCount) {
  EXPECT_TRUE(saysOf(ofLengths({0, 0, 0, 0}).notes,
                     "depend on what lengths holds: they are counted "
                     "for what it holds now, which is the same in "
                     "each element: pass what the launch has"));
  const Analysis differing = ofLengths({1, 2, 3, 4});
  EXPECT_TRUE(saysOf(differing.notes, "counted for what it holds now"));
  EXPECT_FALSE(saysOf(differing.notes, "the same in each element"));
}

TEST_F(UnequalTest, AddressesThatWereReadAreAnArrayOfTheirOwn) {
  constexpr int64_t count = 64;
  std::vector<int64_t> addresses(count);
  for (int64_t i = 0; i < count; ++i)
    addresses[size_t(i)] = (int64_t(1) << 40) + i % 4 * 4096;
  Array array = this->array(DType::Int64, {count});
  array.copyFrom(addresses.data());
  const Analysis a = analyze("by_address", {count},
                             {{"addresses", array}, {"y", floats({count * 256})}, {"BLOCK", 256}});
  const Analysis::ArrayUse &found = use(a, "by address");
  EXPECT_EQ(found.readBytes, 4 * 256 * 4u);
  EXPECT_EQ(found.askedBytes, count * 256 * 4u);
  EXPECT_TRUE(saysOf(a.notes, "pass the addresses that the launch has"));
}

} // namespace
