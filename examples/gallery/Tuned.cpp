// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The listings that tune, R6 and P9: a tuner picks the fastest of their configurations for each
// size.
#include "Gallery.h"

#include "nereid/tune.h"

namespace nereid::gallery {
namespace {

/// A configuration of R6: blocks of `m` rows and columns, `k` deep.
Configuration blocks(int64_t m, int64_t k, unsigned stages) {
  return {{{"BLOCK_SIZE_M", m}, {"BLOCK_SIZE_K", k}}, {.pipelineStages = stages}};
}

void tunedMatmul(Trial &trial, const Extents &size) {
  int64_t m = size[0], n = size[1], k = size[2];
  Input a = trial.normal({m, k}), b = trial.normal({k, n});
  Array c = trial.output(DType::Float32, {m, n});
  auto grid = [=](const Constants &constants) {
    int64_t block = constants["BLOCK_SIZE_M"];
    return Grid{cdiv(m, block), cdiv(n, block)};
  };
  trial.launchFastest(
      grid, {{"a_ptr", a.array}, {"b_ptr", b.array}, {"c_ptr", c}, {"M", m}, {"N", n}, {"K", k}},
      {blocks(128, 32, 2), blocks(64, 64, 3), blocks(32, 128, 4)}, {"M", "N", "K"});
  expectProduct(trial, c, a.values, b.values, m, n, k, trial.productRoundings());
}

/// A configuration of P9.
Configuration groups(int64_t m, int64_t n, int64_t k, unsigned stages, unsigned warps) {
  return {{{"bm", m}, {"bn", n}, {"bk", k}, {"group_sz", 8}},
          {.warps = warps, .pipelineStages = stages}};
}

const std::vector<Configuration> groupedConfigurations = {
    groups(128, 256, 64, 3, 8), groups(64, 256, 32, 4, 4), groups(128, 128, 32, 4, 4),
    groups(128, 64, 32, 4, 4),  groups(64, 128, 32, 4, 4), groups(128, 32, 32, 4, 4),
    groups(64, 32, 32, 5, 2),   groups(32, 64, 32, 5, 2)};

/// The largest blocks, over whose edges the loads reach, since they have no mask.
constexpr int64_t mostRows = 128, mostColumns = 256, mostDepth = 64;

/// A matrix with zeros behind it, as far as loads reach that begin inside; what they read there of
/// one factor meets zeros of the other, or rows and columns that are not stored.
Input beforeZeros(Trial &trial, int64_t rows, int64_t columns) {
  Input matrix = trial.normal({rows, columns}, DType::Float16);
  int64_t reach = (rows + std::max(mostRows, mostDepth)) * columns + mostColumns;
  Values padded = matrix.values;
  padded.resize(size_t(reach), 0.0f);
  Array whole = trial.given(DType::Float16, {reach}, padded).array;
  trial.keepAlive(whole);
  return {trial.device().borrow(whole.data(), DType::Float16, {rows, columns}), matrix.values};
}

void groupedTunedMatmul(Trial &trial, const Extents &size) {
  int64_t n = size[0];
  trial.setSize(sizeText({n, n, n}));
  Input a = beforeZeros(trial, n, n), b = beforeZeros(trial, n, n);
  Array c = trial.output(DType::Float16, {n, n});
  auto grid = [=](const Constants &constants) {
    return Grid{cdiv(n, constants["bm"]), cdiv(n, constants["bn"])};
  };
  auto launch = [&] {
    trial.launchFastest(grid,
                        {{"a_ptr", a.array},
                         {"b_ptr", b.array},
                         {"c_ptr", c},
                         {"m", n},
                         {"n", n},
                         {"k", n},
                         {"stride_am", n},
                         {"stride_ak", 1},
                         {"stride_bk", n},
                         {"stride_bn", 1},
                         {"stride_cm", n},
                         {"stride_cn", 1}},
                        groupedConfigurations, {"m", "n", "k"});
  };
  if (trial.isChecked() && n < mostColumns)
    return trial.expectError(Error::Kind::Checked,
                             {"practitioner.py:", "tl.load(offs_a)", "a_ptr[", "program (0, 0, 0)"},
                             launch);
  launch();
  expectProduct(trial, c, a.values, b.values, n, n, n);
}

} // namespace

Listings tunedListings() {
  return {
      {"R6", "readme.py", "auto_tuned_kernel", tunedMatmul, {{65, 50, 70}}, {{512, 512, 512}}, ""},
      {"P9",
       "practitioner.py",
       "grouped_autotuned_matmul_k",
       groupedTunedMatmul,
       {{32}, {64}},
       {{128}, {256}, {512}, {1024}, {2048}},
       ""},
  };
}

} // namespace nereid::gallery
