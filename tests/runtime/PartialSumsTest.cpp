// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cpu/PartialSums.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

using namespace nereid;
using runtime::SharedLoop;
using runtime::cpu::chooseParts;
using runtime::cpu::PartialSums;

namespace {

/// What one part adds up: something of each type, more than a cache line and less.
struct Sums {
  std::vector<float> floats = std::vector<float>(37);
  double number = 0;
  std::vector<int32_t> integers = std::vector<int32_t>(16);
  int64_t count = 0;

  explicit Sums(uint64_t part) {
    for (size_t i = 0; i < floats.size(); ++i)
      floats[i] = 1.0f / static_cast<float>(part * 37 + i + 1);
    number = 1.0 / static_cast<double>(part + 3);
    std::iota(integers.begin(), integers.end(), static_cast<int32_t>(part));
    count = static_cast<int64_t>(part) << 40;
  }
  static SharedLoop loop() {
    return {{{DType::Float32, 37}, {DType::Float64, 1}, {DType::Int32, 16}, {DType::Int64, 1}},
            100};
  }
  std::vector<void *> addresses() { return {floats.data(), &number, integers.data(), &count}; }
  void operator+=(const Sums &other) {
    for (size_t i = 0; i < floats.size(); ++i)
      floats[i] += other.floats[i];
    number += other.number;
    for (size_t i = 0; i < integers.size(); ++i)
      integers[i] += other.integers[i];
    count += other.count;
  }
  bool operator==(const Sums &) const = default;
};

/// The sums of the parts [begin, begin + span) of a program, of which there may be fewer, as
/// neighbours add them.
Sums inOrder(uint64_t first, uint64_t begin, uint64_t span, uint64_t parts) {
  if (span == 1)
    return Sums(first + begin);
  Sums sums = inOrder(first, begin, span / 2, parts);
  if (begin + span / 2 < parts)
    sums += inOrder(first, begin + span / 2, span / 2, parts);
  return sums;
}

TEST(PartialSums, AreAddedInOneOrderWhoeverComesFirst) {
  std::mt19937 random(3);
  SharedLoop loop = Sums::loop();
  for (uint64_t parts : {2, 3, 4, 5, 7, 8, 13, 16, 31})
    for (uint64_t programs : {1, 3}) {
      std::vector<uint64_t> order(parts * programs);
      std::iota(order.begin(), order.end(), 0);
      std::shuffle(order.begin(), order.end(), random);
      PartialSums meeting(loop, programs, parts);
      std::vector<int> winners(programs);
      for (uint64_t part : order) {
        Sums own(part);
        if (!meeting.meet(part, own.addresses().data()))
          continue;
        uint64_t first = part - part % parts;
        ++winners[part / parts];
        EXPECT_EQ(own, inOrder(first, 0, 32, parts)) << parts << " parts";
      }
      EXPECT_EQ(winners, std::vector<int>(programs, 1)) << parts << " parts";
    }
}

TEST(PartialSums, MeetOnThreads) {
  SharedLoop loop = Sums::loop();
  constexpr uint64_t parts = 7, programs = 2, threads = 4;
  for (int launch = 0; launch < 200; ++launch) {
    PartialSums meeting(loop, programs, parts);
    std::atomic<uint64_t> next = 0, won = 0, wrong = 0;
    auto work = [&] {
      for (uint64_t part; (part = next++) < parts * programs;) {
        Sums own(part);
        if (!meeting.meet(part, own.addresses().data()))
          continue;
        ++won;
        wrong += own != inOrder(part - part % parts, 0, 8, parts);
      }
    };
    std::vector<std::jthread> others;
    for (uint64_t i = 0; i < threads; ++i)
      others.emplace_back(work);
    others.clear();
    ASSERT_EQ(won.load(), programs);
    ASSERT_EQ(wrong.load(), 0u);
  }
}

TEST(PartialSums, AreWorthTheirMeeting) {
  SharedLoop tile{{{DType::Float32, 64 * 64}}, 3000};
  EXPECT_EQ(chooseParts(tile, 16, 1000, 16), 1u); // a program for each thread
  EXPECT_EQ(chooseParts(tile, 1, 1000, 1), 1u);
  EXPECT_EQ(chooseParts(tile, 1, 1, 16), 1u);
  EXPECT_EQ(chooseParts(tile, 1, 0, 16), 1u);
  EXPECT_EQ(chooseParts(tile, 1, 1000, 16), 16u); // 3 ms become 0.2
  EXPECT_EQ(chooseParts(tile, 4, 1000, 16), 4u);
  EXPECT_EQ(chooseParts(tile, 8, 1000, 16), 2u);
  EXPECT_EQ(chooseParts(tile, 1, 3, 16), 1u); // 9 us are not worth it
  EXPECT_LE(chooseParts(tile, 1, 5, 64), 5u);
  // Of 12 programs 4 threads would have nothing: 4 parts each make 3 for a thread.
  EXPECT_EQ(chooseParts(tile, 12, 1000, 16), 4u);
  // 1 MiB of sums takes longer to fetch than 20 rounds.
  EXPECT_EQ(chooseParts({{{DType::Float32, 1 << 18}}, 3000}, 1, 20, 16), 1u);
}

} // namespace
