// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Grids of which not all programs are run.
#include "AnalyzeTest.h"

using namespace nereid;
using test::AnalyzeTest;

namespace {

/// The last programs of rows and columns, which mask some of their tiles, count for as many as they
/// are: where the others are alike, a sample gives what all give.
TEST_F(AnalyzeTest, SampleIsExactWhereProgramsAreAlike) {
  const int64_t rows = 1000, cols = 936;
  Arguments arguments = {{"x", floats({rows, cols})},
                         {"y", floats({rows, cols})},
                         {"rows", rows},
                         {"cols", cols},
                         {"R", 32},
                         {"C", 32}};
  Grid grid = {cdiv(rows, 32), cdiv(cols, 32)};
  Analysis all = analyze("transpose_tiled", grid, arguments), some;
  AnalyzeOptions options;
  options.programs = 32;
  some = analyze("transpose_tiled", grid, arguments, options);
  ASSERT_EQ(all.programsRun, all.programs);
  EXPECT_LT(some.programsRun, all.programs / 4);
  EXPECT_EQ(some.countError, 0);
  for (const char *kind : {"load", "store"}) {
    EXPECT_EQ(access(some, kind).sectors, access(all, kind).sectors);
    EXPECT_EQ(access(some, kind).bytes, access(all, kind).bytes);
  }
  EXPECT_EQ(some.notes.size(), all.notes.size() + 1);
}

/// Of random places the error is said, and it holds.
TEST_F(AnalyzeTest, SampleSaysItsError) {
  const int64_t n = 1 << 18, range = 1 << 12;
  std::vector<int32_t> index(n);
  for (int64_t i = 0; i < n; ++i)
    index[size_t(i)] = int32_t(uint64_t(i) * 2654435761u % uint64_t(range) * ((i >> 10) % 3 == 0));
  Array indices = array(DType::Int32, {n});
  indices.copyFrom(index.data());
  Arguments arguments = {
      {"x", floats({range})}, {"index", indices}, {"y", floats({n})}, {"n", n}, {"BLOCK", 1024}};
  Analysis all = analyze("gather", {n / 1024}, arguments), some;
  AnalyzeOptions options;
  options.programs = 64;
  some = analyze("gather", {n / 1024}, arguments, options);
  auto sectors = [](const Analysis &analysis) {
    double sum = 0;
    for (const Analysis::Access &access : analysis.accesses)
      sum += double(access.sectors);
    return sum;
  };
  EXPECT_GT(some.countError, 0);
  EXPECT_LT(some.countError, 0.5);
  EXPECT_LE(std::abs(sectors(some) - sectors(all)), 1.5 * some.countError * sectors(all));
}

/// The last program of a row is a stratum of its own: what it does not take, the others do.
TEST_F(AnalyzeTest, SampleIsAsLargeAsIsAsked) {
  const int64_t n = 1 << 20;
  AnalyzeOptions options;
  options.programs = 50;
  const Analysis a =
      analyze("copy", {n / 1024},
              {{"x", floats({n})}, {"y", floats({n})}, {"n", n}, {"BLOCK", 1024}}, options);
  EXPECT_EQ(a.programsRun, 50u);
}

TEST_F(AnalyzeTest, HugeGrid) {
  const int64_t n = 1 << 20;
  Analysis a = analyze("copy", {int64_t(1) << 30},
                       {{"x", floats({n})}, {"y", floats({n})}, {"n", n}, {"BLOCK", 1024}});
  EXPECT_EQ(a.programs, uint64_t(1) << 30);
  EXPECT_LE(a.programsRun, uint64_t(1) << 16);
  EXPECT_LE(use(a, "x").readBytes, uint64_t(4 * n));
}

TEST_F(AnalyzeTest, EmptyArrays) {
  Analysis a =
      analyze("copy", {1}, {{"x", floats({0})}, {"y", floats({0})}, {"n", 0}, {"BLOCK", 64}});
  EXPECT_EQ(access(a, "load").requests, 0u);
  EXPECT_EQ(a.memoryBytes, 0u);
  EXPECT_TRUE(a.arrays.empty());
}

} // namespace
