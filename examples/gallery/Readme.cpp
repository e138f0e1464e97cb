// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Bounds.h"
#include "Gallery.h"

#include <algorithm>
#include <cmath>

namespace nereid::gallery {
namespace {

void multiply(Trial &trial, const Extents &size) {
  int64_t m = size[0], n = size[1], k = size[2];
  Input a = trial.normal({m, k}), b = trial.normal({k, n});
  Array c = trial.output(DType::Float32, {m, n});
  trial.launch({cdiv(m, 32), cdiv(n, 32)}, {{"a_ptr", a.array},
                                            {"b_ptr", b.array},
                                            {"c_ptr", c},
                                            {"M", m},
                                            {"N", n},
                                            {"K", k},
                                            {"BLOCK_SIZE_M", 32},
                                            {"BLOCK_SIZE_K", 32},
                                            {"BLOCK_SIZE_N", 32}});
  expectProduct(trial, c, a.values, b.values, m, n, k, trial.productRoundings());
}

void matmulAsPrinted(Trial &trial, const Extents &) {
  Array matrix = trial.device().zeros(DType::Float32, {32, 32});
  trial.expectError(Error::Kind::Source, {"readme_as_printed.py:", "BLOCK_SIZE_N"}, [&] {
    trial.launch({1, 1}, {{"a_ptr", matrix},
                          {"b_ptr", matrix},
                          {"c_ptr", matrix},
                          {"M", 32},
                          {"N", 32},
                          {"K", 32},
                          {"BLOCK_SIZE_M", 32},
                          {"BLOCK_SIZE_K", 32}});
  });
}

void layerNorm(Trial &trial, const Extents &size) {
  int64_t rows = size[0], cols = size[1];
  Input x = trial.normal({rows, cols}), weight = trial.normal({cols}), bias = trial.normal({cols});
  Array out = trial.output(DType::Float32, {rows, cols});
  Array mean = trial.output(DType::Float32, {rows}), rstd = trial.output(DType::Float32, {rows});
  trial.launch({rows}, {{"input_ptr", x.array},
                        {"weight_ptr", weight.array},
                        {"bias_ptr", bias.array},
                        {"output_ptr", out},
                        {"mean_ptr", mean},
                        {"rstd_ptr", rstd},
                        {"stride", cols},
                        {"N", cols},
                        {"eps", 1e-5},
                        {"BLOCK_SIZE", cols}});
  reference::LayerNorm expected =
      reference::layerNormRows(x.values, weight.values, bias.values, 1e-5);
  reference::LayerNorm allowed =
      bound::layerNormRows(expected, x.values, weight.values, bias.values);
  trial.expect(out, expected.output, allowed.output);
  trial.expect(mean, expected.mean, allowed.mean);
  trial.expect(rstd, expected.reciprocalDeviation, allowed.reciprocalDeviation);
  trial.setBytes(2 * 4 * rows * cols);
}

/// Sizes: batch, channels in and out, rows and columns, rows and columns of the filter.
void convolve(Trial &trial, const Extents &size) {
  reference::ConvolutionShape shape{size[0], size[1], size[2], size[3], size[4]};
  int64_t inSize = shape.inputSize, outSize = shape.outputSize(), kernel = shape.kernelSize;
  int64_t block = 8; // the kernel has no mask: it must divide the channels out
  Input input = trial.normal({shape.batch, shape.inChannels, inSize, inSize});
  Input weight = trial.normal({shape.outChannels, shape.inChannels, kernel, kernel});
  Array out = trial.output(DType::Float32, {shape.batch, shape.outChannels, outSize, outSize});
  trial.launch({shape.batch, shape.outChannels / block, outSize * outSize},
               {{"input_ptr", input.array},
                {"weight_ptr", weight.array},
                {"output_ptr", out},
                {"batch_size", shape.batch},
                {"in_channels", shape.inChannels},
                {"out_channels", shape.outChannels},
                {"input_height", inSize},
                {"input_width", inSize},
                {"kernel_size", kernel},
                {"BLOCK_SIZE", block}});
  Doubles sizes =
      reference::convolve(bound::absolute(input.values), bound::absolute(weight.values), shape);
  trial.expect(out, reference::convolve(input.values, weight.values, shape),
               bound::sum(sizes, shape.inChannels * kernel * kernel));
  trial.setOperations(2 * out.size() * shape.inChannels * kernel * kernel);
}

void twice(Trial &trial, const Extents &size) {
  int64_t rows = size[0], cols = size[1], block = 256;
  Input x = trial.normal(size);
  Array out = trial.output(DType::Float32, {rows, cols});
  trial.launch({rows * cols / block}, {{"input_ptr", x.array},
                                       {"output_ptr", out},
                                       {"M", rows},
                                       {"N", cols},
                                       {"BLOCK_SIZE", block}});
  trial.expect(out, reference::scale(x.values, 2));
  trial.setBytes(2 * 4 * rows * cols);
}

/// Of one query: its weights for all keys, and how far each may be off, relative to itself.
struct Weights {
  Doubles values;
  double error = 0;
};

Weights attentionWeights(const float *query, const float *keys, int64_t count, int64_t dim,
                         double scale, double productRoundings) {
  constexpr double unit = 0x1p-24;
  Weights weights;
  double most = -INFINITY, total = 0, largestSize = 0;
  for (int64_t key = 0; key < count; ++key) {
    double score = 0, size = 0;
    for (int64_t i = 0; i < dim; ++i) {
      double product = double(query[i]) * keys[key * dim + i] * scale;
      score += product;
      size += std::abs(product);
    }
    weights.values.push_back(score);
    most = std::max(most, score);
    largestSize = std::max(largestSize, size);
  }
  for (double &weight : weights.values)
    total += weight = std::exp(weight - most);
  for (double &weight : weights.values)
    weight /= total;
  // Two scores are off, and their difference is rounded, which the exponential magnifies.
  double score = 2 * (bound::roundingsOfSum(dim) + productRoundings + 2) * largestSize;
  weights.error = 2 * (score + bound::function) * unit;
  return weights;
}

/// Sizes: heads, positions, which are one block, and the size of a head.
void attend(Trial &trial, const Extents &size) {
  int64_t heads = size[0], positions = size[1], dim = size[2];
  double scale = 1 / std::sqrt(double(dim));
  Input q = trial.normal(size), k = trial.normal(size), v = trial.normal(size);
  Array out = trial.output(DType::Float32, size);
  trial.launch({heads, 1}, {{"q_ptr", q.array},
                            {"k_ptr", k.array},
                            {"v_ptr", v.array},
                            {"output_ptr", out},
                            {"seq_len", positions},
                            {"head_dim", dim},
                            {"scale", scale},
                            {"BLOCK_SIZE", positions}});
  Doubles expected, allowed;
  for (int64_t head = 0; head < heads; ++head)
    for (int64_t row = 0; row < positions; ++row) {
      const float *keys = &k.values[size_t(head * positions * dim)];
      const float *values = &v.values[size_t(head * positions * dim)];
      Weights weights = attentionWeights(&q.values[size_t((head * positions + row) * dim)], keys,
                                         positions, dim, scale, trial.productRoundings());
      for (int64_t i = 0; i < dim; ++i) {
        double sum = 0, sizes = 0;
        for (int64_t key = 0; key < positions; ++key) {
          double product = weights.values[size_t(key)] * values[key * dim + i];
          sum += product;
          sizes += std::abs(product);
        }
        expected.push_back(sum);
        double sums = 2 * bound::roundingsOfSum(positions) + trial.productRoundings() + 2;
        allowed.push_back(sizes * (weights.error + sums * 0x1p-24));
      }
    }
  trial.expect(out, expected, allowed);
  trial.setOperations(4 * heads * positions * positions * dim);
}

void addSum(Trial &trial, const Extents &size) {
  int64_t n = size[0];
  Input x = trial.normal({n});
  Array out = trial.output(DType::Float32, {n});
  trial.launch({1}, {{"input_ptr", x.array}, {"output_ptr", out}, {"BLOCK_SIZE", n}});
  double sum = 0, sizes = 0;
  for (float value : x.values) {
    sum += value;
    sizes += std::abs(value);
  }
  Doubles expected, magnitudes;
  for (float value : x.values) {
    expected.push_back(value + sum);
    magnitudes.push_back(std::abs(value) + sizes);
  }
  trial.expect(out, expected, bound::sum(magnitudes, n + 1));
  trial.setBytes(2 * 4 * n);
}

} // namespace

Listings readmeListings() {
  const std::string attention = "readme_attention.py";
  const std::string file = "readme.py";
  return {
      {"R1", file, "vector_add_kernel", addVectors, {{3000}}, {{1 << 20}}, ""},
      {"R2",
       "readme_as_printed.py",
       "matrix_mul_kernel",
       matmulAsPrinted,
       {{32, 32, 32}},
       {},
       "as printed"},
      {"R2", file, "matrix_mul_kernel", multiply, {{65, 50, 70}}, {{512, 512, 512}}, ""},
      {"R3", file, "layer_norm_kernel", layerNorm, {{33, 128}}, {{1024, 512}}, ""},
      {"R4",
       attention,
       "educational_flash_attention_kernel",
       attend,
       {{3, 16, 32}, {2, 21, 12}},
       {{8, 64, 64}},
       "as printed"},
      {"R4", attention, "attention_of_known_size_kernel", attend, {{3, 16, 32}}, {{8, 64, 64}}, ""},
      {"R5", file, "conv2d_kernel", convolve, {{2, 3, 16, 9, 3}}, {{4, 8, 32, 66, 5}}, ""},
      {"R7", file, "memory_efficient_kernel", twice, {{16, 80}}, {{1024, 1024}}, ""},
      {"R8", file, "shared_memory_demo", addSum, {{256}, {1000}}, {{4096}}, ""},
  };
}

} // namespace nereid::gallery
