// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts against arithmetic on what each kernel says it accesses: a warp of 32 lanes that ask for
// 16 bytes each fills 16 sectors of 32 bytes.
#include "AnalyzeTest.h"

#include <random>
#include <set>

using namespace nereid;
using test::AnalyzeTest;

namespace {

TEST_F(AnalyzeTest, CopyOfWholeTiles) {
  const int64_t n = 1 << 20;
  Analysis a = analyze("copy", {n / 1024},
                       {{"x", floats({n})}, {"y", floats({n})}, {"n", n}, {"BLOCK", 1024}});
  for (const char *kind : {"load", "store"}) {
    SCOPED_TRACE(kind);
    const Analysis::Access &access = this->access(a, kind);
    EXPECT_EQ(access.bytesOfLane, 16u);
    EXPECT_EQ(access.requests, uint64_t(n / 128));
    EXPECT_EQ(access.sectors, uint64_t(n * 4 / 32));
    EXPECT_EQ(access.leastSectors, access.sectors);
    EXPECT_EQ(access.bytes, uint64_t(n * 4));
    EXPECT_EQ(access.lostSeconds, 0);
  }
  EXPECT_EQ(use(a, "x").readBytes, uint64_t(4 * n));
  EXPECT_EQ(use(a, "x").writtenBytes, 0u);
  EXPECT_EQ(use(a, "y").writtenBytes, uint64_t(4 * n));
  EXPECT_EQ(a.l2Bytes, uint64_t(8 * n));
  EXPECT_EQ(a.memoryBytes, uint64_t(4 * n)); // what is written stays in L2
  EXPECT_EQ(a.programsRun, a.programs);
  EXPECT_EQ(a.countError, 0);
  EXPECT_EQ(a.barriers, 0u);
  EXPECT_EQ(a.bound, "memory");
}

/// Nothing is known of an odd size, so each lane masks its element alone: 32 lanes of 4 bytes side
/// by side, which fill four sectors.
TEST_F(AnalyzeTest, CopyOfOddSize) {
  for (int64_t n : {1, 31, 33, 1003, 4097}) {
    SCOPED_TRACE(n);
    Analysis a = analyze("copy", {cdiv(n, 1024)},
                         {{"x", floats({n})}, {"y", floats({n})}, {"n", n}, {"BLOCK", 1024}});
    for (const char *kind : {"load", "store"}) {
      EXPECT_EQ(access(a, kind).bytesOfLane, 4u);
      EXPECT_EQ(access(a, kind).requests, uint64_t(cdiv(n, 32)));
      EXPECT_EQ(access(a, kind).sectors, uint64_t(cdiv(4 * n, 32)));
      EXPECT_EQ(access(a, kind).bytes, uint64_t(4 * n));
    }
    EXPECT_EQ(use(a, "x").readBytes, uint64_t(32 * cdiv(4 * n, 32)));
  }
}

TEST_F(AnalyzeTest, ElementsOfSmallTypes) {
  const int64_t n = 1 << 16;
  for (auto [type, bytes] : {std::pair(DType::Float16, 2), std::pair(DType::Int8, 1)}) {
    Analysis a =
        analyze("copy", {n / 4096},
                {{"x", array(type, {n})}, {"y", array(type, {n})}, {"n", n}, {"BLOCK", 4096}},
                {.tuning = {.warps = 4}});
    EXPECT_EQ(access(a, "load").bytesOfLane, 16u);
    EXPECT_EQ(access(a, "load").requests, uint64_t(n * bytes / 512));
    EXPECT_EQ(access(a, "load").sectors, uint64_t(n * bytes / 32));
  }
}

/// Lane l of a request reads element 4 l + i, or l, times the stride: which of them is the layout's
/// choice, and the sum over a stretch that all lanes cover depends on it only for the requests.
TEST_F(AnalyzeTest, Strides) {
  const int64_t programs = 4, block = 1024;
  for (int64_t stride : {2, 3, 5, 17, 64}) {
    SCOPED_TRACE(stride);
    Analysis a = analyze("strided", {programs},
                         {{"x", floats({programs * block * stride})},
                          {"y", floats({programs * block})},
                          {"n", programs * block},
                          {"STRIDE", stride},
                          {"BLOCK", block}});
    const Analysis::Access &load = access(a, "load");
    ASSERT_EQ(load.bytesOfLane, 4u);
    EXPECT_EQ(load.requests, uint64_t(programs * block / 32));
    ASSERT_NE(load.laneStride, 0);
    const int64_t inLane = load.laneStride / stride; // elements of the tile from lane to lane
    ASSERT_TRUE(inLane == 1 || inLane == 4) << load.laneStride;
    uint64_t sectors = 0;
    for (int64_t first = 0; first < programs * block; first += 32 * inLane)
      for (int64_t i = 0; i < inLane; ++i) {
        std::set<int64_t> touched;
        for (int64_t lane = 0; lane < 32; ++lane)
          touched.insert((first + lane * inLane + i) * stride * 4 / 32);
        sectors += touched.size();
      }
    EXPECT_EQ(load.sectors, sectors);
    EXPECT_EQ(load.leastSectors, uint64_t(programs * block * 4 / 32));
    std::set<int64_t> different;
    for (int64_t i = 0; i < programs * block; ++i)
      different.insert(i * stride * 4 / 32);
    EXPECT_EQ(use(a, "x").readBytes, 32 * different.size());
  }
}

/// What lanes ask for together lies in no fewer sectors than it has bytes.
TEST_F(AnalyzeTest, SharedElements) {
  const int64_t programs = 4, block = 1024;
  for (int64_t times : {2, 3, 32}) {
    SCOPED_TRACE(times);
    Analysis a = analyze("repeated", {programs},
                         {{"x", floats({programs * block})},
                          {"y", floats({programs * block})},
                          {"n", programs * block},
                          {"TIMES", times},
                          {"BLOCK", block}});
    const Analysis::Access &load = access(a, "load");
    EXPECT_LE(load.leastSectors, load.sectors);
    EXPECT_LT(load.sectors, load.bytes / 32);
    EXPECT_GE(times * load.leastSectors, load.bytes / 32);
    EXPECT_EQ(load.lostSeconds, 0);
  }
}

TEST_F(AnalyzeTest, TransposeByRowsWritesColumns) {
  const int64_t size = 1024;
  Analysis a = analyze("transpose_naive", {size, 1},
                       {{"x", floats({size, size})},
                        {"y", floats({size, size})},
                        {"rows", size},
                        {"cols", size},
                        {"BLOCK", size}});
  EXPECT_EQ(access(a, "load").sectors, uint64_t(size * size / 8));
  // Each lane of a store is in a row, and so in a sector, of its own.
  const Analysis::Access &store = access(a, "store");
  EXPECT_EQ(store.requests, uint64_t(size * size / 32));
  EXPECT_EQ(store.sectors, uint64_t(size * size));
  EXPECT_EQ(store.leastSectors, uint64_t(size * size / 8));
  EXPECT_EQ(store.laneStride, 4 * size); // they lie as they were read
  EXPECT_GT(store.lostSeconds, 0.1 * a.seconds);
  EXPECT_EQ(use(a, "y").writtenBytes, uint64_t(4 * size * size));
  EXPECT_EQ(use(a, "y").askedBytes, uint64_t(32 * size * size));
  // No other threads would touch fewer sectors: nothing is exchanged.
  EXPECT_TRUE(a.shared.empty());
  EXPECT_EQ(a.barriers, 0u);
}

TEST_F(AnalyzeTest, TransposeByTilesHasNoLoss) {
  const int64_t size = 512;
  Analysis a = analyze("transpose_tiled", {size / 64, size / 64},
                       {{"x", floats({size, size})},
                        {"y", floats({size, size})},
                        {"rows", size},
                        {"cols", size},
                        {"R", 64},
                        {"C", 64}});
  for (const char *kind : {"load", "store"}) {
    EXPECT_EQ(access(a, kind).requests, uint64_t(size * size / 128));
    EXPECT_EQ(access(a, kind).sectors, uint64_t(size * size / 8));
  }
  for (const Analysis::Shared &entry : a.shared)
    EXPECT_EQ(entry.wavefronts, entry.leastWavefronts);
  for (const Analysis::Advice &advice : a.advice)
    EXPECT_EQ(advice.place.line, 0u) << advice.cause;
}

TEST_F(AnalyzeTest, MasksOfOddMatrices) {
  const int64_t rows = 101, cols = 67;
  Analysis a = analyze("transpose_tiled", {cdiv(rows, 32), cdiv(cols, 32)},
                       {{"x", floats({rows, cols})},
                        {"y", floats({rows, cols})},
                        {"rows", rows},
                        {"cols", cols},
                        {"R", 32},
                        {"C", 32}});
  EXPECT_EQ(access(a, "load").bytes, uint64_t(4 * rows * cols));
  EXPECT_EQ(access(a, "store").bytes, uint64_t(4 * rows * cols));
  EXPECT_EQ(use(a, "x").readBytes, uint64_t(32 * cdiv(4 * rows * cols, 32)));
  EXPECT_EQ(use(a, "y").writtenBytes, uint64_t(32 * cdiv(4 * rows * cols, 32)));
}

/// What an index holds decides: read out of the array that the launch has.
TEST_F(AnalyzeTest, GatherReadsTheIndex) {
  const int64_t n = 4096, range = 1 << 20;
  std::vector<int32_t> index(n);
  std::minstd_rand random(7);
  for (int32_t &at : index)
    at = int32_t(random() % range);
  Array indices = array(DType::Int32, {n});
  indices.copyFrom(index.data());
  Analysis a = analyze(
      "gather", {n / 1024},
      {{"x", floats({range})}, {"index", indices}, {"y", floats({n})}, {"n", n}, {"BLOCK", 1024}});
  const Analysis::Access &gathered = access(a, "load", 1);
  ASSERT_EQ(gathered.array, "x");
  EXPECT_EQ(gathered.requests, uint64_t(n / 32));
  uint64_t sectors = 0;
  for (int64_t first = 0; first < n; first += 128)
    for (int64_t i = 0; i < 4; ++i) {
      std::set<int64_t> touched;
      for (int64_t lane = 0; lane < 32; ++lane)
        touched.insert(int64_t(index[first + 4 * lane + i]) * 4 / 32);
      sectors += touched.size();
    }
  EXPECT_EQ(gathered.sectors, sectors);
}

/// Four warps leave a word each, wait once, and read four words at once: lanes that ask for the
/// same 16 bytes are served sixteen at a time.
TEST_F(AnalyzeTest, SumsOfRows) {
  const int64_t rows = 64, cols = 1024;
  AnalyzeOptions options;
  options.tuning.warps = 4;
  Analysis a =
      analyze("row_sum", {rows},
              {{"x", floats({rows, cols})}, {"y", floats({rows})}, {"cols", cols}, {"BLOCK", cols}},
              options);
  EXPECT_EQ(a.threads, 128u);
  EXPECT_EQ(a.barriers, uint64_t(rows));
  ASSERT_EQ(a.shared.size(), 1u);
  EXPECT_EQ(a.shared[0].requests, uint64_t(rows * (4 + 4)));
  EXPECT_EQ(a.shared[0].wavefronts, uint64_t(rows * (4 + 4 * 2)));
  EXPECT_EQ(a.shared[0].leastWavefronts, a.shared[0].wavefronts);
  // The first thread stores.
  EXPECT_EQ(access(a, "store").requests, uint64_t(rows));
  EXPECT_EQ(access(a, "store").bytes, uint64_t(4 * rows));
}

/// By the copy engine, whose boxes are counted by their bytes; each factor once for each tile
/// beside or below.
TEST_F(AnalyzeTest, ProductByBoxes) {
  const int64_t m = 512, n = 1024, k = 256;
  Analysis a = analyze("matmul", {m / 128, n / 256},
                       {{"a", array(DType::Float16, {m, k})},
                        {"b", array(DType::Float16, {k, n})},
                        {"c", array(DType::Float16, {m, n})},
                        {"M", m},
                        {"N", n},
                        {"K", k},
                        {"BM", 128},
                        {"BN", 256},
                        {"BK", 64}});
  ASSERT_EQ(a.products.size(), 1u);
  EXPECT_EQ(a.products[0].flops, 2.0 * m * n * k);
  EXPECT_EQ(a.products[0].instruction, "wgmma.m64n256k16");
  EXPECT_EQ(a.products[0].count, uint64_t((m / 64) * (n / 256) * (k / 16)));
  EXPECT_EQ(access(a, "fetch").bytes, uint64_t(2 * m * k * (n / 256)));
  EXPECT_EQ(access(a, "fetch", 1).bytes, uint64_t(2 * k * n * (m / 128)));
  EXPECT_EQ(use(a, "c").writtenBytes, uint64_t(2 * m * n));
  EXPECT_EQ(use(a, "a").readBytes, uint64_t(2 * m * k));
  EXPECT_EQ(access(a, "fetch").sectors, uint64_t(2 * m * k * (n / 256) / 32));
  EXPECT_EQ(a.residenceLimit, "shared memory");
}

/// A box that reaches beyond its array takes what is there.
TEST_F(AnalyzeTest, BoxesBeyondTheirArrays) {
  const int64_t m = 200, n = 136, k = 72;
  Analysis a = analyze("matmul", {cdiv(m, 128), cdiv(n, 256)},
                       {{"a", array(DType::Float16, {m, k})},
                        {"b", array(DType::Float16, {k, n})},
                        {"c", array(DType::Float16, {m, n})},
                        {"M", m},
                        {"N", n},
                        {"K", k},
                        {"BM", 128},
                        {"BN", 256},
                        {"BK", 64}});
  uint64_t read = 0;
  for (const Analysis::Access &access : a.accesses)
    if (access.kind == "fetch" || access.kind == "copy" || access.kind == "load")
      read += access.bytes;
  EXPECT_EQ(read, uint64_t(2 * m * k + 2 * k * n * cdiv(m, 128)));
  EXPECT_EQ(use(a, "c").writtenBytes, uint64_t(2 * m * n));
}

} // namespace
