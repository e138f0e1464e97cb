// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of threads on the CPU, against loops that run one thread after the other.
#include "support/TileProgram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>

namespace nereid::test::threads {
namespace {

struct Block {
  int x, y, z;
  int threads() const { return x * y * z; }
};

/// Whole registers, less than one, and shapes with sizes of 1 at every place.
std::vector<Block> blocks() {
  std::vector<Block> list = {{1, 1, 1}, {64, 1, 1},  {33, 1, 1}, {1, 9, 1},    {1, 1, 4},
                             {7, 5, 3}, {16, 16, 1}, {1, 6, 7},  {1024, 1, 1}, {100, 1, 2}};
  std::mt19937 random(20);
  for (int i = 0; i < 3; ++i) {
    Block block{1 + int(random() % 40), 1 + int(random() % 5), 1 + int(random() % 4)};
    list.push_back(block);
  }
  return list;
}

constexpr int programs = 3;

/// A kernel whose text knows its thread as %t in the block and %g in the grid, and the constants
/// %c0, %c1 and %c2; $T stands for the threads of a block.
std::string kernelText(const std::string &parameters, const std::string &body, Block block) {
  auto number = [](int value) { return std::to_string(value); };
  std::string text = "func.func @kernel(" + parameters +
                     ") attributes {tile.kernel, tile.block = array<i64: " + number(block.x) +
                     ", " + number(block.y) + ", " + number(block.z) + ">} {" + R"(
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %x = tile.thread_id 0
  %y = tile.thread_id 1
  %z = tile.thread_id 2
  %bx = arith.constant )" +
                     number(block.x) + " : i32\n  %by = arith.constant " + number(block.y) +
                     " : i32\n  %count = arith.constant $T : i32\n" + R"(
  %row0 = arith.muli %z, %by : i32
  %row = arith.addi %row0, %y : i32
  %t0 = arith.muli %row, %bx : i32
  %t = arith.addi %t0, %x : i32
  %pid = tile.program_id 0
  %g0 = arith.muli %pid, %count : i32
  %g = arith.addi %g0, %t : i32
)" + body + "\n  return\n}\n";
  for (size_t at; (at = text.find("$T")) != std::string::npos;)
    text.replace(at, 2, number(block.threads()));
  return text;
}

std::vector<int32_t> randomInts(size_t count, unsigned seed, int low, int high) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int32_t> uniform(low, high);
  std::vector<int32_t> values(count);
  std::ranges::generate(values, [&] { return uniform(random); });
  return values;
}

/// Runs a kernel of `in` and `out`, two pointers to i32, and of an i32 `n`, in blocks of every
/// shape. `expect` gets the number of threads, the input and `n`, and changes the output.
using Expect =
    std::function<void(Block, const std::vector<int32_t> &in, int n, std::vector<int32_t> &out)>;

void check(const std::string &body, int low, int high, const Expect &expect) {
  for (Block block : blocks()) {
    size_t all = size_t(programs) * block.threads();
    std::vector<int32_t> in = randomInts(all, block.threads(), low, high),
                         out = randomInts(all, 5, -9, 9);
    int n = int(all) - block.threads() / 3;
    std::string text =
        kernelText("%in: !tile.ptr<i32>, %out: !tile.ptr<i32>, %n: i32", body, block);
    auto result =
        runTile(text, {TestArgument::array(in), TestArgument::array(out), TestArgument::scalar(n)},
                {programs, 1, 1}, Executor::Cpu);
    expect(block, in, n, out);
    EXPECT_EQ(result[1].as<int32_t>(), out)
        << block.x << " x " << block.y << " x " << block.z << "\n"
        << text;
  }
}

/// One that is the same for each thread by itself.
void checkEach(const std::string &body, int low, int high,
               const std::function<int32_t(int g, int t, int n, int32_t in, int32_t old)> &value) {
  check(body, low, high, [&](Block block, auto &in, int n, auto &out) {
    for (int g = 0; g < int(out.size()); ++g)
      out[g] = value(g, g % block.threads(), n, in[g], out[g]);
  });
}

const std::string here = R"(
  %pin = tile.offset %in, %g : !tile.ptr<i32>, i32
  %pout = tile.offset %out, %g : !tile.ptr<i32>, i32
)";
const std::string v = here + "  %v = tile.load %pin : !tile.ptr<i32>\n";

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

TEST(Threads, reversal_through_shared_memory) {
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
TEST(Threads, tree_of_sums) {
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
TEST(Threads, histogram) {
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
TEST(Threads, tickets) {
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
TEST(Threads, exchange_under_a_condition) {
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
TEST(Threads, exchange_at_one_place) {
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
TEST(Threads, local_stack) {
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

/// More shared memory than a GPU's 48 KiB, filled by all and read by one.
TEST(Threads, much_shared_memory) {
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
