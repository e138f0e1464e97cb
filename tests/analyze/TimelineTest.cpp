// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The timeline against what must hold whatever the model takes for how long: nothing is used before
// it is there, no slot holds two tiles, no part of the card does two things at once, and the rounds
// take as long as what bounds the kernel.
#include "AnalyzeTest.h"

using namespace nereid;
using test::AnalyzeTest;

namespace {

using Timeline = Analysis::Timeline;

constexpr double rounding = 1e-15;

std::vector<Timeline::Span> spansOf(const Analysis &a, const std::string &who,
                                    const std::string &kind) {
  std::vector<Timeline::Span> spans;
  for (const Timeline::Span &span : a.timeline.spans)
    if (span.who == who && !span.isWait && a.flow.steps[span.step].kind == kind)
      spans.push_back(span);
  return spans;
}

class TimelineTest : public AnalyzeTest {
protected:
  Analysis product(const std::string &target, int64_t size) {
    auto half = [&] { return array(DType::Float16, {size, size}); };
    AnalyzeOptions options;
    options.target = target;
    return analyze("matmul", {size / 128, size / 128},
                   {{"a", half()},
                    {"b", half()},
                    {"c", half()},
                    {"M", size},
                    {"N", size},
                    {"K", size},
                    {"BM", 128},
                    {"BN", 128},
                    {"BK", 64}},
                   options);
  }

  static void expectRoomsAreUsedInTurn(const Analysis &a) {
    for (unsigned room = 0; room < a.flow.rooms.size(); ++room)
      for (unsigned slot = 0; slot < a.flow.rooms[room].slots; ++slot) {
        double free = 0;
        for (const Timeline::Hold &hold : a.timeline.holds)
          if (hold.room == room && hold.slot == slot) {
            EXPECT_GE(hold.begin, free - rounding);
            EXPECT_GE(hold.there, hold.begin);
            EXPECT_GE(hold.end, hold.there);
            free = hold.end;
          }
      }
  }
  static void expectOneAtATime(const Analysis &a, const std::string &who) {
    double end = 0;
    for (const Timeline::Span &span : a.timeline.spans)
      if (span.who == who) {
        EXPECT_GE(span.begin, end - rounding) << who;
        end = span.end;
      }
  }
};

TEST_F(TimelineTest, RingsAreFilledAheadOfTheWarpsThatMultiply) {
  Analysis a = product("sm_90a", 2048);
  ASSERT_GE(a.flow.rooms.size(), 2u);
  for (unsigned room : {0u, 1u}) {
    EXPECT_EQ(a.flow.rooms[room].bytes, 128u * 64 * 2);
    EXPECT_GE(a.flow.rooms[room].slots, 2u);
  }
  expectRoomsAreUsedInTurn(a);
  for (const char *who : {"warps", "fetching warp", "tensor cores"})
    expectOneAtATime(a, who);
  auto products = spansOf(a, "tensor cores", "product");
  ASSERT_EQ(products.size(), 12u); // of 32 rounds
  EXPECT_TRUE(a.timeline.isCut);
  // The k-th product reads the k-th tile of each ring, which is there by then.
  for (unsigned room : {0u, 1u}) {
    std::vector<Timeline::Hold> holds;
    for (const Timeline::Hold &hold : a.timeline.holds)
      if (hold.room == room)
        holds.push_back(hold);
    ASSERT_EQ(holds.size(), products.size());
    for (size_t round = 0; round < holds.size(); ++round) {
      EXPECT_LE(holds[round].there, products[round].begin + rounding);
      EXPECT_GE(holds[round].end, products[round].end - rounding);
    }
    // The fetching warp is ahead: while the first tile is multiplied the next is on its way.
    EXPECT_LT(holds[1].begin, products[0].begin);
  }
  // A round takes what the tensor cores, which bound the kernel, take for it.
  ASSERT_EQ(a.bound, "tensor cores");
  double bound = a.bounds.front().seconds;
  double each =
      bound * double(std::min<uint64_t>(a.blocks, a.multiprocessors)) / double(a.programs) / 32;
  double measured = (products[11].end - products[5].end) / 6;
  EXPECT_NEAR(measured, each, 0.15 * each);
}

TEST_F(TimelineTest, CopiesAreAwaitedOneGroupAfterTheOther) {
  Analysis a = product("sm_80", 1024);
  ASSERT_GE(a.flow.rooms.size(), 2u);
  EXPECT_TRUE(std::ranges::none_of(a.flow.steps, &Analysis::Step::isOfProducer));
  expectOneAtATime(a, "warps");
  auto products = spansOf(a, "tensor cores", "product");
  ASSERT_GE(products.size(), 6u);
  std::vector<Timeline::Hold> holds;
  for (const Timeline::Hold &hold : a.timeline.holds)
    if (hold.room == 0)
      holds.push_back(hold);
  ASSERT_GE(holds.size(), products.size());
  for (size_t round = 0; round < products.size(); ++round)
    EXPECT_LE(holds[round].there, products[round].begin + rounding);
}

TEST_F(TimelineTest, WhatIsLoadedIsWaitedFor) {
  Analysis a = analyze(
      "copy", {4096},
      {{"x", floats({4194304})}, {"y", floats({4194304})}, {"n", 4194304}, {"BLOCK", 1024}});
  auto loads = spansOf(a, "memory", "load"), stores = spansOf(a, "memory", "store");
  ASSERT_EQ(loads.size(), 1u);
  ASSERT_EQ(stores.size(), 1u);
  EXPECT_GE(stores[0].begin, loads[0].end - rounding);
  EXPECT_FALSE(a.timeline.isCut);
  bool isWait = std::ranges::any_of(a.timeline.spans, [&](const Timeline::Span &span) {
    return span.isWait && span.who == "warps" && std::abs(span.end - loads[0].end) < rounding;
  });
  EXPECT_TRUE(isWait);
  EXPECT_EQ(a.timeline.seconds, stores[0].end);
}

TEST_F(TimelineTest, OfManyRoundsTheFirstAreShown) {
  Analysis a =
      analyze("rounds", {64},
              {{"x", floats({16384})}, {"y", floats({16384})}, {"n", 100000}, {"BLOCK", 256}});
  EXPECT_TRUE(a.timeline.isCut);
  EXPECT_LE(a.timeline.spans.size(), 60u);
  EXPECT_EQ(spansOf(a, "memory", "store").size(), 1u);
}

} // namespace
