// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Aliasing.h"
#include "backend/gpu/Passes.h"
#include "backend/gpu/tiles/LoopRounds.h"
#include "dialect/tile/Tile.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace nereid::backend::gpu {

namespace {

/// Whether the loop is known to have a round: what it loads may then be loaded before it.
bool hasRound(scf::ForOp loop) {
  APInt first, end, step;
  return matchPattern(loop.getLowerBound(), m_ConstantInt(&first)) &&
         matchPattern(loop.getUpperBound(), m_ConstantInt(&end)) &&
         matchPattern(loop.getStep(), m_ConstantInt(&step)) && step.isStrictlyPositive() &&
         (loop.getUnsignedCmp() ? first.ult(end) : first.slt(end));
}

/// Registers of 32 bits that a thread has of a tile.
uint64_t wordsOf(Value tile, const Configuration &configuration) {
  uint64_t bytes = uint64_t(tile::elementCount(tile.getType())) *
                   tile::byteSizeOf(tile::elementOf(tile.getType()));
  return bytes / 4 / configuration.threads();
}

/// Out of all loops whose rounds make the same of it.
void hoist(Value factor, Operation *inside, const Configuration &configuration,
           const analysis::Aliasing &aliasing) {
  if (wordsOf(factor, configuration) > configuration.policy.kept_factor_registers)
    return;
  for (auto loop = llvm::dyn_cast<scf::ForOp>(inside->getParentOp()); loop;
       loop = llvm::dyn_cast<scf::ForOp>(loop->getParentOp())) {
    auto isSame = [&](Operation *op) {
      auto load = llvm::dyn_cast<tile::LoadOp>(op);
      if (!load) // assembly may read what is there in a round alone
        return isPure(op) && !llvm::isa<tile::AssemblyOp>(op);
      return !load.getIsVolatile() && hasRound(loop) && aliasing.isUnwritten(load, loop);
    };
    auto made = madeInEachRound(factor, *loop.getBody(), isSame);
    if (!made)
      return;
    for (Operation *op : *made)
      op->moveBefore(loop);
  }
}

} // namespace

void hoistFactors(func::FuncOp kernel, const Configuration &configuration) {
  analysis::Aliasing aliasing(kernel);
  kernel.walk([&](tile::DotOp dot) {
    for (Value factor : {dot.getLhs(), dot.getRhs()})
      hoist(factor, dot, configuration, aliasing);
  });
}

} // namespace nereid::backend::gpu
