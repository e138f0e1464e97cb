// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/RoundSlice.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace nereid::backend::nvptx {

std::optional<RoundSlice> RoundSlice::of(scf::ForOp loop, ValueRange roots,
                                         const analysis::Aliasing &aliasing) {
  RoundSlice slice(loop, aliasing);
  for (Value root : roots)
    if (!slice.add(root))
      return std::nullopt;
  return slice;
}

bool RoundSlice::add(Value value) {
  if (auto argument = llvm::dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != loop.getBody() || argument == loop.getInductionVar())
      return true;
    unsigned number = argument.getArgNumber() - loop.getNumInductionVars();
    return !carried.insert(number) || add(loop.getYieldedValues()[number]);
  }
  Operation *op = value.getDefiningOp();
  if (!isInLoop(op))
    return true;
  if (op->getBlock() != loop.getBody() || op->getNumRegions() > 0 || !isKnownEarly(op))
    return false;
  return !ops.insert(op).second ||
         llvm::all_of(op->getOperands(), [&](Value operand) { return add(operand); });
}

/// Tables of pages, lists of blocks and of rows are read before the loop's own round, if nobody
/// writes them meanwhile.
bool RoundSlice::isKnownEarly(Operation *op) {
  if (auto load = llvm::dyn_cast<tile::LoadOp>(op))
    return !load.getIsVolatile() && aliasing->isUnwritten(load, loop);
  return isMemoryEffectFree(op);
}

llvm::SmallVector<Value> RoundSlice::initialState() {
  llvm::SmallVector<Value> state;
  for (unsigned number : carried)
    state.push_back(loop.getInitArgs()[number]);
  return state;
}

llvm::SmallVector<Value> RoundSlice::nextState(const IRMapping &round) {
  llvm::SmallVector<Value> state;
  for (unsigned number : carried)
    state.push_back(round.lookupOrDefault(loop.getYieldedValues()[number]));
  return state;
}

/// A load that reads nothing, and gives zero, where the condition is false.
static void restrict(tile::LoadOp load, Value condition, OpBuilder &builder) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(load);
  Type mask = tile::maskOf(load.getPointer().getType());
  if (tile::isTile(mask))
    condition = tile::SplatOp::create(builder, load.getLoc(), mask, condition);
  if (Value own = load.getMask())
    condition = arith::AndIOp::create(builder, load.getLoc(), own, condition);
  load.getMaskMutable().assign(condition);
}

IRMapping RoundSlice::clone(OpBuilder &builder, Value induction, ValueRange state,
                            Value isRound) {
  IRMapping map;
  map.map(loop.getInductionVar(), induction);
  for (auto [number, value] : llvm::zip(carried, state))
    map.map(loop.getRegionIterArg(number), value);
  for (Operation &op : *loop.getBody())
    if (ops.contains(&op))
      if (auto load = llvm::dyn_cast<tile::LoadOp>(builder.clone(op, map)))
        restrict(load, isRound, builder);
  return map;
}

} // namespace nereid::backend::nvptx
