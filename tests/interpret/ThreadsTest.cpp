// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads of a block: where they are, what they share, and where they wait.
#include "KernelRun.h"

#include <gtest/gtest.h>
#include <numeric>

namespace nereid::interpret {
namespace {

/// Stores what `body` makes of the thread's number `%t` as `%r`, at the thread's place in %out.
std::string kernelOf(int threads, const std::string &body) {
  return "func.func @k(%out: !tile.ptr<i32>) attributes {tile.block = array<i64: " +
         std::to_string(threads) + ", 1, 1>} {\n%t = tile.thread_id 0\n" + body + R"(
      %b = tile.program_id 0
      %n = arith.constant )" +
         std::to_string(threads) + R"( : i32
      %before = arith.muli %b, %n : i32
      %i = arith.addi %before, %t : i32
      %p = tile.offset %out, %i : !tile.ptr<i32>, i32
      tile.store %p, %r : !tile.ptr<i32>
      return
    })";
}

std::vector<int32_t> resultOf(int threads, unsigned blocks, const std::string &body,
                              std::optional<uint64_t> seed = {}) {
  std::vector<int32_t> out(size_t(threads) * blocks, -1);
  RunSettings settings;
  settings.shuffleSeed = seed;
  KernelRun().array(out).run(kernelOf(threads, body), {blocks, 1, 1}, settings);
  return out;
}

TEST(Threads, hand_over_through_shared_memory_in_any_order) {
  std::string body = R"(
      %cache = tile.shared 5 : !tile.ptr<i32>
      %own = tile.offset %cache, %t : !tile.ptr<i32>, i32
      tile.store %own, %t : !tile.ptr<i32>
      tile.sync_threads
      %four = arith.constant 4 : i32
      %other = arith.subi %four, %t : i32
      %there = tile.offset %cache, %other : !tile.ptr<i32>, i32
      %r = tile.load %there : !tile.ptr<i32>)";
  std::vector<int32_t> expected = {4, 3, 2, 1, 0, 4, 3, 2, 1, 0};
  EXPECT_EQ(resultOf(5, 2, body), expected);
  for (uint64_t seed : {1, 2, 3})
    EXPECT_EQ(resultOf(5, 2, body, seed), expected) << seed;
}

TEST(Threads, have_memory_of_their_own) {
  std::vector<int32_t> expected(7);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(resultOf(7, 1, R"(
      %own = tile.local 1 : !tile.ptr<i32>
      tile.store %own, %t : !tile.ptr<i32>
      tile.sync_threads
      %r = tile.load %own : !tile.ptr<i32>)"),
            expected);
}

TEST(Threads, count_at_a_barrier) {
  EXPECT_EQ(resultOf(40, 1, R"(
      %limit = arith.constant 33 : i32
      %holds = arith.cmpi slt, %t, %limit : i32
      %r = tile.sync_threads_count %holds)"),
            std::vector<int32_t>(40, 33));
}

TEST(Threads, of_a_warp_shuffle_and_vote) {
  std::string all = "%all = arith.constant -1 : i32\n%one = arith.constant 1 : i32\n";
  std::vector<int32_t> neighbours(64);
  for (int i = 0; i < 64; ++i)
    neighbours[size_t(i)] = i ^ 1;
  EXPECT_EQ(resultOf(64, 1, all + R"(
      tile.sync_warp %all
      %source = arith.xori %t, %one : i32
      %r = tile.shuffle %t, %source, %all : i32)"),
            neighbours);
  std::vector<int32_t> odd(36, int32_t(0xaaaaaaaa));
  std::fill(odd.begin() + 32, odd.end(), 0xa); // of the second warp there are four
  EXPECT_EQ(resultOf(36, 1, all + R"(
      %bit = arith.andi %t, %one : i32
      %isOdd = arith.cmpi eq, %bit, %one : i32
      %r = tile.ballot %isOdd, %all)"),
            odd);
}

/// Those that come by at one place are here together, in whatever order they run.
TEST(Threads, of_a_warp_are_here_together) {
  std::vector<int32_t> expected(40);
  for (int i = 0; i < 40; ++i)
    expected[size_t(i)] = i >= 32 ? 0xff : i < 5 ? 0x1f : int32_t(0xffffffe0);
  std::string body = R"(
      %five = arith.constant 5 : i32
      %isFew = arith.cmpi slt, %t, %five : i32
      %r = scf.if %isFew -> i32 {
        %few = tile.active_mask
        scf.yield %few : i32
      } else {
        %rest = tile.active_mask
        scf.yield %rest : i32
      })";
  EXPECT_EQ(resultOf(40, 1, body), expected);
  EXPECT_EQ(resultOf(40, 1, body, 7), expected);
}

/// One that waits for another thread's word would wait for ever if all others had to come first.
TEST(Threads, of_a_warp_that_wait_are_not_here) {
  EXPECT_EQ(resultOf(2, 1, R"(
      %word = tile.shared 1 : !tile.ptr<i32>
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      tile.store %word, %zero : !tile.ptr<i32>
      tile.sync_threads
      %isFirst = arith.cmpi eq, %t, %zero : i32
      %r = scf.if %isFirst -> i32 {
        %here = tile.active_mask
        %old = tile.atomic_rmw xchg %word, %one order release scope cta : !tile.ptr<i32>
        scf.yield %here : i32
      } else {
        %seen = scf.while : () -> i32 {
          %now = tile.atomic_rmw or %word, %zero order acquire scope cta : !tile.ptr<i32>
          %again = arith.cmpi eq, %now, %zero : i32
          scf.condition(%again) %now : i32
        } do {
        ^bb0(%now: i32):
          scf.yield
        }
        scf.yield %seen : i32
      })"),
            (std::vector<int32_t>{1, 1}));
}

TEST(Threads, read_a_table) {
  EXPECT_EQ(resultOf(3, 2, R"(
      %table = tile.table dense<[7, -8, 9]> : tensor<3xi32> : !tile.ptr<i32>
      %there = tile.offset %table, %t : !tile.ptr<i32>, i32
      %r = tile.load %there : !tile.ptr<i32>)"),
            (std::vector<int32_t>{7, -8, 9, 7, -8, 9}));
}

} // namespace
} // namespace nereid::interpret
