// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the documents' kernels should compute, in double precision and in the plainest possible
// loops. Matrices are row-major.
#pragma once

#include <cstdint>
#include <vector>

namespace nereid::gallery {

/// The elements of an input array. Every element type of the gallery's inputs fits a float exactly.
using Values = std::vector<float>;
using Doubles = std::vector<double>;

} // namespace nereid::gallery

namespace nereid::gallery::reference {

Doubles copy(const Values &x);
Doubles add(const Values &a, const Values &b);
Doubles scale(const Values &x, double factor);
Doubles exponential(const Values &x);
/// x / (1 + e^-x)
Doubles silu(const Values &x);
double dot(const Values &a, const Values &b);

Values transpose(const Values &x, int64_t rows, int64_t cols);
Doubles softmaxRows(const Values &x, int64_t rows, int64_t cols);
Doubles matmul(const Values &a, const Values &b, int64_t m, int64_t n, int64_t k);

/// y[r] = sum over d of w[d] * x[r, d]
Doubles weightedSum(const Values &x, const Values &weight);
struct WeightedSumGradients {
  Doubles x, weight;
};
/// The gradients of weightedSum for the gradient of its result.
WeightedSumGradients weightedSumGradients(const Values &x, const Values &weight,
                                          const Values &outputGradient);

/// Each row of x divided by its root mean square, times the weight.
Doubles rmsNormRows(const Values &x, const Values &weight, double epsilon);
struct LayerNorm {
  Doubles output, mean, reciprocalDeviation;
};
LayerNorm layerNormRows(const Values &x, const Values &weight, const Values &bias, double epsilon);

struct ConvolutionShape {
  int64_t batch, inChannels, outChannels, inputSize, kernelSize;
  int64_t outputSize() const { return inputSize - kernelSize + 1; }
};
/// Valid cross-correlation of square images: what deep learning calls convolution.
Doubles convolve(const Values &input, const Values &weight, const ConvolutionShape &shape);

/// The grey of each pixel; red, green and blue are stored plane by plane.
Doubles greyBeforeCut(const Values &planes);
/// The same, cut to an integer.
Doubles grey(const Values &planes);

/// A rows x cols matrix that holds the turn of each of its elements when `group` rows at a time are
/// walked column by column.
Doubles groupedOrder(int64_t rows, int64_t cols, int64_t group);

} // namespace nereid::gallery::reference
