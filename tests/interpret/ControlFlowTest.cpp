// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelRun.h"

#include <gtest/gtest.h>

namespace nereid::interpret {

using Words = std::vector<int32_t>;

/// Runs a body that makes %r, an i32, from %n.
static int32_t result(const std::string &body, int32_t n) {
  Words out(1, -1);
  KernelRun().array(out).scalar(n).run(
      "func.func @k(%p: !tile.ptr<i32>, %n: i32) {\n"
      "%zero = arith.constant 0 : i32\n%one = arith.constant 1 : i32\n" +
      body + "\ntile.store %p, %r : !tile.ptr<i32>\nreturn\n}");
  return out[0];
}

TEST(ControlFlow, NestedLoopsCarryValues) {
  const char *body = R"(
    %r = scf.for %i = %zero to %n step %one iter_args(%s = %zero) -> (i32) : i32 {
      %t = scf.for %j = %zero to %i step %one iter_args(%u = %s) -> (i32) : i32 {
        %v = arith.addi %u, %j : i32
        scf.yield %v : i32
      }
      scf.yield %t : i32
    })";
  EXPECT_EQ(result(body, 5), 0 + 1 + 3 + 6);
  EXPECT_EQ(result(body, 0), 0);
  EXPECT_EQ(result(body, -3), 0);
}

TEST(ControlFlow, LoopsExchangeTheirValues) {
  const char *body = R"(
    %r, %b = scf.for %i = %zero to %n step %one
        iter_args(%x = %zero, %y = %one) -> (i32, i32) : i32 {
      %sum = arith.addi %x, %y : i32
      scf.yield %y, %sum : i32, i32
    })";
  EXPECT_EQ(result(body, 10), 55);
  const char *swap = R"(
    %r, %b = scf.for %i = %zero to %n step %one
        iter_args(%x = %zero, %y = %one) -> (i32, i32) : i32 {
      scf.yield %y, %x : i32, i32
    })";
  EXPECT_EQ(result(swap, 3), 1);
  EXPECT_EQ(result(swap, 4), 0);
}

TEST(ControlFlow, LoopsEndAlthoughTheInductionVariableWraps) {
  const char *body = R"(
    %start = arith.constant 100 : i8
    %end = arith.constant 127 : i8
    %stride = arith.constant 20 : i8
    %r = scf.for %i = %start to %end step %stride iter_args(%s = %zero) -> (i32) : i8 {
      %t = arith.addi %s, %one : i32
      scf.yield %t : i32
    })";
  EXPECT_EQ(result(body, 0), 2);
}

TEST(ControlFlow, LoopsInStepsAndUnsigned) {
  const char *body = R"(
    %lo = arith.constant 2 : i32
    %step = arith.constant 3 : i32
    %r = scf.for %i = %lo to %n step %step iter_args(%s = %zero) -> (i32) : i32 {
      %t = arith.addi %s, %i : i32
      scf.yield %t : i32
    })";
  EXPECT_EQ(result(body, 9), 2 + 5 + 8);
  const char *unsignedBody = R"(
    %far = arith.constant -1 : i32
    %stride = arith.constant 1073741824 : i32
    %r = scf.for unsigned %i = %zero to %far step %stride iter_args(%s = %zero) -> (i32) : i32 {
      %t = arith.addi %s, %one : i32
      scf.yield %t : i32
    })";
  EXPECT_EQ(result(unsignedBody, 0), 4);
}

TEST(ControlFlow, WhileCountsTheSteps) {
  const char *body = R"(
    %two = arith.constant 2 : i32
    %three = arith.constant 3 : i32
    %last, %r = scf.while (%x = %n, %steps = %zero) : (i32, i32) -> (i32, i32) {
      %more = arith.cmpi ne, %x, %one : i32
      scf.condition(%more) %x, %steps : i32, i32
    } do {
    ^bb0(%x: i32, %steps: i32):
      %low = arith.andi %x, %one : i32
      %odd = arith.cmpi eq, %low, %one : i32
      %next = scf.if %odd -> i32 {
        %t = arith.muli %x, %three : i32
        %u = arith.addi %t, %one : i32
        scf.yield %u : i32
      } else {
        %h = arith.divsi %x, %two : i32
        scf.yield %h : i32
      }
      %count = arith.addi %steps, %one : i32
      scf.yield %next, %count : i32, i32
    })";
  EXPECT_EQ(result(body, 6), 8);
  EXPECT_EQ(result(body, 27), 111);
  EXPECT_EQ(result(body, 1), 0);
}

TEST(ControlFlow, IfWithoutElseOnlyActs) {
  Words out{5, 5};
  KernelRun().array(out).run(R"(
    func.func @k(%p: !tile.ptr<i32>) {
      %x = tile.program_id 0
      %one = arith.constant 1 : i32
      %second = arith.cmpi eq, %x, %one : i32
      %q = tile.offset %p, %x : !tile.ptr<i32>, i32
      scf.if %second {
        tile.store %q, %one : !tile.ptr<i32>
      }
      return
    })",
                             {2});
  EXPECT_EQ(out, (Words{5, 1}));
}

/// Tiles live across a loop while many others come and go in places that are used again.
TEST(ControlFlow, TilesSurviveTheReuseOfPlaces) {
  Words out(7);
  KernelRun().array(out).scalar<int32_t>(4).run(R"(
    func.func @k(%p: !tile.ptr<i32>, %n: i32) {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %base = tile.range 0 to 7 : tensor<7xi32>
      %kept = arith.addi %base, %base : tensor<7xi32>
      %r = scf.for %i = %zero to %n step %one iter_args(%acc = %base) -> (tensor<7xi32>) : i32 {
        %s = tile.splat %i : i32 -> tensor<7xi32>
        %a = arith.addi %acc, %s : tensor<7xi32>
        %b = arith.muli %a, %a : tensor<7xi32>
        %c = arith.subi %b, %b : tensor<7xi32>
        %c2 = arith.constant dense<1> : tensor<7xi32>
        %d = arith.addi %c, %c2 : tensor<7xi32>
        %e = arith.addi %a, %d : tensor<7xi32>
        %f = arith.subi %e, %d : tensor<7xi32>
        %g = arith.addi %f, %kept : tensor<7xi32>
        scf.yield %g : tensor<7xi32>
      }
)" + storeLine("r", "p", 7, "i32") + "return\n}");
  Words expected;
  for (int lane = 0; lane < 7; ++lane)
    expected.push_back(lane + 0 + 1 + 2 + 3 + 4 * 2 * lane);
  EXPECT_EQ(out, expected);
}

} // namespace nereid::interpret
