// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/AxisInfo.h"

#include "analysis/AxisRules.h"
#include "analysis/FirstRound.h"
#include "dialect/tile/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;

namespace nereid::analysis {

AxisAnalysis::AxisAnalysis(func::FuncOp kernel) {
  for (BlockArgument argument : kernel.getArguments()) {
    AxisInfo info = axis::unknown(argument.getType());
    info.isCount = argument.getType().isInteger();
    if (auto divisor =
            kernel.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), tile::divisibilityAttr))
      info.axes[0].divisibility = axis::powerOfTwoIn(divisor.getInt());
    set(argument, info);
  }
  visit(kernel.getBody().front());
}

AxisInfo AxisAnalysis::of(Value value) const {
  auto found = known.find(value);
  return found != known.end() ? found->second : axis::unknown(value.getType());
}

void AxisAnalysis::set(Value value, AxisInfo info) { known[value] = std::move(info); }

void AxisAnalysis::visit(Block &block) {
  for (Operation &op : block.without_terminator())
    visit(&op);
}

/// Facts about carried values hold on entry and are kept by each round: what the rounds do not keep
/// is given up until nothing changes. Each step shortens a run or drops a divisor, so it ends soon.
void AxisAnalysis::visitLoop(Operation *loop, ValueRange inits, ValueRange carried, Block &body,
                             llvm::function_ref<ValueRange()> next) {
  for (auto [init, argument] : llvm::zip(inits, carried))
    set(argument, of(init));
  for (bool isStable = false; !isStable;) {
    visit(body);
    isStable = true;
    for (auto [argument, value] : llvm::zip(carried, next())) {
      AxisInfo before = of(argument);
      AxisInfo both = axis::meet(before, of(value), argument.getType());
      isStable &= both == before;
      set(argument, both);
    }
  }
}

/// Where the first round begins, if there is one. Whoever takes the first rounds out of a loop has
/// the rest begin at its end where none is left; and says so, as nobody may then compute what a
/// round would before there is one. An author's loop that begins at its end may be begun ahead.
static Value firstOf(scf::ForOp loop) {
  auto select = loop.getLowerBound().getDefiningOp<arith::SelectOp>();
  if (select && select->hasAttr(firstRoundAttr))
    return select.getTrueValue();
  return loop.getLowerBound();
}

void AxisAnalysis::visit(Operation *op) {
  if (auto loop = llvm::dyn_cast<scf::ForOp>(op)) {
    set(loop.getInductionVar(), axis::ofInduction(of(firstOf(loop)), of(loop.getStep())));
    visitLoop(loop, loop.getInitArgs(), loop.getRegionIterArgs(), *loop.getBody(),
              [&] { return loop.getYieldedValues(); });
    for (auto [argument, result] : llvm::zip(loop.getRegionIterArgs(), loop.getResults()))
      set(result, of(argument));
  } else if (auto loop = llvm::dyn_cast<scf::WhileOp>(op)) {
    // What enters the body has passed the condition's block.
    auto next = [&]() -> ValueRange {
      for (auto [argument, value] :
           llvm::zip(loop.getAfterArguments(), loop.getConditionOp().getArgs()))
        set(argument, of(value));
      visit(*loop.getAfterBody());
      return loop.getAfterBody()->getTerminator()->getOperands();
    };
    visitLoop(loop, loop.getInits(), loop.getBeforeArguments(), *loop.getBeforeBody(), next);
    for (auto [value, result] : llvm::zip(loop.getConditionOp().getArgs(), loop.getResults()))
      set(result, of(value));
  } else if (auto branch = llvm::dyn_cast<scf::IfOp>(op)) {
    visit(*branch.thenBlock());
    if (branch.elseBlock())
      visit(*branch.elseBlock());
    for (auto [i, result] : llvm::enumerate(branch.getResults()))
      set(result, axis::meet(of(branch.thenYield().getOperand(i)),
                             of(branch.elseYield().getOperand(i)), result.getType()));
  } else if (op->getNumRegions() == 1 && op->getNumResults() == 0) {
    for (Block &block : op->getRegion(0)) // it runs as it stands
      visit(block);
  } else if (op->getNumResults() == 1 && axis::isTracked(op->getResult(0).getType())) {
    llvm::SmallVector<AxisInfo, 3> operands;
    for (Value operand : op->getOperands())
      operands.push_back(of(operand));
    set(op->getResult(0), axis::ofOperation(op, operands));
  }
}

int64_t vectorLength(const AxisAnalysis &analysis, Value pointer, Value mask, unsigned dim,
                     unsigned mostBytes) {
  AxisInfo addresses = analysis.of(pointer);
  unsigned bytes = tile::byteSizeOf(tile::elementOf(tile::pointeeOf(pointer.getType())));
  const Axis &axis = addresses.axes[dim];
  int64_t length = std::gcd(axis::powerOfTwoIn(axis.contiguity), int64_t(mostBytes / bytes));
  length = std::min(length, std::max<int64_t>(1, axis.divisibility / bytes));
  // Beyond the tile's end nothing is accessed, whatever a promise says.
  length = std::gcd(length, tile::shapeOf(pointer.getType())[dim]);
  if (mask)
    length = std::gcd(length, axis::powerOfTwoIn(analysis.of(mask).axes[dim].constancy));
  return length;
}

bool isDistinct(const AxisAnalysis &analysis, Value pointer) {
  AxisInfo addresses = analysis.of(pointer);
  unsigned runs = 0;
  for (auto [size, axis] : llvm::zip(tile::shapeOf(pointer.getType()), addresses.axes)) {
    if (size > 1 && axis.contiguity < size)
      return false;
    runs += size > 1;
  }
  return runs <= 1;
}

} // namespace nereid::analysis
