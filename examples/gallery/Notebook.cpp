// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Bounds.h"
#include "Gallery.h"

#include <numeric>

namespace nereid::gallery {
namespace {

void zipVectors(Trial &trial, const Extents &size) {
  int64_t n = size[0];
  Input a = trial.normal({n}), b = trial.normal({n});
  Array out = trial.output(DType::Float32, {n});
  trial.launch(
      {cdiv(n, 256)},
      {{"a_ptr", a.array}, {"b_ptr", b.array}, {"out_ptr", out}, {"n", n}, {"BLOCK_SIZE", 256}});
  Doubles expected = reference::add(a.values, b.values);
  trial.expect(out, expected, bound::relative(expected, 1));
  trial.setBytes(3 * 4 * n);
}

void dot(Trial &trial, const Input &a, const Input &b, const Doubles &allowed) {
  int64_t n = a.array.size();
  Array out = trial.zeroedOutput(DType::Float32, {1});
  trial.launch(
      {cdiv(n, 256)},
      {{"a_ptr", a.array}, {"b_ptr", b.array}, {"out_ptr", out}, {"size", n}, {"BLOCK_SIZE", 256}});
  trial.expect(out, {reference::dot(a.values, b.values)}, allowed);
  trial.setBytes(2 * 4 * n);
}

void dotOfRange(Trial &trial, const Extents &size) {
  Values range(size_t(size[0]), 0.0f);
  std::iota(range.begin(), range.end(), 0.0f);
  Input a = trial.given(DType::Float32, size, range);
  dot(trial, a, a, {}); // integers: the sum is exact
}

void dotOfRandom(Trial &trial, const Extents &size) {
  Input a = trial.uniform(size), b = trial.uniform(size);
  dot(trial, a, b, bound::sum({reference::dot(a.values, b.values)}, size[0])); // of one sign
}

void softmaxOf(Trial &trial, const Input &x) {
  int64_t rows = x.array.shape()[0], cols = x.array.shape()[1];
  Array y = trial.output(DType::Float32, {rows, cols});
  trial.launch({rows}, {{"x_ptr", x.array},
                        {"y_ptr", y},
                        {"x_row_stride", cols},
                        {"y_row_stride", cols},
                        {"num_cols", cols},
                        {"BLOCK_SIZE", nextPowerOf2(cols)}});
  Doubles expected = reference::softmaxRows(x.values, rows, cols);
  trial.expect(y, expected, bound::softmaxRows(expected, x.values, cols));
  trial.setBytes(2 * 4 * rows * cols);
}

void softmax(Trial &trial, const Extents &size) { softmaxOf(trial, trial.normal(size)); }

void softmaxOfTranspose(Trial &trial, const Extents &size) {
  int64_t rows = size[0], cols = size[1];
  Values values = reference::transpose(trial.normal(size).values, rows, cols);
  softmaxOf(trial, trial.given(DType::Float32, {cols, rows}, values));
}

/// The notebook's choice: about 16 steps along D.
int64_t tileOfDimension(int64_t dim) { return std::max<int64_t>(nextPowerOf2(dim) / 16, 1); }

void weightedSum(Trial &trial, const Extents &size) {
  int64_t rows = size[0], dim = size[1];
  Input x = trial.normal({rows, dim}), weight = trial.normal({dim});
  Array out = trial.output(DType::Float32, {rows});
  trial.launch({cdiv(rows, 16)}, {{"x_ptr", x.array},
                                  {"weight_ptr", weight.array},
                                  {"output_ptr", out},
                                  {"x_stride_row", dim},
                                  {"x_stride_dim", 1},
                                  {"weight_stride_dim", 1},
                                  {"output_stride_row", 1},
                                  {"ROWS", rows},
                                  {"D", dim},
                                  {"ROWS_TILE_SIZE", 16},
                                  {"D_TILE_SIZE", tileOfDimension(dim)}});
  Doubles sizes = reference::weightedSum(bound::absolute(x.values), bound::absolute(weight.values));
  trial.expect(out, reference::weightedSum(x.values, weight.values), bound::sum(sizes, dim));
  trial.setBytes(4 * (rows * dim + dim + rows));
}

void weightedSumBackward(Trial &trial, const Extents &size) {
  int64_t rows = size[0], dim = size[1];
  Input x = trial.normal({rows, dim}), weight = trial.normal({dim});
  Input gradient = trial.normal({rows});
  Array gradX = trial.output(DType::Float32, {rows, dim});
  Array gradWeight = trial.output(DType::Float32, {dim});
  int64_t tile = tileOfDimension(dim);
  trial.launch({cdiv(dim, tile)}, {{"x_ptr", x.array},
                                   {"weight_ptr", weight.array},
                                   {"grad_output_ptr", gradient.array},
                                   {"grad_x_ptr", gradX},
                                   {"grad_weight_ptr", gradWeight},
                                   {"x_stride_row", dim},
                                   {"x_stride_dim", 1},
                                   {"weight_stride_dim", 1},
                                   {"grad_output_stride_row", 1},
                                   {"grad_x_stride_row", dim},
                                   {"grad_x_stride_dim", 1},
                                   {"grad_weight_stride_dim", 1},
                                   {"ROWS", rows},
                                   {"D", dim},
                                   {"ROWS_TILE_SIZE", 16},
                                   {"D_TILE_SIZE", tile}});
  auto [expectedX, expectedWeight] =
      reference::weightedSumGradients(x.values, weight.values, gradient.values);
  Doubles sizes =
      reference::weightedSumGradients(bound::absolute(x.values), bound::absolute(weight.values),
                                      bound::absolute(gradient.values))
          .weight;
  trial.expect(gradX, expectedX, bound::relative(expectedX, 1));
  trial.expect(gradWeight, expectedWeight, bound::sum(sizes, rows));
  trial.setBytes(4 * (2 * rows * dim + 2 * dim + rows));
}

} // namespace

Listings notebookListings() {
  const std::string file = "notebook.py";
  return {
      {"N1", file, "zip_guard_triton", zipVectors, {{1000}}, {{1 << 20}}, ""},
      {"N2", file, "dot_kernel", dotOfRange, {{10}}, {}, "range"},
      {"N2", file, "dot_kernel", dotOfRandom, {{1000}}, {{1 << 20}}, ""},
      {"N3",
       file,
       "triton_softmax_kernel",
       softmax,
       {{37, 100}, {5, 1}},
       {{1823, 781}, {4096, 256}, {4096, 1024}, {4096, 4096}, {4096, 12672}},
       ""},
      {"N3",
       file,
       "triton_softmax_kernel",
       softmaxOfTranspose,
       {{37, 100}},
       {{1823, 781}},
       "transposed"},
      {"N4",
       file,
       "weighted_sum_fwd",
       weightedSum,
       {{37, 50}, {16, 128}},
       {{100, 300}, {64 * 64, 2048}},
       ""},
      {"N5",
       file,
       "weighted_sum_bwd",
       weightedSumBackward,
       {{37, 50}, {16, 128}},
       {{100, 300}, {64 * 64, 2048}},
       ""},
  };
}

} // namespace nereid::gallery
