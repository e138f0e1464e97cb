// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of threads, against loops that run one thread after the other: where threads part.
#include "backend/ThreadKernel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace nereid::test::threads {
namespace {

TEST(Threads, guard) {
  checkEach(here + R"(
  %inside = arith.cmpi slt, %g, %n : i32
  scf.if %inside {
    %a = tile.load %pin : !tile.ptr<i32>
    %b = arith.addi %a, %g : i32
    tile.store %pout, %b : !tile.ptr<i32>
  })",
            -100, 100,
            [](int g, int, int n, int32_t in, int32_t old) { return g < n ? in + g : old; });
}

TEST(Threads, axes) {
  check(here + R"(
  %ten = arith.constant 100 : i32
  %a = arith.muli %z, %ten : i32
  %b = arith.addi %a, %y : i32
  %c = arith.muli %b, %ten : i32
  %d = arith.addi %c, %x : i32
  tile.store %pout, %d : !tile.ptr<i32>)",
        0, 1, [](Block block, auto &, int, auto &out) {
          for (size_t g = 0; g < out.size(); ++g) {
            int t = int(g) % block.threads();
            out[g] = (t / (block.x * block.y) * 100 + t / block.x % block.y) * 100 + t % block.x;
          }
        });
}

TEST(Threads, while_of_different_length) {
  checkEach(v + R"(
  %c3 = arith.constant 3 : i32
  %steps, %last = scf.while (%k = %c0, %a = %v) : (i32, i32) -> (i32, i32) {
    %more = arith.cmpi sgt, %a, %c1 : i32
    scf.condition(%more) %k, %a : i32, i32
  } do {
  ^bb0(%k: i32, %a: i32):
    %bit = arith.andi %a, %c1 : i32
    %odd = arith.cmpi eq, %bit, %c1 : i32
    %next = scf.if %odd -> i32 {
      %triple = arith.muli %a, %c3 : i32
      %up = arith.addi %triple, %c1 : i32
      scf.yield %up : i32
    } else {
      %down = arith.shrui %a, %c1 : i32
      scf.yield %down : i32
    }
    %k1 = arith.addi %k, %c1 : i32
    scf.yield %k1, %next : i32, i32
  }
  %r = arith.addi %steps, %last : i32
  tile.store %pout, %r : !tile.ptr<i32>)",
            -3, 60, [](int, int, int, int32_t a, int32_t) {
              int steps = 0;
              for (; a > 1; ++steps)
                a = a & 1 ? 3 * a + 1 : a / 2;
              return steps + a;
            });
}

/// What the test of a loop passes out may be something else than what the loop carries.
TEST(Threads, while_that_passes_something_else) {
  checkEach(v + R"(
  %square, %more = scf.while (%k = %c0) : (i32) -> (i32, i32) {
    %s = arith.muli %k, %k : i32
    %below = arith.cmpi slt, %s, %v : i32
    scf.condition(%below) %s, %k : i32, i32
  } do {
  ^bb0(%s: i32, %k: i32):
    tile.store %pout, %s : !tile.ptr<i32>
    %k1 = arith.addi %k, %c1 : i32
    scf.yield %k1 : i32
  }
  %old = tile.load %pout : !tile.ptr<i32>
  %a = arith.addi %old, %square : i32
  %r = arith.subi %a, %more : i32
  tile.store %pout, %r : !tile.ptr<i32>)",
            -5, 200, [](int, int, int, int32_t v, int32_t old) {
              int k = 0;
              for (; k * k < v; ++k)
                old = k * k;
              return old + k * k - k;
            });
}

TEST(Threads, for_of_different_bounds_and_steps) {
  checkEach(v + R"(
  %c5 = arith.constant 5 : i32
  %lower = arith.remsi %t, %c5 : i32
  %step0 = arith.remsi %g, %c5 : i32
  %step = arith.subi %step0, %c1 : i32
  %r:2 = scf.for %i = %lower to %v step %step iter_args(%s = %c0, %last = %t) -> (i32, i32) : i32 {
    %s1 = arith.addi %s, %i : i32
    %s2 = arith.xori %s1, %last : i32
    scf.yield %s2, %s : i32, i32
  }
  %a = arith.addi %r#0, %r#1 : i32
  tile.store %pout, %a : !tile.ptr<i32>)",
            -4, 30, [](int g, int t, int, int32_t v, int32_t) {
              int step = g % 5 - 1, s = 0, last = t;
              for (int i = t % 5; step > 0 && i < v; i += step) {
                int before = s;
                s = (s + i) ^ last;
                last = before;
              }
              return s + last;
            });
}

/// The counter passes the end of its type on the way past the bound.
TEST(Threads, for_that_ends_at_the_largest_number) {
  checkEach(v + R"(
  %top = arith.constant 2147483647 : i32
  %big = arith.constant 1073741824 : i32
  %least = arith.subi %top, %v : i32
  %step = arith.addi %v, %c1 : i32
  %near = scf.for %i = %least to %top step %step iter_args(%s = %c0) -> i32 : i32 {
    %s1 = arith.addi %s, %c1 : i32
    scf.yield %s1 : i32
  }
  %from = arith.subi %v, %top : i32
  %far = scf.for %i = %from to %top step %big iter_args(%s = %near) -> i32 : i32 {
    %s1 = arith.addi %s, %step : i32
    scf.yield %s1 : i32
  }
  %down = scf.for unsigned %i = %v to %from step %big iter_args(%s = %far) -> i32 : i32 {
    %s1 = arith.addi %s, %c2 : i32
    scf.yield %s1 : i32
  }
  tile.store %pout, %down : !tile.ptr<i32>)",
            0, 3, [](int, int, int, int32_t v, int32_t) {
              int64_t s = v > 0;
              for (int64_t i = v - INT32_MAX; i < INT32_MAX; i += 1 << 30)
                s += v + 1;
              for (uint64_t i = v; i < uint32_t(v - INT32_MAX); i += 1 << 30)
                s += 2;
              return int32_t(s);
            });
}

/// A loop in a loop, left by a flag, and what stands behind it is skipped by who has returned.
TEST(Threads, breaks_and_returns) {
  checkEach(v + R"(
  %true = arith.constant true
  %false = arith.constant false
  %c7 = arith.constant 7 : i32
  %early = arith.cmpi slt, %v, %c0 : i32
  scf.if %early {
    tile.store %pout, %c7 : !tile.ptr<i32>
  } else {
    %sum = scf.for %i = %c0 to %c7 step %c1 iter_args(%s = %c0) -> i32 : i32 {
      %r:3 = scf.while (%j = %c0, %go = %true, %q = %s) : (i32, i1, i32) -> (i32, i1, i32) {
        %below = arith.cmpi slt, %j, %v : i32
        %more = arith.andi %below, %go : i1
        scf.condition(%more) %j, %go, %q : i32, i1, i32
      } do {
      ^bb0(%j: i32, %go: i1, %q: i32):
        %p = arith.muli %i, %j : i32
        %stop = arith.cmpi sgt, %p, %v : i32
        %n2:2 = scf.if %stop -> (i1, i32) {
          scf.yield %false, %q : i1, i32
        } else {
          %q1 = arith.addi %q, %p : i32
          scf.yield %true, %q1 : i1, i32
        }
        %j1 = arith.addi %j, %c1 : i32
        scf.yield %j1, %n2#0, %n2#1 : i32, i1, i32
      }
      %s1 = arith.addi %r#2, %r#0 : i32
      scf.yield %s1 : i32
    }
    tile.store %pout, %sum : !tile.ptr<i32>
  })",
            -10, 25, [](int, int, int, int32_t v, int32_t) {
              if (v < 0)
                return 7;
              int s = 0;
              for (int i = 0; i < 7; ++i) {
                int j = 0;
                for (bool go = true; go && j < v; ++j)
                  if (i * j > v)
                    go = false;
                  else
                    s += i * j;
                s += j;
              }
              return s;
            });
}

/// What no thread comes to touches nothing, be it one address for all: here there is no memory.
TEST(Threads, nobody_comes_by) {
  checkEach(v + R"(
  %far = arith.constant 1000000 : i32
  %zero64 = arith.constant 16 : i64
  %nowhere = tile.int_to_ptr %zero64 : i64 -> !tile.ptr<i32>
  %comes = arith.cmpi sgt, %v, %far : i32
  scf.if %comes {
    %a = tile.load %nowhere : !tile.ptr<i32>
    tile.store %nowhere, %c1 : !tile.ptr<i32>
    %b = scf.while (%k = %a) : (i32) -> i32 {
      %again = arith.cmpi ne, %k, %c1 : i32
      scf.condition(%again) %k : i32
    } do {
    ^bb0(%k: i32):
      %c = tile.load %nowhere : !tile.ptr<i32>
      scf.yield %c : i32
    }
    tile.store %pout, %b : !tile.ptr<i32>
  } else {
    %one = arith.cmpi eq, %t, %c0 : i32
    scf.if %one {
      %a = tile.load %in : !tile.ptr<i32>
      tile.store %pout, %a : !tile.ptr<i32>
    }
  })",
            3, 3, [](int, int t, int, int32_t in, int32_t old) { return t == 0 ? in : old; });
}

/// Of each warp those that come by, whatever their block's shape.
TEST(Threads, lanes_that_are_here) {
  check(v + R"(
  %comes = arith.cmpi sgt, %v, %c0 : i32
  scf.if %comes {
    %mask = tile.active_mask
    tile.store %pout, %mask : !tile.ptr<i32>
  } else {
    tile.store %pout, %c0 : !tile.ptr<i32>
  })",
        -1, 2, [](Block block, auto &in, int, auto &out) {
          for (int g = 0; g < int(out.size()); ++g) {
            int inBlock = g % block.threads(), first = g - inBlock % 32;
            int end = std::min(first + 32, g - inBlock + block.threads());
            out[g] = 0;
            for (int other = first; in[g] > 0 && other < end; ++other)
              out[g] |= int32_t(uint32_t(in[other] > 0) << (other - first));
          }
        });
}

/// Masks that the threads' own text has, beside those that come of branches.
TEST(Threads, masks) {
  checkEach(here + R"(
  %bit = arith.andi %t, %c1 : i32
  %odd = arith.cmpi eq, %bit, %c1 : i32
  %inside = arith.cmpi slt, %g, %n : i32
  %many = arith.cmpi sgt, %n, %c2 : i32
  %a = tile.load %pin mask %odd other %n : !tile.ptr<i32>
  %b = tile.load %in mask %odd other %c1 : !tile.ptr<i32>
  %c = tile.load %in mask %many : !tile.ptr<i32>
  scf.if %inside {
    %d = tile.load %pin mask %many other %t : !tile.ptr<i32>
    %ab = arith.addi %a, %b : i32
    %abd = arith.addi %ab, %d : i32
    %r = arith.addi %abd, %c : i32
    tile.store %pout, %r mask %odd : !tile.ptr<i32>
  })",
            40, 40, [](int g, int t, int n, int32_t in, int32_t old) {
              return g < n && t % 2 ? in + in + (n > 2 ? in : t) + (n > 2 ? in : 0) : old;
            });
}

} // namespace
} // namespace nereid::test::threads
