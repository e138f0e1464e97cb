// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same work as parallel loops in C++, as an engineer writes them for one machine. Compiled and
// called by cpp_loops.py, with -O3 -march=native -ffast-math -fopenmp.
#include <algorithm>
#include <cmath>
#include <cstddef>

extern "C" {

void add(const float *x, const float *y, float *out, size_t n) {
#pragma omp parallel for simd schedule(static)
  for (size_t i = 0; i < n; ++i)
    out[i] = x[i] + y[i];
}

void gelu(const float *x, float *out, size_t n) {
#pragma omp parallel for simd schedule(static)
  for (size_t i = 0; i < n; ++i)
    out[i] = 0.5f * x[i] * (1 + std::erf(x[i] * 0.70710678f));
}

void silu(const float *x, float *out, size_t n) {
#pragma omp parallel for simd schedule(static)
  for (size_t i = 0; i < n; ++i)
    out[i] = x[i] / (1 + std::exp(-x[i]));
}

void softmax(const float *x, float *out, size_t rows, size_t columns) {
#pragma omp parallel for schedule(static)
  for (size_t row = 0; row < rows; ++row) {
    const float *from = x + row * columns;
    float *to = out + row * columns;
    float most = from[0], total = 0;
    for (size_t i = 0; i < columns; ++i)
      most = std::max(most, from[i]);
    for (size_t i = 0; i < columns; ++i)
      total += to[i] = std::exp(from[i] - most);
    float scale = 1 / total;
    for (size_t i = 0; i < columns; ++i)
      to[i] *= scale;
  }
}

void sum_rows(const float *x, float *out, size_t rows, size_t columns) {
#pragma omp parallel for schedule(static)
  for (size_t row = 0; row < rows; ++row) {
    float total = 0;
    for (size_t i = 0; i < columns; ++i)
      total += x[row * columns + i];
    out[row] = total;
  }
}

/// A panel of the right factor stays in a core's cache while four rows at a time go over it.
void product(const float *a, const float *b, float *out, size_t n) {
  constexpr size_t depth = 128, width = 64, height = 4;
#pragma omp parallel for collapse(2) schedule(static)
  for (size_t column = 0; column < n; column += width)
    for (size_t top = 0; top < n; top += 64)
      for (size_t k0 = 0; k0 < n; k0 += depth)
        for (size_t row = top; row < top + 64; row += height) {
          float sums[height][width];
          for (size_t i = 0; i < height; ++i)
            for (size_t j = 0; j < width; ++j)
              sums[i][j] = k0 ? out[(row + i) * n + column + j] : 0;
          for (size_t k = k0; k < k0 + depth; ++k)
            for (size_t i = 0; i < height; ++i)
              for (size_t j = 0; j < width; ++j)
                sums[i][j] += a[(row + i) * n + k] * b[k * n + column + j];
          for (size_t i = 0; i < height; ++i)
            for (size_t j = 0; j < width; ++j)
              out[(row + i) * n + column + j] = sums[i][j];
        }
}
}
