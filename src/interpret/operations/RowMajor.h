// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <cstdint>

namespace nereid::interpret {

/// Distances between neighbours along each dimension of a row-major array.
inline llvm::SmallVector<int64_t> rowMajorStrides(llvm::ArrayRef<int64_t> shape) {
  llvm::SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = strides[i] * shape[i];
  return strides;
}

/// Fills a row-major array of the given shape from one whose elements lie `strides` apart. Returns
/// the end of what was written.
template <typename T>
T *gather(T *to, const T *from, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> strides) {
  if (shape.empty()) {
    *to = *from;
    return to + 1;
  }
  if (shape.size() == 1) {
    if (strides[0] == 1)
      return std::copy_n(from, shape[0], to);
    for (int64_t i = 0; i < shape[0]; ++i)
      to[i] = from[i * strides[0]];
    return to + shape[0];
  }
  for (int64_t i = 0; i < shape[0]; ++i)
    to = gather(to, from + i * strides[0], shape.drop_front(), strides.drop_front());
  return to;
}

} // namespace nereid::interpret
