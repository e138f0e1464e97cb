// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "nereid/DType.h"
#include "runtime/cuda/Context.h"

#include <array>
#include <optional>
#include <string>

namespace nereid::runtime::cuda {

/// What of an array the bulk copy engine (TMA) of an sm_90 moves at once, and how it lays that out
/// in shared memory. Dimensions go from the innermost, whose elements lie next to each other.
struct TensorMapShape {
  enum class Swizzle { None, Bytes32, Bytes64, Bytes128 };
  DType type = DType::Float32;
  unsigned rank = 1; // 1 to 5
  std::array<uint64_t, 5> extents = {};
  std::array<uint64_t, 4> strideBytes = {}; // of dimension 1 and up
  std::array<uint32_t, 5> box = {};         // elements of each dimension, with those passed over
  Swizzle swizzle = Swizzle::None;
  std::array<uint32_t, 5> steps = {1, 1, 1, 1, 1}; // how far apart those are that are moved
};

/// Why there can be no tensor map, so that the elements must be copied otherwise; empty if there
/// can be. The rules are those of the driver's documentation.
std::string whyNoTensorMap(const Driver &driver, const TensorMapShape &shape, const void *address);

/// Made on the host in 0.1 us; a kernel takes it by value. Elements outside of the array are read
/// as zeros. Nothing if the driver knows of another rule that the array does not keep to.
std::optional<CUtensorMap> encodeTensorMap(Context &context, const TensorMapShape &shape,
                                           const void *address);

} // namespace nereid::runtime::cuda
