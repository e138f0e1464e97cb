// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Bounds.h"
#include "Gallery.h"

namespace nereid::gallery {

void addVectors(Trial &trial, const Extents &size) {
  int64_t n = size[0];
  Input x = trial.normal(size), y = trial.normal(size);
  Array out = trial.output(DType::Float32, size);
  trial.launch({cdiv(n, 1024)}, {{"x_ptr", x.array},
                                 {"y_ptr", y.array},
                                 {"output_ptr", out},
                                 {"n_elements", n},
                                 {"BLOCK_SIZE", 1024}});
  Doubles expected = reference::add(x.values, y.values);
  trial.expect(out, expected, bound::relative(expected, 1));
  trial.setBytes(3 * 4 * n);
}

namespace {

// G1, G9: elementwise

/// x / (1 + exp(-x)): the exponential, the sum and the quotient or a reciprocal and a product.
constexpr int roundingsOfSilu = bound::function + 3;

template <Doubles function(const Values &), int roundings>
void mapVector(Trial &trial, const Extents &size) {
  int64_t n = size[0];
  Input x = trial.normal(size);
  Array out = trial.output(DType::Float32, size);
  trial.launch({cdiv(n, 1024)},
               {{"x_ptr", x.array}, {"output_ptr", out}, {"n_elements", n}, {"BLOCK_SIZE", 1024}});
  Doubles expected = function(x.values);
  trial.expect(out, expected, bound::relative(expected, roundings));
  trial.setBytes(2 * 4 * n);
}

void silu(Trial &trial, const Extents &size) {
  int64_t n = size[0];
  Input x = trial.normal(size);
  Array out = trial.output(DType::Float32, size);
  trial.launch({cdiv(n, 512)},
               {{"input", x.array}, {"output", out}, {"n", n}, {"BLOCK_SIZE", 512}});
  Doubles expected = reference::silu(x.values);
  trial.expect(out, expected, bound::relative(expected, roundingsOfSilu));
  trial.setBytes(2 * 4 * n);
}

// G4: addressing

/// A matrix, or its transpose through the strides alone, element by element.
template <bool transposed> void matrixElements(Trial &trial, const Extents &size) {
  int64_t rows = size[0], cols = size[1];
  Input x = trial.normal(transposed ? Extents{cols, rows} : size);
  Array out = trial.output(DType::Float32, size);
  trial.launch({rows, cols}, {{"base_ptr", x.array},
                              {"out_ptr", out},
                              {"stride_row", transposed ? 1 : cols},
                              {"stride_col", transposed ? rows : 1}});
  const Values &values = transposed ? reference::transpose(x.values, cols, rows) : x.values;
  trial.expect(out, reference::copy(values));
  trial.setBytes(2 * 4 * rows * cols);
}

void tensorElements(Trial &trial, const Extents &size) {
  Input x = trial.normal(size);
  Array out = trial.output(DType::Float32, size);
  trial.launch({size[0], size[1], size[2]}, {{"base_ptr", x.array},
                                             {"out_ptr", out},
                                             {"stride_depth", size[1] * size[2]},
                                             {"stride_row", size[2]},
                                             {"stride_col", 1}});
  trial.expect(out, reference::copy(x.values));
  trial.setBytes(2 * 4 * out.size());
}

/// A 16 x 32 tile from the middle of a matrix.
void matrixTile(Trial &trial, const Extents &size) {
  int64_t rows = size[0], cols = size[1], rowStart = rows / 3, colStart = cols / 4;
  constexpr int64_t tileRows = 16, tileCols = 32;
  Input x = trial.normal(size);
  Array out = trial.output(DType::Float32, {tileRows, tileCols});
  trial.launch({1}, {{"base_ptr", x.array},
                     {"out_ptr", out},
                     {"M", rows},
                     {"N", cols},
                     {"row_start", rowStart},
                     {"col_start", colStart},
                     {"stride_row", cols},
                     {"stride_col", 1},
                     {"BLOCK_SIZE_M", tileRows},
                     {"BLOCK_SIZE_N", tileCols}});
  Doubles expected;
  for (int64_t row = rowStart; row < rowStart + tileRows; ++row)
    for (int64_t col = colStart; col < colStart + tileCols; ++col)
      expected.push_back(x.values[size_t(row * cols + col)]);
  trial.expect(out, expected);
  trial.setBytes(2 * 4 * tileRows * tileCols);
}

/// A matrix stored column by column, copied to row by row.
void blockWise(Trial &trial, const Extents &size) {
  int64_t rows = size[0], cols = size[1];
  Input x = trial.normal({cols, rows});
  Array out = trial.output(DType::Float32, size);
  trial.launch({cdiv(rows, 16), cdiv(cols, 32)}, {{"base_ptr", x.array},
                                                  {"out_ptr", out},
                                                  {"M", rows},
                                                  {"N", cols},
                                                  {"stride_row", 1},
                                                  {"stride_col", rows},
                                                  {"BLOCK_SIZE_M", 16},
                                                  {"BLOCK_SIZE_N", 32}});
  trial.expect(out, reference::copy(reference::transpose(x.values, cols, rows)));
  trial.setBytes(2 * 4 * rows * cols);
}

void coalesced(Trial &trial, const Extents &size) {
  constexpr int64_t block = 128; // divides the size: the listing has no mask
  Input x = trial.normal(size);
  Array out = trial.output(DType::Float32, size);
  trial.launch({size[0] / block}, {{"base_ptr", x.array}, {"out_ptr", out}, {"BLOCK_SIZE", block}});
  trial.expect(out, reference::copy(x.values));
  trial.setBytes(2 * 4 * size[0]);
}

void strided(Trial &trial, const Extents &size) {
  constexpr int64_t block = 128, stride = 33;
  int64_t n = size[0];
  Input x = trial.normal({n - block + (block - 1) * stride + 1});
  Array out = trial.output(DType::Float32, size);
  trial.launch(
      {n / block},
      {{"base_ptr", x.array}, {"out_ptr", out}, {"large_stride", stride}, {"BLOCK_SIZE", block}});
  Doubles expected;
  for (int64_t start = 0; start < n; start += block)
    for (int64_t i = 0; i < block; ++i)
      expected.push_back(x.values[size_t(start + i * stride)]);
  trial.expect(out, expected);
  trial.setBytes(2 * 4 * n);
}

// G7: transpose

void transpose(Trial &trial, const Extents &size, Grid grid, int64_t block,
               const Arguments &more = {}) {
  int64_t rows = size[0], cols = size[1];
  Input x = trial.uniform(size);
  Array out = trial.output(DType::Float32, {cols, rows});
  Arguments arguments = {
      {"input_ptr", x.array}, {"output_ptr", out}, {"M", rows}, {"N", cols}, {"BLOCK_SIZE", block}};
  arguments.insert(arguments.end(), more.begin(), more.end());
  trial.launch(grid, arguments);
  trial.expect(out, reference::copy(reference::transpose(x.values, rows, cols)));
  trial.setBytes(2 * 4 * rows * cols);
}

void transposeV1(Trial &trial, const Extents &size) { transpose(trial, size, {size[1]}, 1024); }
void transposeV2(Trial &trial, const Extents &size) { transpose(trial, size, {size[0]}, 1024); }

void transposeV3(Trial &trial, const Extents &size) {
  transpose(trial, size, {cdiv(size[0], 32), cdiv(size[1], 32)}, 32);
}

void transposeV4(Trial &trial, const Extents &size) {
  constexpr int64_t programs = 16, block = 32, pad = 1;
  Array scratch = trial.output(DType::Float32, {programs, block, block + pad});
  transpose(trial, size, {programs}, block, {{"scratch_ptr", scratch}, {"PAD", pad}});
}

// G8: GEMM

struct Blocks {
  int64_t m = 32, n = 32, k = 32;
};

/// A product of row-major matrices; `hasStrides` says whether the kernel asks for them.
void matmul(Trial &trial, const Extents &size, Grid grid, Blocks blocks, bool hasStrides,
            const Arguments &more = {}) {
  int64_t m = size[0], n = size[1], k = size[2];
  Input a = trial.normal({m, k}), b = trial.normal({k, n});
  Array c = trial.output(DType::Float32, {m, n});
  Arguments arguments = {{"a_ptr", a.array},
                         {"b_ptr", b.array},
                         {"c_ptr", c},
                         {"M", m},
                         {"N", n},
                         {"K", k},
                         {"BLOCK_SIZE_M", blocks.m},
                         {"BLOCK_SIZE_N", blocks.n},
                         {"BLOCK_SIZE_K", blocks.k}};
  if (hasStrides)
    arguments.insert(arguments.end(), {{"stride_am", k},
                                       {"stride_ak", 1},
                                       {"stride_bk", n},
                                       {"stride_bn", 1},
                                       {"stride_cm", n},
                                       {"stride_cn", 1}});
  arguments.insert(arguments.end(), more.begin(), more.end());
  trial.launch(grid, arguments);
  expectProduct(trial, c, a.values, b.values, m, n, k);
}

Grid oneProgramPerBlock(const Extents &size, Blocks blocks) {
  return {cdiv(size[0], blocks.m), cdiv(size[1], blocks.n)};
}

void gemmV1(Trial &trial, const Extents &size) {
  matmul(trial, size, oneProgramPerBlock(size, {}), {}, false);
}

void gemmV2(Trial &trial, const Extents &size) {
  Blocks blocks{64, 64, 32};
  matmul(trial, size, oneProgramPerBlock(size, blocks), blocks, true);
}

/// A and B transposed through their strides, C stored column by column.
void gemmV2OfColumns(Trial &trial, const Extents &size) {
  int64_t m = size[0], n = size[1], k = size[2];
  Input a = trial.normal({k, m}), b = trial.normal({n, k});
  Array c = trial.output(DType::Float32, {n, m});
  trial.launch(oneProgramPerBlock(size, {}), {{"a_ptr", a.array},
                                              {"b_ptr", b.array},
                                              {"c_ptr", c},
                                              {"M", m},
                                              {"N", n},
                                              {"K", k},
                                              {"stride_am", 1},
                                              {"stride_ak", m},
                                              {"stride_bk", 1},
                                              {"stride_bn", k},
                                              {"stride_cm", 1},
                                              {"stride_cn", m},
                                              {"BLOCK_SIZE_M", 32},
                                              {"BLOCK_SIZE_N", 32},
                                              {"BLOCK_SIZE_K", 32}});
  // The transpose of a product is the product of the transposes in turn.
  expectProduct(trial, c, b.values, a.values, n, m, k);
}

void gemmV3(Trial &trial, const Extents &size) {
  Blocks blocks{64, 64, 32};
  matmul(trial, size, oneProgramPerBlock(size, blocks), blocks, true, {{"UNROLL", 2}});
}

/// Sizes: M, N, K and one configuration of the listing's tuner: blocks along M, N, K, and group.
void gemmV4(Trial &trial, const Extents &size) {
  Blocks blocks{size[3], size[4], size[5]};
  Grid grid{cdiv(size[0], blocks.m) * cdiv(size[1], blocks.n)};
  trial.setSize(sizeText({size[0], size[1], size[2]}) + " by " +
                sizeText({blocks.m, blocks.n, blocks.k}));
  matmul(trial, size, grid, blocks, true, {{"GROUP_SIZE_M", size[6]}});
}

// G9: normalisation and copy

void rmsNormVector(Trial &trial, const Extents &size) {
  int64_t n = size[0];
  Input x = trial.normal(size), weight = trial.normal(size);
  Array out = trial.output(DType::Float32, size);
  trial.launch({1}, {{"input", x.array},
                     {"weight", weight.array},
                     {"output", out},
                     {"cols", n},
                     {"epsilon", 1e-5},
                     {"BLOCK_SIZE", 1024}});
  Doubles expected = reference::rmsNormRows(x.values, weight.values, 1e-5);
  trial.expect(out, expected, bound::rmsNormRows(expected, n));
  trial.setBytes(4 * 4 * n);
}

void rmsNormMatrix(Trial &trial, const Extents &size) {
  int64_t rows = size[0], cols = size[1];
  Input x = trial.normal(size), weight = trial.normal({cols});
  Array out = trial.output(DType::Float32, size);
  trial.launch({rows}, {{"input", x.array},
                        {"weight", weight.array},
                        {"output", out},
                        {"rows", rows},
                        {"cols", cols},
                        {"epsilon", 1e-5},
                        {"BLOCK_SIZE", nextPowerOf2(cols)}});
  Doubles expected = reference::rmsNormRows(x.values, weight.values, 1e-5);
  trial.expect(out, expected, bound::rmsNormRows(expected, cols));
  trial.setBytes(2 * 4 * rows * cols);
}

void copyFirstColumn(Trial &trial, const Extents &size) {
  int64_t rows = size[0], cols = size[1];
  Input matrix = trial.normal(size);
  Array out = trial.output(DType::Float32, {rows});
  trial.launch(
      {cdiv(rows, 256)},
      {{"h_A", matrix.array}, {"d_A", out}, {"rows", rows}, {"cols", cols}, {"BLOCK_SIZE", 256}});
  Doubles expected;
  for (int64_t row = 0; row < rows; ++row)
    expected.push_back(matrix.values[size_t(row * cols)]);
  trial.expect(out, expected);
  trial.setBytes(2 * 4 * rows);
}

} // namespace

Listings guideListings() {
  const std::string file = "guide.py";
  const std::vector<Extents> smallMatrix = {{100, 77}}, largeMatrix = {{1000, 777}, {4096, 8192}};
  const std::vector<Extents> smallProduct = {{65, 50, 70}};
  const std::vector<Extents> largeProduct = {{300, 200, 100}, {512, 512, 512}};
  return {
      {"G1", file, "my_kernel_add", addVectors, {{3000}}, {{1 << 22}}, ""},
      {"G1",
       file,
       "my_kernel_silu",
       mapVector<reference::silu, roundingsOfSilu>,
       {{3000}},
       {{1 << 22}},
       ""},
      {"G1",
       file,
       "my_kernel_exp",
       mapVector<reference::exponential, bound::function>,
       {{3000}},
       {{1 << 22}},
       ""},
      {"G4", file, "matrix_element_kernel", matrixElements<false>, {{13, 17}}, {}, "row-major"},
      {"G4", file, "matrix_element_kernel", matrixElements<true>, {{13, 17}}, {}, "transposed"},
      {"G4", file, "tensor_element_kernel", tensorElements, {{3, 5, 7}}, {}, ""},
      {"G4", file, "matrix_tile_kernel", matrixTile, {{60, 80}}, {{1000, 777}}, ""},
      {"G4", file, "block_wise_kernel", blockWise, smallMatrix, {{1000, 777}}, ""},
      {"G4", file, "coalesced_kernel", coalesced, {{1024}}, {{1 << 20}}, ""},
      {"G4", file, "strided_kernel", strided, {{1024}}, {{1 << 20}}, ""},
      {"G7", file, "transpose_v1", transposeV1, smallMatrix, largeMatrix, ""},
      {"G7", file, "transpose_v2", transposeV2, smallMatrix, largeMatrix, ""},
      {"G7", file, "transpose_v3", transposeV3, smallMatrix, largeMatrix, ""},
      {"G7", file, "transpose_v4", transposeV4, smallMatrix, largeMatrix, ""},
      {"G8", file, "gemm_v1", gemmV1, smallProduct, largeProduct, ""},
      {"G8", file, "gemm_v2", gemmV2, smallProduct, largeProduct, ""},
      {"G8", file, "gemm_v2", gemmV2OfColumns, smallProduct, {}, "transposed"},
      {"G8", file, "gemm_v3", gemmV3, smallProduct, largeProduct, ""},
      {"G8",
       file,
       "gemm_v4",
       gemmV4,
       {{65, 50, 70, 16, 16, 16, 2}},
       {{700, 300, 200, 64, 128, 32, 8},
        {512, 512, 512, 128, 256, 64, 8},
        {512, 512, 512, 64, 256, 32, 8},
        {512, 512, 512, 128, 128, 32, 8},
        {512, 512, 512, 128, 64, 32, 8},
        {512, 512, 512, 64, 128, 32, 8}},
       ""},
      {"G9", file, "silu_kernel", silu, {{1000}}, {{1 << 22}}, ""},
      {"G9", file, "rms_norm_vector_kernel", rmsNormVector, {{1500}, {100}}, {{1 << 20}}, ""},
      {"G9", file, "rms_norm_matrix_kernel", rmsNormMatrix, {{50, 77}}, {{1000, 777}}, ""},
      {"G9", file, "copy_first_column", copyFirstColumn, {{300, 11}}, {{4096, 1000}}, ""},
  };
}

} // namespace nereid::gallery
