// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelRun.h"

#include "support/Diagnostics.h"

#include <gtest/gtest.h>

namespace nereid::interpret {

TEST(Check, ReportsAFailedAssertionOncePerExecution) {
  KernelRun run;
  run.run(R"(
    func.func @k() {
      %x = tile.program_id 0
      %s = tile.splat %x : i32 -> tensor<7xi32>
      %lanes = tile.range 0 to 7 : tensor<7xi32>
      %c = arith.cmpi sge, %lanes, %s : tensor<7xi32>
      tile.assert %c, "lanes reach x" : tensor<7xi1>
      %one = arith.constant 1 : i32
      %small = arith.cmpi sle, %x, %one : i32
      tile.assume %small
      return
    })",
          {3});
  EXPECT_EQ(run.assertions, (std::vector<std::string>{"1: lanes reach x", "2: lanes reach x"}));
  EXPECT_EQ(run.lanes, (std::vector<int64_t>{0, 0}));
  EXPECT_EQ(run.assumptions, std::vector<unsigned>{2});
}

TEST(Check, ReportsIndicesThatLeaveTheirDimensionAndNotTheArray) {
  float data[8] = {};
  KernelRun run;
  run.bytes(data, sizeof(data))
      .run(R"(
    func.func @k(%p: !tile.ptr<f32>) {
      %extent = arith.constant 3 : i64
      %x = tile.program_id 0
      %at = arith.extui %x : i32 to i64
      %part = tile.offset %p, %at : !tile.ptr<f32>, i64
      tile.check_index %at of %extent dimension 0 leading to %part : !tile.ptr<f32>
      return
    })",
           {10});
  EXPECT_EQ(run.indices, (std::vector<int64_t>{3, 4, 5, 6, 7})); // 8 and 9 are none of the array's
}

/// How often a promise about a constant tile (or %p + 0..7) was found broken.
static size_t broken(const std::string &values, const std::string &promise) {
  alignas(64) static float data[32];
  KernelRun run;
  run.bytes(&data[4], 64)
      .run("func.func @k(%p: !tile.ptr<f32>) {\n%lanes = tile.range 0 to 8 : tensor<8xi32>\n"
           "%s = tile.splat %p : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>\n"
           "%ptrs = tile.offset %s, %lanes : tensor<8x!tile.ptr<f32>>, tensor<8xi32>\n"
           "%v = arith.constant " +
           values + "\n%r = tile.hint " + promise + "\nreturn\n}");
  return run.promises.size();
}

TEST(Check, TestsPromises) {
  std::string eight = "dense<[16, 17, 18, 19, 8, 9, 10, 11]> : tensor<8xi32>";
  EXPECT_EQ(broken(eight, "contiguity %v [4] : tensor<8xi32>"), 0u);
  EXPECT_EQ(broken(eight, "contiguity %v [8] : tensor<8xi32>"), 1u);
  EXPECT_EQ(broken(eight, "divisibility %v [8] : tensor<8xi32>"), 0u);
  EXPECT_EQ(broken(eight, "divisibility %v [16] : tensor<8xi32>"), 1u);
  EXPECT_EQ(broken(eight, "constancy %v [2] : tensor<8xi32>"), 1u);
  EXPECT_EQ(broken("dense<[[3, 3], [3, 3], [4, 4]]> : tensor<3x2xi32>",
                   "constancy %v [1, 2] : tensor<3x2xi32>"),
            0u);
  EXPECT_EQ(broken("dense<[[3, 3], [3, 3], [4, 4]]> : tensor<3x2xi32>",
                   "constancy %v [3, 1] : tensor<3x2xi32>"),
            1u);
  EXPECT_EQ(broken("24 : i32", "divisibility %v [8] : i32"), 0u);
  EXPECT_EQ(broken("24 : i32", "divisibility %v [16] : i32"), 1u);
  EXPECT_EQ(broken(eight, "divisibility %ptrs [16] : tensor<8x!tile.ptr<f32>>"), 0u);
  EXPECT_EQ(broken(eight, "divisibility %ptrs [32] : tensor<8x!tile.ptr<f32>>"), 1u);
  EXPECT_EQ(broken(eight, "contiguity %ptrs [8] : tensor<8x!tile.ptr<f32>>"), 0u);
}

TEST(Check, NamesAnOperationWithoutEvaluatorAndItsPlace) {
  KernelRun run;
  run.scalar(1.0f);
  try {
    run.run("func.func @k(%x: f32) {\n%s, %c = math.sincos %x : f32\nreturn\n}");
    FAIL() << "it ran";
  } catch (const SourceError &error) {
    EXPECT_EQ(error.diagnostic.id, DiagnosticId::unsupported_operation);
    EXPECT_EQ(error.diagnostic.text, "the checked device has no code for math.sincos");
    ASSERT_EQ(error.diagnostic.notes.size(), 1u);
    EXPECT_EQ(error.diagnostic.notes[0].text, "at -:2:10");
  }
}

} // namespace nereid::interpret
