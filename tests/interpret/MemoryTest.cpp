// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelRun.h"

#include <gtest/gtest.h>

namespace nereid::interpret {

using Words = std::vector<int32_t>;

/// Stores to %out what lanes -1..5 of `%in` hold, with an optional mask clause.
static std::string copyKernel(const std::string &loadClauses) {
  return R"(
    func.func @k(%in: !tile.ptr<i32> {tile.name = "in"}, %out: !tile.ptr<i32>) {
      %from0 = tile.range 0 to 7 : tensor<7xi32>
      %ones = arith.constant dense<1> : tensor<7xi32>
      %lanes = arith.subi %from0, %ones : tensor<7xi32>
      %zero = arith.constant dense<0> : tensor<7xi32>
      %five = arith.constant dense<5> : tensor<7xi32>
      %others = arith.constant dense<-9> : tensor<7xi32>
      %low = arith.cmpi sge, %lanes, %zero : tensor<7xi32>
      %high = arith.cmpi slt, %lanes, %five : tensor<7xi32>
      %inside = arith.andi %low, %high : tensor<7xi1>
      %s = tile.splat %in : !tile.ptr<i32> -> tensor<7x!tile.ptr<i32>>
      %ptrs = tile.offset %s, %lanes : tensor<7x!tile.ptr<i32>>, tensor<7xi32>
      %r = tile.load %ptrs )" +
         loadClauses + " : tensor<7x!tile.ptr<i32>>\n" + storeLine("r", "out", 7, "i32") +
         "return\n}";
}

TEST(Memory, MaskedLanesGiveOtherOrZero) {
  Words in{10, 11, 12, 13, 14}, out(7, 1);
  KernelRun masked;
  masked.array(in).array(out).run(copyKernel("mask %inside"));
  EXPECT_EQ(out, (Words{0, 10, 11, 12, 13, 14, 0}));
  KernelRun other;
  other.array(in).array(out).run(copyKernel("mask %inside other %others"));
  EXPECT_EQ(out, (Words{-9, 10, 11, 12, 13, 14, -9}));
  EXPECT_TRUE(masked.accesses.empty() && other.accesses.empty());
}

TEST(Memory, ALoadAfterABarrierReadsWhatWasStored) {
  Words memory{5, 6};
  KernelRun().array(memory).run(R"(
    func.func @k(%p: !tile.ptr<i32>) {
      %one = arith.constant 1 : i32
      %q = tile.offset %p, %one : !tile.ptr<i32>, i32
      %a = tile.load %p : !tile.ptr<i32>
      tile.store %q, %a : !tile.ptr<i32>
      tile.barrier
      %b = tile.load %q : !tile.ptr<i32>
      %c = arith.addi %b, %one : i32
      tile.store %p, %c : !tile.ptr<i32>
      return
    })");
  EXPECT_EQ(memory, (Words{6, 5}));
}

TEST(Memory, ReportsReadsOutsideTheirArray) {
  Words in{10, 11, 12, 13, 14}, out(7, 1);
  KernelRun run;
  run.array(in).array(out).run(copyKernel(""));
  EXPECT_EQ(out, (Words{0, 10, 11, 12, 13, 14, 0}));
  ASSERT_EQ(run.accesses.size(), 2u);
  EXPECT_EQ(run.accesses[0].access, OutOfBounds::Access::Read);
  EXPECT_EQ(run.accesses[0].array, "in");
  EXPECT_EQ(run.accesses[0].index, -1);
  EXPECT_EQ(run.accesses[1].index, 5);
  EXPECT_EQ(run.accesses[1].size, 5);
}

TEST(Memory, ReportsWritesIntoAnotherArray) {
  Words memory{1, 2, 3, 4, 5, 6};
  KernelRun run;
  run.bytes(&memory[0], 8)
      .bytes(&memory[2], 16)
      .run(R"(
    func.func @k(%a: !tile.ptr<i32>, %b: !tile.ptr<i32>) {
      %three = arith.constant 3 : i32
      %back = arith.constant -2 : i64
      %q = tile.offset %a, %three : !tile.ptr<i32>, i32
      tile.store %q, %three : !tile.ptr<i32>
      %s = tile.offset %b, %back : !tile.ptr<i32>, i64
      tile.store %s, %three : !tile.ptr<i32>
      %t = tile.offset %s, %three : !tile.ptr<i32>, i32
      tile.store %t, %three : !tile.ptr<i32>
      return
    })",
           {2});
  EXPECT_EQ(memory, (Words{1, 2, 3, 3, 5, 6})); // only the last store, b[1], is inside
  ASSERT_EQ(run.accesses.size(), 4u);
  EXPECT_EQ(run.accesses[0].array, "argument 0");
  EXPECT_EQ(run.accesses[0].access, OutOfBounds::Access::Write);
  EXPECT_EQ(run.accesses[0].index, 3);
  EXPECT_EQ(run.accesses[0].size, 2);
  EXPECT_EQ(run.accesses[1].array, "argument 1");
  EXPECT_EQ(run.accesses[1].index, -2);
  EXPECT_EQ(run.accesses[3].program.x, 1u);
}

TEST(Memory, HugeOffsetsReachNoOtherArray) {
  Words a(4, 1), b(4, 2);
  KernelRun run;
  run.array(a).array(b).run(R"(
    func.func @k(%a: !tile.ptr<i32>, %b: !tile.ptr<i32>) {
      %v = arith.constant 7 : i32
      %next = arith.constant 70368744177664 : i64
      %whole = arith.constant 4611686018427387904 : i64
      %least = arith.constant -9223372036854775808 : i64
      %p = tile.offset %a, %next : !tile.ptr<i32>, i64
      %q = tile.offset %a, %whole : !tile.ptr<i32>, i64
      %r = tile.offset %b, %least : !tile.ptr<i32>, i64
      tile.store %p, %v : !tile.ptr<i32>
      tile.store %q, %v : !tile.ptr<i32>
      tile.store %r, %v : !tile.ptr<i32>
      return
    })");
  EXPECT_EQ(a, Words(4, 1));
  EXPECT_EQ(b, Words(4, 2));
  ASSERT_EQ(run.accesses.size(), 3u);
  EXPECT_EQ(run.accesses[1].array, "argument 0");
  EXPECT_GT(run.accesses[1].index, 1000000000);
  EXPECT_LT(run.accesses[2].index, -1000000000);
}

TEST(Memory, AnElementMustLieInsideWhole) {
  std::vector<uint8_t> memory{1, 2, 3, 4, 5, 6};
  Words out(2, -1);
  KernelRun run;
  run.array(memory).array(out).run(R"(
    func.func @k(%in: !tile.ptr<i32>, %out: !tile.ptr<i32>) {
      %one = arith.constant 1 : i32
      %b = tile.ptr_cast %in : !tile.ptr<i32> -> !tile.ptr<i8>
      %b1 = tile.offset %b, %one : !tile.ptr<i8>, i32
      %odd = tile.ptr_cast %b1 : !tile.ptr<i8> -> !tile.ptr<i32>
      %v = tile.load %odd : !tile.ptr<i32>
      tile.store %out, %v : !tile.ptr<i32>
      %second = tile.offset %in, %one : !tile.ptr<i32>, i32
      %w = tile.load %second : !tile.ptr<i32>
      %out1 = tile.offset %out, %one : !tile.ptr<i32>, i32
      tile.store %out1, %w : !tile.ptr<i32>
      return
    })");
  EXPECT_EQ(out, (Words{0x05040302, 0}));
  ASSERT_EQ(run.accesses.size(), 1u);
  EXPECT_EQ(run.accesses[0].index, 1);
  EXPECT_EQ(run.accesses[0].size, 1);
}

TEST(Memory, EmptyAndNullArraysAreReported) {
  Words none;
  uint32_t nowhere = 5;
  KernelRun run;
  run.bytes(&nowhere, 0).bytes(nullptr, 0).run(R"(
    func.func @k(%empty: !tile.ptr<i32> {tile.name = "empty"}, %null: !tile.ptr<i32>) {
      %v = tile.load %empty : !tile.ptr<i32>
      tile.store %null, %v : !tile.ptr<i32>
      %i = tile.ptr_to_int %null : !tile.ptr<i32> -> i64
      %zero = arith.constant 0 : i64
      %isNull = arith.cmpi eq, %i, %zero : i64
      tile.assert %isNull, "null is zero" : i1
      return
    })");
  ASSERT_EQ(run.accesses.size(), 2u);
  EXPECT_EQ(run.accesses[0].array, "empty");
  EXPECT_EQ(run.accesses[0].size, 0);
  EXPECT_EQ(run.accesses[1].array, "");
  EXPECT_TRUE(run.assertions.empty());
}

TEST(Memory, BooleansAreBytes) {
  std::vector<uint8_t> in{0, 1, 2, 255}, out(4, 9);
  KernelRun().array(in).array(out).run("func.func @k(%a: !tile.ptr<i1>, %b: !tile.ptr<i1>) {\n" +
                                       loadLine("v", "a", 4, "i1") + storeLine("v", "b", 4, "i1") +
                                       "return\n}");
  EXPECT_EQ(out, (std::vector<uint8_t>{0, 1, 1, 1}));
}

TEST(Memory, AddressesComeBackAsPointers) {
  Words data{1, 2, 3};
  std::vector<const int32_t *> table{&data[1]}, copy(1);
  Words out(2);
  KernelRun run;
  run.array(data).array(table).array(copy).array(out).run(R"(
    func.func @k(%data: !tile.ptr<i32>, %table: !tile.ptr<!tile.ptr<i32>>,
                 %copy: !tile.ptr<!tile.ptr<i32>>, %out: !tile.ptr<i32>) {
      %one = arith.constant 1 : i32
      %p = tile.load %table : !tile.ptr<!tile.ptr<i32>>
      %next = tile.offset %p, %one : !tile.ptr<i32>, i32
      tile.store %copy, %next : !tile.ptr<!tile.ptr<i32>>
      %v = tile.load %next : !tile.ptr<i32>
      tile.store %out, %v : !tile.ptr<i32>
      %i = tile.ptr_to_int %next : !tile.ptr<i32> -> i64
      %four = arith.constant 4 : i64
      %j = arith.subi %i, %four : i64
      %q = tile.int_to_ptr %j : i64 -> !tile.ptr<i32>
      %w = tile.load %q : !tile.ptr<i32>
      %out1 = tile.offset %out, %one : !tile.ptr<i32>, i32
      tile.store %out1, %w : !tile.ptr<i32>
      %two = arith.constant 2 : i32
      %past = tile.offset %q, %two : !tile.ptr<i32>, i32
      tile.store %past, %w : !tile.ptr<i32>
      return
    })");
  EXPECT_EQ(out, (Words{3, 2}));
  EXPECT_EQ(copy[0], &data[2]);
  ASSERT_EQ(run.accesses.size(), 1u);
  EXPECT_EQ(run.accesses[0].array, "argument 0");
  EXPECT_EQ(run.accesses[0].index, 3);
}

TEST(Memory, AddressesShowRealAlignment) {
  alignas(64) static int32_t data[32];
  std::vector<int64_t> out(1);
  KernelRun().bytes(&data[3], 4).array(out).run(R"(
    func.func @k(%p: !tile.ptr<i32>, %out: !tile.ptr<i64>) {
      %i = tile.ptr_to_int %p : !tile.ptr<i32> -> i64
      %n = arith.constant 64 : i64
      %m = arith.remui %i, %n : i64
      tile.store %out, %m : !tile.ptr<i64>
      return
    })");
  EXPECT_EQ(out[0], 12);
}

TEST(Memory, AtomicsReturnWhatWasThere) {
  Words counter{5, 0};
  Words old(3, -1);
  KernelRun run;
  run.array(counter).array(old).run(R"(
    func.func @k(%p: !tile.ptr<i32>, %out: !tile.ptr<i32>) {
      %index = arith.constant dense<[0, 0, 9]> : tensor<3xi32>
      %value = arith.constant dense<[10, 100, 1]> : tensor<3xi32>
      %s = tile.splat %p : !tile.ptr<i32> -> tensor<3x!tile.ptr<i32>>
      %q = tile.offset %s, %index : tensor<3x!tile.ptr<i32>>, tensor<3xi32>
      %r = tile.atomic_rmw add %q, %value order acq_rel scope gpu : tensor<3x!tile.ptr<i32>>
)" + storeLine("r", "out", 3, "i32") +
                                    "return\n}");
  EXPECT_EQ(counter, (Words{115, 0}));
  EXPECT_EQ(old, (Words{5, 15, 0}));
  ASSERT_EQ(run.accesses.size(), 1u);
  EXPECT_EQ(run.accesses[0].access, OutOfBounds::Access::Atomic);
}

TEST(Memory, FloatAtomicsHonourTheMask) {
  std::vector<uint16_t> sum{Half::round(1)};
  KernelRun().array(sum).run(R"(
    func.func @k(%p: !tile.ptr<f16>) {
      %v = arith.constant 0.5 : f16
      %yes = arith.constant true
      %no = arith.constant false
      %a = tile.atomic_rmw fadd %p, %v mask %yes order relaxed scope sys : !tile.ptr<f16>
      %b = tile.atomic_rmw fadd %p, %v mask %no order relaxed scope sys : !tile.ptr<f16>
      return
    })",
                             {4});
  EXPECT_EQ(sum[0], Half::round(3));
}

TEST(Memory, CompareAndSwapReplacesWhatWasExpected) {
  Words memory{5, 6, 7}, old(3, -1);
  KernelRun run;
  run.array(memory).array(old).run(R"(
    func.func @k(%p: !tile.ptr<i32>, %out: !tile.ptr<i32>) {
      %index = arith.constant dense<[0, 1, 9]> : tensor<3xi32>
      %expected = arith.constant dense<[5, 5, 5]> : tensor<3xi32>
      %value = arith.constant dense<[10, 11, 12]> : tensor<3xi32>
      %s = tile.splat %p : !tile.ptr<i32> -> tensor<3x!tile.ptr<i32>>
      %q = tile.offset %s, %index : tensor<3x!tile.ptr<i32>>, tensor<3xi32>
      %r = tile.atomic_cas %q, %expected, %value order acq_rel scope gpu : tensor<3x!tile.ptr<i32>>
)" + storeLine("r", "out", 3, "i32") +
                                   "return\n}");
  EXPECT_EQ(memory, (Words{10, 6, 7}));
  EXPECT_EQ(old, (Words{5, 6, 0}));
  ASSERT_EQ(run.accesses.size(), 1u);
  EXPECT_EQ(run.accesses[0].access, OutOfBounds::Access::Atomic);
}

TEST(Memory, ScalarArgumentsOfEveryWidth) {
  std::vector<double> out(1);
  KernelRun run;
  run.array(out)
      .scalar<int8_t>(-3)
      .scalar<float>(0.5f)
      .scalar<uint16_t>(Half::round(2))
      .scalar<double>(8)
      .scalar<int64_t>(-100)
      .scalar<bool>(true);
  run.run(R"(
    func.func @k(%p: !tile.ptr<f64>, %a: i8, %b: f32, %c: f16, %d: f64, %e: i64, %f: i1) {
      %x = arith.sitofp %a : i8 to f64
      %y = arith.extf %b : f32 to f64
      %z = arith.extf %c : f16 to f64
      %w = arith.sitofp %e : i64 to f64
      %u = arith.uitofp %f : i1 to f64
      %s = arith.addf %x, %y : f64
      %t = arith.addf %s, %z : f64
      %v = arith.addf %t, %d : f64
      %m = arith.addf %v, %w : f64
      %n = arith.addf %m, %u : f64
      tile.store %p, %n : !tile.ptr<f64>
      return
    })");
  EXPECT_EQ(out[0], -3 + 0.5 + 2 + 8 - 100 + 1);
}

} // namespace nereid::interpret
