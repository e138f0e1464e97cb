// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The guide's listings that look at single elements of tiles: G2, G3, G5, G6.
#include "Bounds.h"
#include "Gallery.h"

#include <algorithm>
#include <limits>

namespace nereid::gallery {
namespace {

/// A valid convolution of rows x cols by a filter, in doubles.
Doubles convolvePlane(const Values &input, const Values &filter, int64_t rows, int64_t cols,
                      int64_t filterRows, int64_t filterCols) {
  Doubles out;
  for (int64_t h = 0; h + filterRows <= rows; ++h)
    for (int64_t w = 0; w + filterCols <= cols; ++w) {
      double sum = 0;
      for (int64_t i = 0; i < filterRows; ++i)
        for (int64_t j = 0; j < filterCols; ++j)
          sum += double(input[size_t((h + i) * cols + w + j)]) * filter[size_t(i * filterCols + j)];
      out.push_back(sum);
    }
  return out;
}

/// Sizes: rows and columns of the image, then of the filter.
void convolveGuide(Trial &trial, const Extents &size) {
  int64_t rows = size[0], cols = size[1], filterRows = size[2], filterCols = size[3];
  int64_t outRows = rows - filterRows + 1, outCols = cols - filterCols + 1, block = 8;
  Input input = trial.normal({rows, cols}), filter = trial.normal({filterRows, filterCols});
  Array out = trial.output(DType::Float32, {outRows, outCols});
  trial.launch({cdiv(outRows, block), cdiv(outCols, 2 * block)}, {{"input_ptr", input.array},
                                                                  {"filter_ptr", filter.array},
                                                                  {"output_ptr", out},
                                                                  {"input_h", rows},
                                                                  {"input_w", cols},
                                                                  {"filter_h", filterRows},
                                                                  {"filter_w", filterCols},
                                                                  {"output_h", outRows},
                                                                  {"output_w", outCols},
                                                                  {"stride_ih", cols},
                                                                  {"stride_iw", 1},
                                                                  {"stride_oh", outCols},
                                                                  {"stride_ow", 1},
                                                                  {"BLOCK_SIZE_H", block},
                                                                  {"BLOCK_SIZE_W", 2 * block}});
  Doubles sizes = convolvePlane(bound::absolute(input.values), bound::absolute(filter.values), rows,
                                cols, filterRows, filterCols);
  trial.expect(out, convolvePlane(input.values, filter.values, rows, cols, filterRows, filterCols),
               bound::sum(sizes, filterRows * filterCols));
  trial.setOperations(2 * out.size() * filterRows * filterCols);
}

/// Sizes: rows and columns of the image, rows and columns of the window, the stride.
void pool(Trial &trial, const Extents &size) {
  int64_t rows = size[0], cols = size[1], windowRows = size[2], windowCols = size[3],
          stride = size[4];
  // Windows may reach beyond the edge, as long as they begin inside.
  int64_t outRows = cdiv(rows, stride), outCols = cdiv(cols, stride), block = 32;
  Input input = trial.normal({rows, cols});
  Array out = trial.output(DType::Float32, {outRows, outCols});
  trial.launch({cdiv(outRows * outCols, block)}, {{"input_ptr", input.array},
                                                  {"output_ptr", out},
                                                  {"input_h", rows},
                                                  {"input_w", cols},
                                                  {"output_h", outRows},
                                                  {"output_w", outCols},
                                                  {"window_h", windowRows},
                                                  {"window_w", windowCols},
                                                  {"stride", stride},
                                                  {"BLOCK_SIZE", block}});
  Doubles expected;
  for (int64_t h = 0; h < rows; h += stride)
    for (int64_t w = 0; w < cols; w += stride) {
      double most = -std::numeric_limits<double>::infinity();
      for (int64_t i = h; i < std::min(rows, h + windowRows); ++i)
        for (int64_t j = w; j < std::min(cols, w + windowCols); ++j)
          most = std::max(most, double(input.values[size_t(i * cols + j)]));
      expected.push_back(most);
    }
  trial.expect(out, expected);
}

/// Sizes: the block and the padding. The input is wider than a block.
void copyPadded(Trial &trial, const Extents &size) {
  int64_t block = size[0], pad = size[1], pitch = block + 3;
  Input input = trial.normal({block, pitch});
  Array out = trial.zeroedOutput(DType::Float32, {block, block + pad});
  trial.launch({1}, {{"input_ptr", input.array},
                     {"shared_mem_ptr", out},
                     {"stride_row", pitch},
                     {"stride_col", 1},
                     {"BLOCK_SIZE", block},
                     {"PAD", pad}});
  Doubles expected(size_t(block * (block + pad)), 0.0);
  for (int64_t i = 0; i < block; ++i)
    for (int64_t j = 0; j < block; ++j)
      expected[size_t(i * (block + pad) + j)] = input.values[size_t(i * pitch + j)];
  trial.expect(out, expected);
}

/// Sizes: the elements, and how many chunks of 64 a program takes.
void mapInTwoBuffers(Trial &trial, const Extents &size) {
  int64_t n = size[0], chunks = size[1], block = 64;
  Input input = trial.normal({n});
  Array out = trial.output(DType::Float32, {n});
  trial.launch({cdiv(n, chunks * block)}, {{"ptr_a", input.array},
                                           {"ptr_out", out},
                                           {"n", n},
                                           {"num_chunks", chunks},
                                           {"BLOCK_SIZE", block}});
  Doubles expected, sizes;
  for (float x : input.values) {
    expected.push_back(x * 0.5 + 1.0);
    sizes.push_back(std::abs(x * 0.5) + 1.0);
  }
  trial.expect(out, expected, bound::relative(sizes, 2));
  trial.setBytes(2 * 4 * n);
}

} // namespace

Listings guideElementListings() {
  const std::string file = "guide_elements.py";
  return {
      {"G2",
       file,
       "conv2d_kernel",
       convolveGuide,
       {{11, 19, 3, 2}, {9, 40, 1, 5}},
       {{96, 130, 5, 5}},
       ""},
      {"G3",
       file,
       "pooling_kernel",
       pool,
       {{7, 10, 2, 2, 2}, {9, 8, 3, 2, 1}},
       {{64, 96, 3, 3, 2}},
       ""},
      {"G5", file, "padded_copy_kernel", copyPadded, {{8, 1}, {5, 3}, {32, 1}}, {}, ""},
      {"G6",
       file,
       "double_buffer_kernel",
       mapInTwoBuffers,
       {{1000, 4}, {64, 1}, {130, 3}},
       {{1 << 20, 16}},
       ""},
  };
}

} // namespace nereid::gallery
