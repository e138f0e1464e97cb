// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layout/Gather.h"

namespace nereid::layout {
namespace {

/// A place of the source, or what a bit adds to one.
struct Holder {
  unsigned warp, lane, reg;
};

} // namespace

std::optional<GatherPlan> planGather(const LinearLayout &source, const LinearLayout &result,
                                     unsigned axis) {
  const LinearLayout places = source.pseudoInverse();
  const unsigned registerBits = unsigned(source.bases(Register).size()),
                 laneBits = unsigned(source.bases(Lane).size());
  // Warps that differ in the other bits hold the same.
  unsigned distinctWarps = 0;
  for (size_t bit = 0; bit < source.bases(Warp).size(); ++bit)
    distinctWarps |= source.bases(Warp)[bit] ? 1u << bit : 0;
  const auto placeOf = [&](const Coordinates &at) {
    const Vector place = places(pack(source.outputs(), at));
    return Holder{unsigned(place >> (registerBits + laneBits)) & distinctWarps,
                  unsigned(place >> registerBits) & ((1u << laneBits) - 1),
                  unsigned(place) & ((1u << registerBits) - 1)};
  };
  const auto placeAtIndexZero = [&](Vector element) {
    Coordinates at = unpack(result.outputs(), element);
    at[axis] = 0;
    return placeOf(at);
  };

  GatherPlan plan;
  for (size_t bit = 0; bit < result.bases(Warp).size(); ++bit) {
    const Holder place = placeAtIndexZero(result.bases(Warp)[bit]);
    if (place.reg || place.warp != ((1u << bit) & distinctWarps))
      return std::nullopt;
    plan.lane.warp.push_back(place.lane);
  }
  for (Vector basis : result.bases(Lane)) {
    const Holder place = placeAtIndexZero(basis);
    if (place.reg || place.warp)
      return std::nullopt;
    plan.lane.lane.push_back(place.lane);
  }
  for (uint64_t reg = 0; reg < uint64_t(1) << result.bases(Register).size(); ++reg) {
    const Holder place = placeAtIndexZero(result(reg));
    if (place.warp)
      return std::nullopt;
    plan.laneXor.push_back(place.lane);
    plan.registers.push_back(place.reg);
  }
  for (uint64_t index = 1; index < source.outputs()[axis].size(); index *= 2) {
    Coordinates at(source.outputs().size(), 0);
    at[axis] = index;
    const Holder place = placeOf(at);
    if (place.warp)
      return std::nullopt;
    plan.laneOfIndex.push_back(place.lane);
    plan.registerOfIndex.push_back(place.reg);
  }
  return plan;
}

} // namespace nereid::layout
