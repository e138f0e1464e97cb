// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Aliasing.h"
#include "backend/gpu/rings/RoundSlice.h"
#include "backend/gpu/tiles/LoopRounds.h"
#include "backend/nvptx/Passes.h"
#include "dialect/nv/Nv.h"
#include "dialect/tile/EraseUnused.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace nereid::backend::nvptx {

#define GEN_PASS_DEF_LOADAHEAD
#include "backend/nvptx/Passes.h.inc"

namespace {

using gpu::RoundSlice;

/// Whether a warp fetches factors for the loop, whose rounds compute with their products' sums.
bool usesSumsOfRounds(scf::ForOp loop) {
  Block &body = *loop.getBody();
  return !body.getOps<nv::AwaitSlotOp>().empty() && !body.getOps<nv::FinishOp>().empty();
}

/// The loads of the loop that may set out a round earlier, of so many registers.
llvm::SmallVector<tile::LoadOp> findLoads(scf::ForOp loop, const analysis::Aliasing &aliasing,
                                          uint64_t registers) {
  llvm::SmallVector<tile::LoadOp> found;
  for (auto load : loop.getBody()->getOps<tile::LoadOp>()) {
    std::optional<RoundSlice> slice = RoundSlice::of(loop, load.getResult(), aliasing);
    if (!slice)
      continue;
    uint64_t taken = 0;
    for (tile::LoadOp part : slice->loads())
      taken += nv::registersOf(part.getType());
    if (taken > registers)
      continue;
    registers -= taken;
    found.push_back(load);
  }
  return found;
}

void loadAhead(scf::ForOp loop, llvm::ArrayRef<tile::LoadOp> loads,
               const analysis::Aliasing &aliasing) {
  llvm::SmallVector<Value> results;
  for (tile::LoadOp load : loads)
    results.push_back(load.getResult());
  RoundSlice slice = *RoundSlice::of(loop, results, aliasing);
  IRRewriter rewriter(loop->getContext());
  rewriter.setInsertionPoint(loop);
  auto loadedBy = [&](const IRMapping &round) {
    llvm::SmallVector<Value> values;
    for (Value result : results)
      values.push_back(round.lookup(result));
    llvm::append_range(values, slice.nextState(round));
    return values;
  };
  Value hasRounds = gpu::buildHasRounds(loop, rewriter);
  llvm::SmallVector<Value> first =
      loadedBy(slice.clone(rewriter, loop.getLowerBound(), slice.initialState(), hasRounds));
  (void)loop.replaceWithAdditionalYields(
      rewriter, first, /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &builder, Location loc, llvm::ArrayRef<BlockArgument> given) {
        builder.setInsertionPointToStart(loop.getBody());
        Value next = arith::AddIOp::create(builder, loc, loop.getInductionVar(), loop.getStep());
        Value isRound = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, next,
                                              loop.getUpperBound());
        llvm::SmallVector<Value> state(given.drop_front(loads.size()));
        llvm::SmallVector<Value> values = loadedBy(slice.clone(builder, next, state, isRound));
        for (auto [result, value] : llvm::zip(results, given))
          result.replaceAllUsesWith(value);
        return values;
      });
}

struct LoadAhead final : ConfiguredPass<impl::LoadAheadBase<LoadAhead>, LoadAhead> {
  void run(func::FuncOp kernel, const Configuration &configuration) {
    const analysis::Aliasing aliasing(kernel);
    llvm::SmallVector<scf::ForOp> loops;
    kernel.walk([&](scf::ForOp loop) {
      if (usesSumsOfRounds(loop) && !loop.getUnsignedCmp())
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops) {
      llvm::SmallVector<tile::LoadOp> loads =
          findLoads(loop, aliasing, configuration.policy.ahead_registers);
      if (!loads.empty())
        loadAhead(loop, loads, aliasing);
    }
    tile::eraseUnused(kernel);
  }
};

} // namespace

} // namespace nereid::backend::nvptx
