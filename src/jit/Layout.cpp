// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/Layout.h"

#include "nereid/error.h"

namespace nereid::jit {
namespace {

[[noreturn]] void failTooLarge(const std::vector<int64_t> &shape) {
  throw Error(Error::Kind::Usage, "an array of shape " + toString(shape) + " is too large");
}

void requireNonNegative(const std::vector<int64_t> &values, const char *what) {
  for (int64_t value : values)
    if (value < 0)
      throw Error(Error::Kind::Usage, std::string(what) + " " + toString(values) +
                                          " has a negative entry; only 0 and up is accepted");
}

int64_t multiply(int64_t lhs, int64_t rhs, const std::vector<int64_t> &shape) {
  int64_t product;
  if (__builtin_mul_overflow(lhs, rhs, &product))
    failTooLarge(shape);
  return product;
}

int64_t countElements(const std::vector<int64_t> &shape, unsigned elementBytes) {
  int64_t count = 1;
  for (int64_t dimension : shape)
    if (dimension == 0)
      return 0;
  for (int64_t dimension : shape)
    count = multiply(count, dimension, shape);
  multiply(count, elementBytes, shape);
  return count;
}

} // namespace

Layout rowMajor(std::vector<int64_t> shape, unsigned elementBytes) {
  requireNonNegative(shape, "shape");
  int64_t size = countElements(shape, elementBytes);
  std::vector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    // An empty dimension must not make the strides before it overflow or vanish.
    stride = size ? stride * shape[i] : 1;
  }
  return {std::move(shape), std::move(strides), size, static_cast<size_t>(size)};
}

Layout strided(std::vector<int64_t> shape, std::vector<int64_t> strides, unsigned elementBytes) {
  requireNonNegative(shape, "shape");
  requireNonNegative(strides, "strides");
  if (strides.size() != shape.size())
    throw Error(Error::Kind::Usage, "strides " + toString(strides) + " do not match shape " +
                                        toString(shape) + "; one for each dimension is needed");
  int64_t size = countElements(shape, elementBytes);
  int64_t extent = size ? 1 : 0;
  for (size_t i = 0; size && i < shape.size(); ++i)
    if (__builtin_add_overflow(extent, multiply(shape[i] - 1, strides[i], shape), &extent))
      failTooLarge(shape);
  multiply(extent, elementBytes, shape);
  return {std::move(shape), std::move(strides), size, static_cast<size_t>(extent)};
}

std::string toString(const std::vector<int64_t> &shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

} // namespace nereid::jit
