// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Bounds.h"

#include <algorithm>
#include <cmath>

namespace nereid::gallery::bound {

/// Half a step of float32, relative to a number: what one rounding costs at most.
constexpr double unit = 0x1p-24;

double roundingsOfSum(int64_t terms) {
  auto worst = static_cast<double>(terms);
  return std::min(worst, 4 + 2 * std::sqrt(worst));
}

Doubles relative(const Doubles &reference, double roundings) {
  Doubles allowed;
  for (double value : reference)
    allowed.push_back(roundings * unit * std::abs(value));
  return allowed;
}

Doubles sum(const Doubles &sizes, int64_t terms, double productRoundings) {
  return relative(sizes, roundingsOfSum(terms) + productRoundings);
}

Values absolute(const Values &x) {
  Values sizes;
  for (float value : x)
    sizes.push_back(std::abs(value));
  return sizes;
}

Doubles softmaxRows(const Doubles &reference, const Values &x, int64_t cols) {
  // The difference to the largest element is rounded, which its exponential magnifies by its size.
  auto [low, high] = std::minmax_element(x.begin(), x.end());
  double exponential = double(*high) - double(*low) + function;
  return relative(reference, 2 * exponential + roundingsOfSum(cols) + 1);
}

Doubles rmsNormRows(const Doubles &reference, int64_t cols) {
  // The root halves what the sum, the division and the epsilon bring; its inverse and the two
  // products follow.
  return relative(reference, (roundingsOfSum(cols) + 2) / 2 + 5);
}

reference::LayerNorm layerNormRows(const reference::LayerNorm &reference, const Values &x,
                                   const Values &weight, const Values &bias) {
  size_t cols = weight.size();
  double sums = roundingsOfSum(int64_t(cols));
  reference::LayerNorm allowed;
  allowed.reciprocalDeviation = relative(reference.reciprocalDeviation, (sums + 2) / 2 + 3);
  for (size_t row = 0; row < reference.mean.size(); ++row) {
    const float *in = &x[row * cols];
    double size = 0;
    for (size_t i = 0; i < cols; ++i)
      size += std::abs(in[i]) / double(cols);
    allowed.mean.push_back((sums + 1) * unit * size);
    for (size_t i = 0; i < cols; ++i) {
      double scale = reference.reciprocalDeviation[row] * std::abs(weight[i]);
      double fromMean = std::abs(in[i] - reference.mean[row]) * scale;
      allowed.output.push_back(allowed.mean.back() * scale +
                               unit * ((sums + 2) / 2 + 7) * fromMean +
                               unit * (fromMean + std::abs(bias[i])));
    }
  }
  return allowed;
}

Doubles grey(const Values &planes) {
  Doubles allowed;
  constexpr double roundings = 3 + 3 + 2; // of the weights, the products and the sums
  for (double value : reference::greyBeforeCut(planes))
    allowed.push_back(std::abs(value - std::round(value)) <= roundings * unit * value ? 1 : 0);
  return allowed;
}

} // namespace nereid::gallery::bound
