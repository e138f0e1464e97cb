// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/ArrayBox.h"
#include "runtime/cuda/TensorMap.h"

#include <span>
#include <vector>

namespace nereid::runtime::cuda {

/// The arrays of which a kernel copies boxes, and what it takes for granted.
struct Boxes {
  std::vector<ArrayBox> boxes;
  std::vector<MultipleCondition> conditions;

  bool empty() const { return boxes.empty() && conditions.empty(); }
  /// Makes the maps of a launch, one for each box. False if the copy engine cannot move boxes of
  /// these arrays, or a condition does not hold: then another kernel must be launched. Allocates
  /// nothing.
  bool makeMaps(Context &context, std::span<const ArgumentSlot> arguments,
                std::span<CUtensorMap> maps) const;
};

} // namespace nereid::runtime::cuda
