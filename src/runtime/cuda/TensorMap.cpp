// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/TensorMap.h"

#include "runtime/cuda/Results.h"
#include "support/Check.h"

namespace nereid::runtime::cuda {
namespace {

/// The engine looks at types for conversions and reductions only; what it has no name for goes by
/// its size.
CUtensorMapDataType typeOf(DType type) {
  switch (type) {
  case DType::Float16:
    return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
  case DType::BFloat16:
    return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  case DType::Float32:
    return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
  case DType::Float64:
    return CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
  default:
    break;
  }
  switch (byteSize(type)) {
  case 1:
    return CU_TENSOR_MAP_DATA_TYPE_UINT8;
  case 2:
    return CU_TENSOR_MAP_DATA_TYPE_UINT16;
  case 4:
    return CU_TENSOR_MAP_DATA_TYPE_UINT32;
  default:
    return CU_TENSOR_MAP_DATA_TYPE_UINT64;
  }
}

/// Bytes in which the pattern repeats; 0 for none.
uint32_t spanOf(TensorMapShape::Swizzle swizzle) {
  return swizzle == TensorMapShape::Swizzle::None ? 0 : 16u << static_cast<unsigned>(swizzle);
}

} // namespace

std::string whyNoTensorMap(const Driver &driver, const TensorMapShape &shape, const void *address) {
  if (!driver.tensorMapEncodeTiled)
    return std::string("the driver has no ") + driver.tensorMapEncodeTiled.symbol;
  if (reinterpret_cast<uintptr_t>(address) % 16)
    return "the array begins at no multiple of 16 bytes";
  for (unsigned i = 0; i < shape.rank; ++i) {
    if (!shape.extents[i] || shape.extents[i] > uint64_t(1) << 32)
      return "the array's extents are not from 1 to 2^32";
    if (!shape.box[i] || shape.box[i] > 256)
      return "the tile's extents are not from 1 to 256";
    if (!shape.steps[i] || shape.steps[i] > 8)
      return "the tile's elements are not from 1 to 8 apart";
    if (i && (shape.strideBytes[i - 1] % 16 || shape.strideBytes[i - 1] >= uint64_t(1) << 40))
      return "the array's rows lie at no multiples of 16 bytes";
  }
  uint32_t rowBytes = shape.box[0] * byteSize(shape.type), span = spanOf(shape.swizzle);
  if (rowBytes % 16 || (span && rowBytes > span))
    return "the tile's rows are no multiples of 16 bytes, or longer than what is swizzled";
  return {};
}

std::optional<CUtensorMap> encodeTensorMap(Context &context, const TensorMapShape &shape,
                                           const void *address) {
  const Driver &driver = context.driver();
  NEREID_CHECK(whyNoTensorMap(driver, shape, address).empty(), "no tensor map can be made");
  constexpr int noInterleave = 0, promoteTo128Bytes = 2, fillWithZeros = 0;
  CUtensorMap map;
  CUresult result =
      context.attempt(driver.tensorMapEncodeTiled, &map, typeOf(shape.type), uint32_t(shape.rank),
                      const_cast<void *>(address), shape.extents.data(), shape.strideBytes.data(),
                      shape.box.data(), shape.steps.data(), noInterleave,
                      static_cast<int>(shape.swizzle), promoteTo128Bytes, fillWithZeros);
  if (!result)
    return map;
  if (meaningOf(result).effect == Effect::Call)
    return std::nullopt;
  context.fail(driver.tensorMapEncodeTiled.symbol, result);
}

} // namespace nereid::runtime::cuda
