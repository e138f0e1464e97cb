// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Homes of what is made lane by lane of operands that lie differently, and how sums lie for a
// store.
#include "backend/gpu/layouts/AccessWidth.h"
#include "backend/gpu/layouts/HomeLayouts.h"
#include "backend/gpu/tiles/RowEnds.h"

using namespace mlir;

namespace nereid::backend::gpu {

using layout::LinearLayout;

LinearLayout HomeLayouts::wholeRunsLayoutOf(Value pointer, Value mask) const {
  const LinearLayout wide = accessLayoutOf(pointer, Value());
  const WideRun run = wideRun(axes, pointer, wide);
  const bool takesWhole =
      mask && run.isAligned && endsRows(mask, run.dimension, run.registers, axes);
  return takesWhole ? wide : accessLayoutOf(pointer, mask);
}

/// What it takes to bring one element to another lane, in bytes.
static unsigned exchanged(Value tile) { return tile::byteSizeOf(tile::elementOf(tile.getType())); }

/// Not where repeated lanes are held by more than one thread: a row that all lanes have makes a
/// poor tile of many rows.
void HomeLayouts::adoptIfEachHasOne(Value value, Value from) {
  if (std::optional<LinearLayout> layout = naturalLayout(from); layout && layout->isInjective())
    adopt(value, from);
}

/// Where one of the operands lies that do not stand at another place: if they lie differently,
/// where the fewest bytes are exchanged, those of the result counted that meets another layout
/// next.
void HomeLayouts::adoptFromOperands(Value result, Operation *op) {
  llvm::SmallVector<std::pair<LinearLayout, unsigned>> operands;
  for (Value operand : op->getOperands())
    if (tile::isTile(operand.getType()) && settlingOf(operand) == Settling::Settled)
      if (std::optional<LinearLayout> layout = naturalLayout(operand))
        operands.emplace_back(*layout, exchanged(operand));
  if (operands.empty() || homes.contains(result))
    return;
  const LinearLayout *best = &operands.front().first;
  auto isElsewhere = [](const auto &first) {
    return [&](const auto &other) { return other.first != first; };
  };
  if (!tile::movesLanes(op) && llvm::any_of(operands, isElsewhere(*best))) {
    const std::optional<LinearLayout> next =
        layoutOfConsumers(result, [](Operation *) { return true; });
    auto exchangedIn = [&](const LinearLayout &layout) {
      unsigned bytes = next && *next != layout ? exchanged(result) : 0;
      for (const auto &operand : llvm::make_filter_range(operands, isElsewhere(layout)))
        bytes += operand.second;
      return bytes;
    };
    best = &std::min_element(operands.begin(), operands.end(), [&](const auto &a, const auto &b) {
              return exchangedIn(a.first) < exchangedIn(b.first);
            })->first;
  }
  set(result, *best);
}

} // namespace nereid::backend::gpu
