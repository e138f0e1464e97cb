// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "nereid/DType.h"

#include <cstdint>
#include <vector>

namespace nereid {

/// What a kernel may know of numbers, addresses and strides in bytes: that they are multiples of
/// this.
inline constexpr unsigned knownMultiple = 16;

/// What is known of an argument before there is one.
struct ArgumentType {
  DType dtype = DType::Int32; ///< of an array, that of its elements
  bool isPointer = false;
  /// Every launch gives a multiple of 16: of a number, its value; of an array, its address in
  /// bytes; of a tensor descriptor, that and each stride in bytes. (Device::empty and its like give
  /// such addresses.)
  bool isMultipleOf16 = false;
  /// Of a tensor descriptor, which is `isPointer`: the shape of its blocks. Empty for all else.
  std::vector<int64_t> blockShape = {};
  bool padsWithNan = false;
  /// Of an array of a kernel of threads, its dimensions (a pointer has one); 0 for all else.
  unsigned dimensions = 0;
  /// Of such an array: its elements lie next to one another, the last index fastest.
  bool isContiguous = true;

  bool operator==(const ArgumentType &) const = default;
};

} // namespace nereid
