// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the race check is made of, against plain sets.
#include "check/AccessSets.h"
#include "check/Clocks.h"
#include "interpret/schedule/ProgramOrder.h"

#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>

namespace nereid::check {

TEST(Clocks, JoinAsMapsOfTheLatestTimes) {
  std::mt19937 random(3);
  Clocks clocks;
  std::vector<Clocks::Id> ids = {Clocks::nothing};
  std::vector<std::map<uint32_t, uint32_t>> maps = {{}};
  for (int step = 0; step < 500; ++step) {
    size_t a = random() % ids.size(), b = random() % ids.size();
    auto map = maps[a];
    if (step % 2) {
      uint32_t program = random() % 9, time = random() % 50;
      ids.push_back(clocks.with(ids[a], program, time));
      map[program] = std::max(map[program], time);
    } else {
      ids.push_back(clocks.join(ids[a], ids[b]));
      for (auto [program, time] : maps[b])
        map[program] = std::max(map[program], time);
    }
    maps.push_back(map);
    for (uint32_t program = 0; program < 9; ++program) {
      auto known = map.find(program);
      bool isKnown = known != map.end();
      uint32_t time = isKnown ? known->second : 0;
      ASSERT_EQ(clocks.covers(ids.back(), program, time), isKnown);
      ASSERT_FALSE(clocks.covers(ids.back(), program, time + 1));
    }
  }
}

TEST(Clocks, SayHowMuchTheyTake) {
  Clocks clocks;
  Clocks::Id known = Clocks::nothing;
  for (uint32_t time = 0; time < 100000; ++time)
    known = clocks.with(known, 3, time);
  EXPECT_GT(clocks.bytes(), 100000 * sizeof(std::vector<int>));
  EXPECT_LT(clocks.bytes(), 100000 * 64);
}

TEST(AccessSets, HoldTheLatestAccessOfEachProgram) {
  AccessSets sets;
  AccessSets::Id all = AccessSets::empty;
  for (uint32_t program = 0; program < 5; ++program)
    for (uint32_t time : {1, 2})
      all = sets.add(all, sets.single({program, time, 0, program != 3}));
  std::set<std::pair<uint32_t, uint32_t>> found;
  sets.find(all, [&](const PastAccess &access) {
    found.insert({access.program, access.time});
    return false;
  });
  EXPECT_EQ(found,
            (std::set<std::pair<uint32_t, uint32_t>>{{0, 2}, {1, 2}, {2, 2}, {3, 2}, {4, 2}}));
  EXPECT_FALSE(sets.isStrong(all));
  EXPECT_TRUE(sets.isStrong(sets.single({1, 1, 0, true})));
  AccessSets::Id one = sets.single({7, 1, 0, true});
  EXPECT_EQ(sets.add(all, one), sets.add(all, one));
}

TEST(AccessSets, KeepThePlainOnes) {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    AccessSets sets;
    AccessSets::Id all = AccessSets::empty;
    std::set<uint32_t> plain;
    for (uint32_t program = 0, count = random() % 9; program < count; ++program) {
      bool isStrong = random() % 2;
      all = sets.add(all, sets.single({program, 1, 0, isStrong}));
      if (!isStrong)
        plain.insert(program);
    }
    std::set<uint32_t> found;
    AccessSets::Id kept = sets.plainOf(all);
    sets.find(kept, [&](const PastAccess &access) {
      EXPECT_FALSE(access.isStrong);
      found.insert(access.program);
      return false;
    });
    EXPECT_EQ(found, plain);
    EXPECT_EQ(sets.plainOf(all), kept);
  }
}

TEST(ProgramOrder, ReachesEachProgramOnce) {
  for (uint64_t count : {1, 2, 3, 10, 64, 1000})
    for (uint64_t seed : {0, 1, 2, 99}) {
      std::set<uint64_t> reached;
      interpret::ProgramOrder order(count, seed);
      for (uint64_t turn = 0; turn < count; ++turn)
        reached.insert(order.at(turn));
      EXPECT_EQ(reached.size(), count);
      EXPECT_LT(*reached.rbegin(), count);
    }
}

} // namespace nereid::check
