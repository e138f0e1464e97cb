// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Homes of what loops carry and branches give.
#include "backend/gpu/layouts/HomeLayouts.h"

#include "backend/gpu/layouts/RootLayouts.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace nereid::backend::gpu {

using layout::LinearLayout;

void HomeLayouts::settleRest(ValueRange values) {
  for (Value value : values)
    if (tile::isTile(value.getType())) {
      nv::SharedType room = roomBehind(value);
      set(value, room ? neighboursLayout(value.getType(), room) : defaultLayout(value.getType()));
    }
}

void HomeLayouts::settleCarried(ValueRange values) {
  for (Value value : values)
    if (tile::isTile(value.getType()) && !homes.contains(value))
      adoptFromConsumers(value);
  settleRest(values);
}

void HomeLayouts::untilSettled(llvm::function_ref<void()> round) {
  for (size_t before = homes.size() + 1; before != homes.size();) {
    before = homes.size();
    round();
  }
}

/// What a loop carries has the layout of what enters it, or else of what its body gives: an
/// accumulator that starts with zeros lies as the products do.
void HomeLayouts::visitFor(Operation *op) {
  auto loop = llvm::cast<scf::ForOp>(op);
  for (auto [argument, init] : llvm::zip(loop.getRegionIterArgs(), loop.getInitArgs())) {
    if (tile::isTile(argument.getType()))
      adoptFromProducts(argument);
    adopt(argument, init);
  }
  untilSettled([&] {
    visit(*loop.getBody());
    for (auto [argument, yielded] : llvm::zip(loop.getRegionIterArgs(), loop.getYieldedValues()))
      adopt(argument, yielded);
  });
  settleCarried(loop.getRegionIterArgs());
  visit(*loop.getBody());
  for (auto [argument, result] : llvm::zip(loop.getRegionIterArgs(), loop.getResults()))
    adopt(result, argument);
}

void HomeLayouts::visitWhile(Operation *op) {
  auto loop = llvm::cast<scf::WhileOp>(op);
  auto rounds = [&] {
    visit(*loop.getBeforeBody());
    for (auto [argument, value] :
         llvm::zip(loop.getAfterArguments(), loop.getConditionOp().getArgs()))
      adopt(argument, value);
    visit(*loop.getAfterBody());
    for (auto [argument, value] :
         llvm::zip(loop.getBeforeArguments(), loop.getAfterBody()->getTerminator()->getOperands()))
      adopt(argument, value);
  };
  for (auto [argument, init] : llvm::zip(loop.getBeforeArguments(), loop.getInits()))
    adopt(argument, init);
  untilSettled(rounds);
  settleCarried(loop.getBeforeArguments());
  rounds();
  settleCarried(loop.getAfterArguments());
  rounds();
  for (auto [result, argument] : llvm::zip(loop.getResults(), loop.getAfterArguments()))
    adopt(result, argument);
}

void HomeLayouts::visitIf(Operation *op) {
  auto branch = llvm::cast<scf::IfOp>(op);
  visit(*branch.thenBlock());
  if (!branch.elseBlock())
    return;
  visit(*branch.elseBlock());
  // A load that is masked in one of the branches may lie as the wider one in the other, not that as
  // it.
  auto widthOf = [&](Value yielded) {
    auto load = yielded.getDefiningOp<tile::LoadOp>();
    return load && tile::isTile(load.getType())
               ? widestAccess(load.getPointer(), load.getMask()).elements
               : 0;
  };
  for (auto [i, result] : llvm::enumerate(branch.getResults())) {
    Value first = branch.thenYield().getOperand(i), second = branch.elseYield().getOperand(i);
    if (widthOf(second) > widthOf(first))
      std::swap(first, second);
    adopt(result, first);
    adopt(result, second);
  }
  bool isComplete = true;
  for (Operation *yield : {branch.thenYield().getOperation(), branch.elseYield().getOperation()})
    for (Value value : yield->getOperands())
      isComplete &= !tile::isTile(value.getType()) || settlingOf(value) == Settling::Free ||
                    naturalLayout(value).has_value();
  if (!isComplete)
    return;
  for (Value result : branch.getResults())
    if (tile::isTile(result.getType()) && !homes.contains(result))
      adoptFromAccesses(result, /*alsoMoved=*/true);
  settleRest(branch.getResults());
}

} // namespace nereid::backend::gpu
