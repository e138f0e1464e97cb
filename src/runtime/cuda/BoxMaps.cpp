// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/BoxMaps.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace nereid::runtime::cuda {
namespace {

TensorMapShape::Swizzle swizzleOf(const ArrayBox &box) {
  return box.swizzleBytes == 0
             ? TensorMapShape::Swizzle::None
             : static_cast<TensorMapShape::Swizzle>(std::countr_zero(box.swizzleBytes / 16));
}

/// False where a number leaves 64 bits or nothing is left of a dimension.
bool setDimensions(const ArrayBox &box, std::span<const ArgumentSlot> arguments,
                   TensorMapShape &shape) {
  constexpr int64_t mostElements = std::numeric_limits<uint32_t>::max();
  for (size_t i = 0; i < box.dimensions.size(); ++i) {
    const ArrayBox::Dimension &dimension = box.dimensions[i];
    std::optional<int64_t> extent = dimension.extent.valueIn(arguments);
    std::optional<int64_t> stride = dimension.stride.valueIn(arguments);
    if (!extent || !stride || *extent <= 0 || *stride < 0)
      return false;
    shape.extents[i] = static_cast<uint64_t>(std::min(*extent, mostElements));
    shape.box[i] = dimension.copied * dimension.step;
    shape.steps[i] = dimension.step;
    if (i > 0)
      shape.strideBytes[i - 1] = static_cast<uint64_t>(*stride) * byteSize(box.type);
  }
  return true;
}

} // namespace

bool Boxes::makeMaps(Context &context, std::span<const ArgumentSlot> arguments,
                     std::span<CUtensorMap> maps) const {
  for (const MultipleCondition &condition : conditions)
    if (!condition.holdsFor(arguments))
      return false;
  for (size_t i = 0; i < boxes.size(); ++i) {
    const ArrayBox &box = boxes[i];
    TensorMapShape shape;
    shape.type = box.type;
    shape.rank = static_cast<unsigned>(box.dimensions.size());
    shape.swizzle = swizzleOf(box);
    std::optional<int64_t> offset = box.offset.valueIn(arguments);
    if (!offset || !setDimensions(box, arguments, shape))
      return false;
    uint64_t address =
        arguments[box.parameter].bits + static_cast<uint64_t>(*offset) * byteSize(box.type);
    const void *start = reinterpret_cast<const void *>(address);
    if (!whyNoTensorMap(context.driver(), shape, start).empty())
      return false;
    std::optional<CUtensorMap> map = encodeTensorMap(context, shape, start);
    if (!map)
      return false;
    maps[i] = *map;
  }
  return true;
}

} // namespace nereid::runtime::cuda
