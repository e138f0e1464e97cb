// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of threads, against loops that run one thread after the other: what threads share, and
// what each has for itself.
#include "backend/ThreadKernel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace nereid::test::threads {
namespace {

TEST(ThreadMemory, reversal_through_shared_memory) {
  check(v + R"(
  %cache = tile.shared $T : !tile.ptr<i32>
  %mine = tile.offset %cache, %t : !tile.ptr<i32>, i32
  tile.store %mine, %v : !tile.ptr<i32>
  tile.sync_threads
  %last = arith.subi %count, %c1 : i32
  %other = arith.subi %last, %t : i32
  %place = tile.offset %cache, %other : !tile.ptr<i32>, i32
  %w = tile.load %place : !tile.ptr<i32>
  tile.store %pout, %w : !tile.ptr<i32>)",
        -1000, 1000, [](Block block, auto &in, int, auto &out) {
          out = in;
          for (int p = 0; p < programs; ++p) {
            auto begin = out.begin() + p * block.threads();
            std::reverse(begin, begin + block.threads());
          }
        });
}

/// `count` halves, rounded up: what is left over joins the next round.
TEST(ThreadMemory, tree_of_sums) {
  check(v + R"(
  %cache = tile.shared $T : !tile.ptr<i32>
  %mine = tile.offset %cache, %t : !tile.ptr<i32>, i32
  tile.store %mine, %v : !tile.ptr<i32>
  tile.sync_threads
  %left = scf.while (%m = %count) : (i32) -> i32 {
    %more = arith.cmpi sgt, %m, %c1 : i32
    scf.condition(%more) %m : i32
  } do {
  ^bb0(%m: i32):
    %m1 = arith.addi %m, %c1 : i32
    %half = arith.shrui %m1, %c1 : i32
    %from = arith.addi %t, %half : i32
    %takes = arith.cmpi slt, %from, %m : i32
    scf.if %takes {
      %there = tile.offset %cache, %from : !tile.ptr<i32>, i32
      %a = tile.load %mine : !tile.ptr<i32>
      %b = tile.load %there : !tile.ptr<i32>
      %c = arith.addi %a, %b : i32
      tile.store %mine, %c : !tile.ptr<i32>
    }
    tile.sync_threads
    scf.yield %half : i32
  }
  %first = arith.cmpi eq, %t, %c0 : i32
  scf.if %first {
    %sum = tile.load %cache : !tile.ptr<i32>
    %to = tile.offset %out, %pid : !tile.ptr<i32>, i32
    tile.store %to, %sum : !tile.ptr<i32>
  })",
        -1000, 1000, [](Block block, auto &in, int, auto &out) {
          for (int p = 0; p < programs; ++p) {
            auto begin = in.begin() + p * block.threads();
            out[p] = std::accumulate(begin, begin + block.threads(), 0);
          }
        });
}

/// Many threads at one element, in shared memory and in the array.
TEST(ThreadMemory, histogram) {
  check(v + R"(
  %bins = tile.shared 8 : !tile.ptr<i32>
  %c8 = arith.constant 8 : i32
  scf.for %i = %t to %c8 step %count : i32 {
    %bin = tile.offset %bins, %i : !tile.ptr<i32>, i32
    tile.store %bin, %c0 : !tile.ptr<i32>
  }
  tile.sync_threads
  %inside = arith.cmpi slt, %g, %n : i32
  scf.if %inside {
    %bin = tile.offset %bins, %v : !tile.ptr<i32>, i32
    %o = tile.atomic_rmw add %bin, %c1 order relaxed scope cta : !tile.ptr<i32>
    %q = tile.atomic_rmw add %out, %c2 order relaxed scope gpu : !tile.ptr<i32>
  }
  tile.sync_threads
  scf.for %i = %t to %c8 step %count : i32 {
    %bin = tile.offset %bins, %i : !tile.ptr<i32>, i32
    %sum = tile.load %bin : !tile.ptr<i32>
    %weight = arith.shli %sum, %i : i32
    %o = tile.atomic_rmw add %out, %weight order relaxed scope gpu : !tile.ptr<i32>
  })",
        0, 7, [](Block, auto &in, int n, auto &out) {
          for (int g = 0; g < n; ++g)
            out[0] += 2 + (1 << in[g]);
        });
}

/// Each thread draws one number, whoever comes first.
TEST(ThreadMemory, tickets) {
  for (Block block : blocks()) {
    std::string text = kernelText("%next: !tile.ptr<i32>, %out: !tile.ptr<i32>", R"(
  %bit = arith.andi %t, %c1 : i32
  %odd = arith.cmpi eq, %bit, %c1 : i32
  %mine = scf.if %odd -> i32 {
    %a = tile.atomic_rmw add %next, %c1 order acq_rel scope gpu : !tile.ptr<i32>
    scf.yield %a : i32
  } else {
    %a = tile.atomic_rmw add %next, %c1 order relaxed scope gpu : !tile.ptr<i32>
    scf.yield %a : i32
  }
  %pout = tile.offset %out, %g : !tile.ptr<i32>, i32
  tile.store %pout, %mine : !tile.ptr<i32>)",
                                  block);
    std::vector<int32_t> tickets(size_t(programs) * block.threads(), -1);
    auto result =
        runTile(text, {TestArgument::array(std::vector<int32_t>{0}), TestArgument::array(tickets)},
                {programs, 1, 1}, Executor::Cpu);
    std::vector<int32_t> drawn = result[1].as<int32_t>();
    std::ranges::sort(drawn);
    std::iota(tickets.begin(), tickets.end(), 0);
    EXPECT_EQ(drawn, tickets);
  }
}

/// Exchanges of the threads that come by, and of no other; each at an element of its own.
TEST(ThreadMemory, exchange_under_a_condition) {
  checkEach(v + R"(
  %takes = arith.cmpi sgt, %v, %c0 : i32
  %was = scf.if %takes -> i32 {
    %a = tile.atomic_cas %pout, %v, %g order relaxed scope gpu : !tile.ptr<i32>
    scf.yield %a : i32
  } else {
    scf.yield %c0 : i32
  }
  %same = arith.cmpi eq, %was, %v : i32
  %fails = arith.cmpi ne, %was, %v : i32
  %misses = arith.andi %fails, %takes : i1
  scf.if %misses {
    tile.store %pout, %was : !tile.ptr<i32>
  })",
            -9, 9,
            [](int g, int, int, int32_t in, int32_t old) { return in > 0 && old == in ? g : old; });
}

/// One winner in each block, who alone writes.
TEST(ThreadMemory, exchange_at_one_place) {
  check(here + R"(
  %lock = tile.shared 1 : !tile.ptr<i32>
  tile.store %lock, %c0 : !tile.ptr<i32>
  tile.sync_threads
  %old = tile.atomic_cas %lock, %c0, %c1 order acq_rel scope cta : !tile.ptr<i32>
  %wins = arith.cmpi eq, %old, %c0 : i32
  scf.if %wins {
    %to = tile.offset %out, %pid : !tile.ptr<i32>, i32
    %a = tile.atomic_rmw add %to, %count order relaxed scope gpu : !tile.ptr<i32>
  })",
        0, 1, [](Block block, auto &, int, auto &out) {
          for (int p = 0; p < programs; ++p)
            out[p] += block.threads();
        });
}

/// Digits pushed onto a stack of each thread's own, and popped.
TEST(ThreadMemory, local_stack) {
  checkEach(v + R"(
  %stack = tile.local 12 : !tile.ptr<i8>
  %c10 = arith.constant 10 : i32
  %height, %rest = scf.while (%h = %c0, %a = %v) : (i32, i32) -> (i32, i32) {
    %more = arith.cmpi sgt, %a, %c0 : i32
    scf.condition(%more) %h, %a : i32, i32
  } do {
  ^bb0(%h: i32, %a: i32):
    %digit = arith.remsi %a, %c10 : i32
    %small = arith.trunci %digit : i32 to i8
    %place = tile.offset %stack, %h : !tile.ptr<i8>, i32
    tile.store %place, %small : !tile.ptr<i8>
    %h1 = arith.addi %h, %c1 : i32
    %a1 = arith.divsi %a, %c10 : i32
    scf.yield %h1, %a1 : i32, i32
  }
  %sum = scf.for %i = %c0 to %height step %c1 iter_args(%s = %c0) -> i32 : i32 {
    %h1 = arith.subi %height, %i : i32
    %h2 = arith.subi %h1, %c1 : i32
    %place = tile.offset %stack, %h2 : !tile.ptr<i8>, i32
    %small = tile.load %place : !tile.ptr<i8>
    %digit = arith.extsi %small : i8 to i32
    %weight = arith.muli %digit, %i : i32
    %s1 = arith.addi %s, %weight : i32
    scf.yield %s1 : i32
  }
  tile.store %pout, %sum : !tile.ptr<i32>)",
            -5, 2'000'000'000, [](int, int, int, int32_t a, int32_t) {
              std::vector<int> digits;
              for (; a > 0; a /= 10)
                digits.insert(digits.begin(), a % 10);
              int sum = 0;
              for (size_t i = 0; i < digits.size(); ++i)
                sum += digits[i] * int(i);
              return sum;
            });
}

/// Numbers that the kernel holds, all alike ones among them, and bytes that are truth values.
TEST(ThreadMemory, tables) {
  checkEach(here + R"(
  %primes = tile.table dense<[2, 3, 5, 7, 11, 13, -17]> : tensor<7xi32> : !tile.ptr<i32>
  %same = tile.table dense<40> : tensor<5xi32> : !tile.ptr<i32>
  %flags = tile.table dense<[1, 0, 1]> : tensor<3xi8> : !tile.ptr<i1>
  %c7 = arith.constant 7 : i32
  %c5 = arith.constant 5 : i32
  %c3 = arith.constant 3 : i32
  %i = arith.remsi %g, %c7 : i32
  %pprime = tile.offset %primes, %i : !tile.ptr<i32>, i32
  %prime = tile.load %pprime : !tile.ptr<i32>
  %j = arith.remsi %g, %c5 : i32
  %psame = tile.offset %same, %j : !tile.ptr<i32>, i32
  %forty = tile.load %psame : !tile.ptr<i32>
  %k = arith.remsi %g, %c3 : i32
  %pflag = tile.offset %flags, %k : !tile.ptr<i1>, i32
  %flag = tile.load %pflag : !tile.ptr<i1>
  %sum = arith.addi %prime, %forty : i32
  %r = arith.select %flag, %sum, %prime : i32
  tile.store %pout, %r : !tile.ptr<i32>)",
            0, 0, [](int g, int, int, int32_t, int32_t) {
              constexpr int primes[] = {2, 3, 5, 7, 11, 13, -17};
              return primes[g % 7] + (g % 3 != 1 ? 40 : 0);
            });
}

/// More shared memory than a GPU's 48 KiB, filled by all and read by one.
TEST(ThreadMemory, much_shared_memory) {
  check(here + R"(
  %table = tile.shared 20000 : !tile.ptr<i64>
  %size = arith.constant 20000 : i32
  scf.for %i = %t to %size step %count : i32 {
    %wide = arith.extsi %i : i32 to i64
    %place = tile.offset %table, %i : !tile.ptr<i64>, i32
    tile.store %place, %wide : !tile.ptr<i64>
  }
  tile.sync_threads
  %c17 = arith.constant 17 : i32
  %mid = arith.muli %g, %c17 : i32
  %at = arith.remsi %mid, %size : i32
  %place = tile.offset %table, %at : !tile.ptr<i64>, i32
  %wide = tile.load %place : !tile.ptr<i64>
  %r = arith.trunci %wide : i64 to i32
  tile.store %pout, %r : !tile.ptr<i32>)",
        0, 0, [](Block, auto &, int, auto &out) {
          for (size_t g = 0; g < out.size(); ++g)
            out[g] = int(g * 17 % 20000);
        });
}

} // namespace
} // namespace nereid::test::threads
