// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/gpu/rings/RoundSlice.h"

#include "analysis/Slice.h"
#include "backend/gpu/tiles/LoopRounds.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace nereid::backend::gpu {

/// Tables of pages, lists of blocks and of rows are read before the loop's own round, if nobody
/// writes them meanwhile. A branch is taken ahead as a whole (the next tile, where the last one's
/// depth is at its end); products are no part of an address.
static bool isKnownEarly(Operation *op, scf::ForOp loop, const analysis::Aliasing &aliasing) {
  if (auto load = llvm::dyn_cast<tile::LoadOp>(op))
    return !load.getIsVolatile() && aliasing.isUnwritten(load, loop);
  if (op->getNumRegions() > 0 && !llvm::isa<scf::IfOp>(op))
    return false;
  // In a round that there is not, loads give zeros, and a loop without a count need not end.
  auto isNeverEarly = [](Operation *inner) {
    return llvm::isa<tile::DotOp, scf::WhileOp>(inner) ? WalkResult::interrupt()
                                                       : WalkResult::advance();
  };
  return isMemoryEffectFree(op) && !op->walk(isNeverEarly).wasInterrupted();
}

std::optional<RoundSlice> RoundSlice::of(scf::ForOp loop, ValueRange roots,
                                         const analysis::Aliasing &aliasing,
                                         llvm::ArrayRef<tile::LoadOp> given) {
  using analysis::Belongs;
  RoundSlice slice(loop);
  auto belongs = [&](Operation *op) {
    if (!loop->isProperAncestor(op) || llvm::is_contained(given, op))
      return Belongs::No;
    bool isEarly = op->getBlock() == loop.getBody() && isKnownEarly(op, loop, aliasing);
    return isEarly ? Belongs::Yes : Belongs::Never;
  };
  auto carriedFrom = [&](BlockArgument argument) {
    if (argument.getOwner() != loop.getBody() || argument == loop.getInductionVar())
      return Value();
    unsigned number = argument.getArgNumber() - loop.getNumInductionVars();
    slice.carried.insert(number);
    return Value(loop.getYieldedValues()[number]);
  };
  auto ops = analysis::backwardSlice(roots, belongs, carriedFrom);
  if (!ops)
    return std::nullopt;
  slice.ops = std::move(*ops);
  return slice;
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

llvm::SmallVector<Value> RoundSlice::stateOf(const RoundSlice &all, ValueRange state) const {
  llvm::SmallVector<Value> own;
  for (unsigned number : carried)
    own.push_back(state[llvm::find(all.carried, number) - all.carried.begin()]);
  return own;
}

llvm::SmallVector<tile::LoadOp> RoundSlice::loads() const {
  llvm::SmallVector<tile::LoadOp> found;
  for (Operation *op : ops)
    if (auto load = llvm::dyn_cast<tile::LoadOp>(op))
      found.push_back(load);
  return found;
}

IRMapping RoundSlice::clone(OpBuilder &builder, Value induction, ValueRange state, Value isRound,
                            IRMapping map) {
  map.map(loop.getInductionVar(), induction);
  for (auto [number, value] : llvm::zip(carried, state))
    map.map(loop.getRegionIterArg(number), value);
  for (Operation &op : *loop.getBody())
    if (ops.contains(&op))
      if (auto load = llvm::dyn_cast<tile::LoadOp>(builder.clone(op, map)))
        readOnlyIf(isRound, load, builder);
  return map;
}

} // namespace nereid::backend::gpu
