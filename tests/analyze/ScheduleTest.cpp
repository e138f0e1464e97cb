// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks that share what an SM and the card have, until the last one ends.
#include "analyze/InstructionCounts.h"
#include "analyze/predict/Predict.h"
#include "analyze/predict/ScheduleBlocks.h"
#include "target/Card.h"

#include <gtest/gtest.h>

using namespace nereid::analyzer;

namespace {

double secondsOf(std::vector<double> works, const Shares &shares, unsigned sms, unsigned blocks) {
  return scheduleBlocks({0, 1, std::move(works), 0}, shares, sms, blocks).seconds;
}

TEST(ScheduleTest, EqualBlocksAreFillingsOfTheCard) {
  const Shares shares{.alone = 3, .ofSm = 1, .ofCard = 0.1, .ofPort = 0.5, .overlap = 3};
  const std::vector<double> works(4 * 2 * 3, 1);
  EXPECT_NEAR(secondsOf(works, shares, 4, 2), 3 * shares.secondsOf(2, 8), 1e-9);
}

TEST(ScheduleTest, WhoWaitsAloneTakesAsLongAmongOthers) {
  const Shares shares{.alone = 2};
  EXPECT_NEAR(secondsOf({1, 1, 1, 10}, shares, 1, 4), 20, 1e-9);
  EXPECT_NEAR(secondsOf({1, 1, 1, 10}, shares, 1, 1), 26, 1e-9); // one behind the other
}

/// Four blocks share a unit until three of them have done 1 each; the rest of the last has it
/// alone.
TEST(ScheduleTest, WhoIsLeftHasTheSmAlone) {
  const Shares shares{.ofSm = 1};
  EXPECT_NEAR(secondsOf({1, 1, 1, 10}, shares, 1, 4), 4 + 9, 1e-9);
}

/// What is waited for behind what was bound by a unit comes on top of it: neither hides the other.
TEST(ScheduleTest, ATailComesOnTop) {
  const Shares shares{.alone = 1, .ofSm = 1, .overlap = 50};
  EXPECT_NEAR(secondsOf({1, 1, 1, 10}, shares, 1, 4), 4 + 9, 0.2);
}

TEST(ScheduleTest, OneSmDoesNotGetAllOfTheCard) {
  const Shares shares{.ofCard = 1, .ofPort = 5};
  EXPECT_NEAR(secondsOf(std::vector<double>(10, 1), shares, 10, 1), 10, 1e-9);
  EXPECT_NEAR(secondsOf({1}, shares, 10, 1), 5, 1e-9);
}

TEST(ScheduleTest, LongBlocksThatBeginLastAreWaitedFor) {
  const Shares shares{.alone = 1, .ofSm = 0.3, .overlap = 3};
  std::vector<double> rising(64, 1);
  for (size_t i = 60; i < 64; ++i)
    rising[i] = 8;
  const std::vector<double> falling(rising.rbegin(), rising.rend());
  EXPECT_LT(secondsOf(falling, shares, 4, 4), 0.9 * secondsOf(rising, shares, 4, 4));
}

/// Places that are free at the same time are of all SMs alike, not of one after the other.
TEST(ScheduleTest, LongBlocksAreSpread) {
  const Shares shares{.ofSm = 1, .overlap = 3};
  std::vector<double> works(4 * 4 * 2, 1);
  for (size_t i = 0; i < 4; ++i)
    works.push_back(8);
  EXPECT_NEAR(secondsOf(works, shares, 4, 4), 4 + 4 + 8, 1e-6);
}

TEST(ScheduleTest, SmsThatHaveEndedAreNotAtWork) {
  const Shares shares{.alone = 1};
  const BlockSchedule schedule = scheduleBlocks({0, 1, {1, 1, 1, 5}, 0}, shares, 4, 1);
  EXPECT_NEAR(schedule.seconds, 5, 1e-9);
  EXPECT_NEAR(schedule.timeAtWork, (1 + 1 + 1 + 5) / 20.0, 1e-9);
}

/// Of multiply-adds that need nothing of one another few warps give as many as they can.
TEST(InstructionsOfWarpsTest, IndependentOnesNeedFewWarps) {
  nereid::Analysis analysis;
  nereid::Analysis::Instructions &line = analysis.instructions.emplace_back();
  line.fma = 90;
  line.alu = 10;
  InstructionCosts costs;
  EXPECT_DOUBLE_EQ(cyclesOfInstruction(analysis, costs), 3);
  nereid::Analysis::Product &product = analysis.products.emplace_back();
  product.instruction = "fma";
  product.count = 90;
  EXPECT_DOUBLE_EQ(cyclesOfInstruction(analysis, costs), 1.2);
  // The code says it.
  costs.warpCycles = 1.5 * double(countOf(sumOf(analysis.instructions)));
  EXPECT_DOUBLE_EQ(cyclesOfInstruction(analysis, costs), 1.5);
  Demand demand;
  demand.issueCycles = 1e6;
  demand.blocks = 132;
  demand.warpsOfSm = 8;
  const nereid::target::Card card = *nereid::target::findCard("h200");
  const double dependent = secondsOf(demand, card);
  demand.cyclesOfInstruction = 1;
  EXPECT_LT(secondsOf(demand, card), 0.9 * dependent);
  // One warp has its scheduler for itself: what it waits for is counted as latency.
  demand.warpsOfSm = 4;
  const double alone = secondsOf(demand, card);
  demand.cyclesOfInstruction = 3;
  EXPECT_DOUBLE_EQ(secondsOf(demand, card), alone);
}

} // namespace
