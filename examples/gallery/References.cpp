// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "References.h"

#include <algorithm>
#include <cmath>
#include <thread>
#include <vector>

namespace nereid::gallery::reference {
namespace {

/// Rows, and columns of a product's result, that are worked on while they are in the caches.
constexpr int64_t block = 16, columns = 256;

template <typename Function> Doubles map(const Values &x, Function function) {
  Doubles result(x.size());
  std::transform(x.begin(), x.end(), result.begin(), [&](double value) { return function(value); });
  return result;
}

} // namespace

Doubles copy(const Values &x) { return Doubles(x.begin(), x.end()); }

Doubles add(const Values &a, const Values &b) {
  Doubles result(a.size());
  for (size_t i = 0; i < a.size(); ++i)
    result[i] = double(a[i]) + double(b[i]);
  return result;
}

Doubles scale(const Values &x, double factor) {
  return map(x, [&](double value) { return factor * value; });
}

Doubles exponential(const Values &x) {
  return map(x, [](double value) { return std::exp(value); });
}

Doubles silu(const Values &x) {
  return map(x, [](double value) { return value / (1 + std::exp(-value)); });
}

double dot(const Values &a, const Values &b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i)
    sum += double(a[i]) * double(b[i]);
  return sum;
}

Values transpose(const Values &x, int64_t rows, int64_t cols) {
  Values result(x.size());
  for (int64_t first = 0; first < rows; first += block)
    for (int64_t col = 0; col < cols; ++col)
      for (int64_t row = first; row < std::min(first + block, rows); ++row)
        result[size_t(col * rows + row)] = x[size_t(row * cols + col)];
  return result;
}

Doubles softmaxRows(const Values &x, int64_t rows, int64_t cols) {
  Doubles result(x.size());
  for (int64_t row = 0; row < rows; ++row) {
    const float *in = &x[size_t(row * cols)];
    double *out = &result[size_t(row * cols)];
    double largest = *std::max_element(in, in + cols), sum = 0;
    for (int64_t col = 0; col < cols; ++col)
      sum += out[col] = std::exp(in[col] - largest);
    for (int64_t col = 0; col < cols; ++col)
      out[col] /= sum;
  }
  return result;
}

Doubles matmul(const Values &a, const Values &b, int64_t m, int64_t n, int64_t k) {
  Doubles c(size_t(m * n));
  auto computeRow = [&](int64_t i, int64_t p, int64_t column) {
    double factor = a[size_t(i * k + p)];
    const float *right = &b[size_t(p * n + column)];
    double *sums = &c[size_t(i * n + column)];
    for (int64_t j = 0, width = std::min(columns, n - column); j < width; ++j)
      sums[j] += factor * right[j];
  };
  auto computeRows = [&](int64_t start, int64_t end) {
    for (int64_t first = start; first < end; first += block)
      for (int64_t column = 0; column < n; column += columns)
        for (int64_t p = 0; p < k; ++p)
          for (int64_t i = first; i < std::min(first + block, end); ++i)
            computeRow(i, p, column);
  };
  const int64_t parts = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::jthread> threads;
  for (int64_t part = 0; part < parts; ++part)
    threads.emplace_back(computeRows, m * part / parts, m * (part + 1) / parts);
  threads.clear(); // waits
  return c;
}

Doubles weightedSum(const Values &x, const Values &weight) {
  size_t dim = weight.size();
  Doubles result(x.size() / dim);
  for (size_t i = 0; i < x.size(); ++i)
    result[i / dim] += double(weight[i % dim]) * double(x[i]);
  return result;
}

WeightedSumGradients weightedSumGradients(const Values &x, const Values &weight,
                                          const Values &outputGradient) {
  size_t dim = weight.size();
  WeightedSumGradients gradients{Doubles(x.size()), Doubles(dim)};
  for (size_t i = 0; i < x.size(); ++i) {
    double gradient = outputGradient[i / dim];
    gradients.x[i] = gradient * double(weight[i % dim]);
    gradients.weight[i % dim] += gradient * double(x[i]);
  }
  return gradients;
}

Doubles rmsNormRows(const Values &x, const Values &weight, double epsilon) {
  size_t cols = weight.size();
  Doubles result(x.size());
  for (size_t start = 0; start < x.size(); start += cols) {
    double squares = 0;
    for (size_t i = 0; i < cols; ++i)
      squares += double(x[start + i]) * double(x[start + i]);
    double rms = std::sqrt(squares / double(cols) + epsilon);
    for (size_t i = 0; i < cols; ++i)
      result[start + i] = double(x[start + i]) / rms * double(weight[i]);
  }
  return result;
}

LayerNorm layerNormRows(const Values &x, const Values &weight, const Values &bias, double epsilon) {
  size_t cols = weight.size();
  LayerNorm result{Doubles(x.size()), {}, {}};
  for (size_t start = 0; start < x.size(); start += cols) {
    double sum = 0, squares = 0;
    for (size_t i = 0; i < cols; ++i)
      sum += x[start + i];
    double mean = sum / double(cols);
    for (size_t i = 0; i < cols; ++i)
      squares += (x[start + i] - mean) * (x[start + i] - mean);
    double reciprocalDeviation = 1 / std::sqrt(squares / double(cols) + epsilon);
    for (size_t i = 0; i < cols; ++i)
      result.output[start + i] =
          (x[start + i] - mean) * reciprocalDeviation * double(weight[i]) + double(bias[i]);
    result.mean.push_back(mean);
    result.reciprocalDeviation.push_back(reciprocalDeviation);
  }
  return result;
}

static double convolvePixel(const Values &input, const Values &weight,
                            const ConvolutionShape &shape, int64_t image, int64_t outChannel,
                            int64_t row, int64_t col) {
  double sum = 0;
  for (int64_t channel = 0; channel < shape.inChannels; ++channel)
    for (int64_t i = 0; i < shape.kernelSize; ++i)
      for (int64_t j = 0; j < shape.kernelSize; ++j) {
        int64_t plane = image * shape.inChannels + channel;
        int64_t filter = outChannel * shape.inChannels + channel;
        int64_t pixel = (plane * shape.inputSize + row + i) * shape.inputSize + col + j;
        int64_t tap = (filter * shape.kernelSize + i) * shape.kernelSize + j;
        sum += double(input[size_t(pixel)]) * double(weight[size_t(tap)]);
      }
  return sum;
}

Doubles convolve(const Values &input, const Values &weight, const ConvolutionShape &shape) {
  Doubles result;
  for (int64_t image = 0; image < shape.batch; ++image)
    for (int64_t channel = 0; channel < shape.outChannels; ++channel)
      for (int64_t row = 0; row < shape.outputSize(); ++row)
        for (int64_t col = 0; col < shape.outputSize(); ++col)
          result.push_back(convolvePixel(input, weight, shape, image, channel, row, col));
  return result;
}

Doubles greyBeforeCut(const Values &planes) {
  size_t pixels = planes.size() / 3;
  Doubles result(pixels);
  for (size_t i = 0; i < pixels; ++i)
    result[i] = 0.2989 * planes[i] + 0.5870 * planes[pixels + i] + 0.1140 * planes[2 * pixels + i];
  return result;
}

Doubles grey(const Values &planes) {
  Doubles result = greyBeforeCut(planes);
  for (double &value : result)
    value = std::trunc(value);
  return result;
}

Doubles groupedOrder(int64_t rows, int64_t cols, int64_t group) {
  Doubles result(size_t(rows * cols));
  double turn = 0;
  for (int64_t first = 0; first < rows; first += group)
    for (int64_t col = 0; col < cols; ++col)
      for (int64_t row = first; row < std::min(first + group, rows); ++row)
        result[size_t(row * cols + col)] = turn++;
  return result;
}

} // namespace nereid::gallery::reference
