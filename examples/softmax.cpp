// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Softmax of each row of a matrix, with the kernel's text inside the program.
#include "nereid/nereid.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

static const char *source = R"(
import triton
import triton.language as tl

@triton.jit
def softmax_kernel(x_ptr, y_ptr, cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK_SIZE)
    mask = offsets < cols
    x = tl.load(x_ptr + row * cols + offsets, mask=mask, other=-float('inf'))
    numerator = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * cols + offsets, numerator / tl.sum(numerator, axis=0), mask=mask)
)";

static int softmax() {
  const int64_t rows = 1823, cols = 781;
  std::vector<float> values(rows * cols);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = 4 * std::sin(0.1f * float(i % 6007));

  nereid::Device device = nereid::Device::open("cpu");
  nereid::Kernel kernel = nereid::Module::fromText(source, "softmax.py").kernel("softmax_kernel");
  nereid::Array x = device.array(values, {rows, cols});
  nereid::Array y = device.empty(nereid::DType::Float32, {rows, cols});

  // One program per row; a row must fit its block, whose size must be a power of two.
  kernel.launch(
      device, {rows},
      {{"x_ptr", x}, {"y_ptr", y}, {"cols", cols}, {"BLOCK_SIZE", nereid::nextPowerOf2(cols)}});

  std::vector<float> result = y.toVector<float>();
  double largestError = 0;
  for (int64_t row = 0; row < rows; ++row) {
    const float *in = &values[row * cols], *out = &result[row * cols];
    double sum = 0;
    for (int64_t col = 0; col < cols; ++col)
      sum += std::exp(double(in[col]));
    for (int64_t col = 0; col < cols; ++col)
      largestError =
          std::max(largestError, std::abs(out[col] * sum / std::exp(double(in[col])) - 1));
  }
  std::printf("softmax of %lld x %lld on %u threads: y[0, 0] = %g, largest relative error %.1e\n",
              (long long)rows, (long long)cols, device.threads(), result[0], largestError);
  return largestError < 1e-5 ? 0 : 1;
}

int main() {
  try {
    return softmax();
  } catch (const nereid::Error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
