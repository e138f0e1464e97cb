// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Homes of what is made lane by lane of operands that lie differently.
#include "backend/gpu/layouts/HomeLayouts.h"

using namespace mlir;

namespace nereid::backend::gpu {

using layout::LinearLayout;

/// What it takes to bring one element to another lane.
static unsigned exchangedBits(Type tile) {
  Type element = tile::elementOf(tile);
  constexpr unsigned byte = 8, pointer = 64;
  return element.isIntOrFloat() ? std::max(byte, element.getIntOrFloatBitWidth()) : pointer;
}

/// Where one of the operands lies that do not stand at another place: if they lie differently, where
/// the fewest bits are exchanged, those of the result counted that meets another layout next.
void HomeLayouts::adoptFromOperands(Value result, Operation *op) {
  llvm::SmallVector<std::pair<LinearLayout, unsigned>> operands;
  for (Value operand : op->getOperands())
    if (tile::isTile(operand.getType()) && settlingOf(operand) == Settling::Settled)
      if (std::optional<LinearLayout> layout = naturalLayout(operand))
        operands.emplace_back(*layout, exchangedBits(operand.getType()));
  if (operands.empty() || homes.contains(result))
    return;
  const LinearLayout *best = &operands.front().first;
  auto isElsewhere = [](const auto &first) {
    return [&](const auto &other) { return other.first != first; };
  };
  if (!tile::movesLanes(op) && llvm::any_of(operands, isElsewhere(*best))) {
    const std::optional<LinearLayout> next =
        layoutOfConsumers(result, [](Operation *) { return true; });
    auto exchanged = [&](const LinearLayout &layout) {
      unsigned bits = next && *next != layout ? exchangedBits(result.getType()) : 0;
      for (const auto &operand : llvm::make_filter_range(operands, isElsewhere(layout)))
        bits += operand.second;
      return bits;
    };
    best = &std::min_element(operands.begin(), operands.end(), [&](const auto &a, const auto &b) {
              return exchanged(a.first) < exchanged(b.first);
            })->first;
  }
  set(result, *best);
}

} // namespace nereid::backend::gpu
