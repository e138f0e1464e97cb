// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/SelectBranches.h"

#include "backend/gpu/Passes.h"
#include "backend/gpu/tiles/AlikeBranches.h"
#include "backend/gpu/tiles/LoopRounds.h"
#include "dialect/tile/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace nereid::backend::gpu {

/// How many rounds the loop has; nothing if only the launch knows.
static std::optional<uint64_t> roundsOf(scf::ForOp loop) {
  llvm::APInt lower, upper, step;
  if (!matchPattern(loop.getLowerBound(), m_ConstantInt(&lower)) ||
      !matchPattern(loop.getUpperBound(), m_ConstantInt(&upper)) ||
      !matchPattern(loop.getStep(), m_ConstantInt(&step)) || !step.isStrictlyPositive())
    return std::nullopt;
  const int64_t span = upper.getSExtValue() - lower.getSExtValue();
  return span <= 0 ? 0 : llvm::divideCeil(uint64_t(span), step.getZExtValue());
}

/// Whether all that its one side does may be done under a mask: loads, of which one makes it worth
/// it, and what is computed of them.
static bool mayLoadUnderMask(scf::IfOp branch) {
  if (branch.getNumResults() == 0 || !branch.elseBlock()->without_terminator().empty() ||
      branch.thenBlock()->getOps<tile::LoadOp>().empty())
    return false;
  return llvm::all_of(branch.thenBlock()->without_terminator(), [](Operation &op) {
    auto load = llvm::dyn_cast<tile::LoadOp>(op);
    return load ? !load.getIsVolatile() : op.getNumRegions() == 0 && isPure(&op);
  });
}

/// Whether rounds are few, as most of those that are not taken would be computed for nobody, and
/// short enough for several to be written one behind the other.
static bool isShort(scf::ForOp loop, const Policy &policy) {
  const std::optional<uint64_t> rounds = roundsOf(loop);
  uint64_t operations = 0;
  loop.getBody()->walk([&](Operation *) { ++operations; });
  return rounds && *rounds <= policy.rounds_written_out && operations <= policy.operations_together;
}

/// In few short rounds, what a branch would load is loaded under a mask: no load
/// sets out before the branch is known to be taken, one round's after the other's, as each is in a
/// block of its own.
static void loadUnderMasks(func::FuncOp kernel, const Policy &policy) {
  kernel.walk<WalkOrder::PostOrder>([&](scf::IfOp branch) {
    auto loop = llvm::dyn_cast<scf::ForOp>(branch->getParentOp());
    if (!loop || !mayLoadUnderMask(branch) || !isShort(loop, policy))
      return;
    OpBuilder builder(branch);
    for (auto load : branch.thenBlock()->getOps<tile::LoadOp>())
      readOnlyIf(branch.getCondition(), load, builder);
    becomeSelects(branch);
  });
}

void selectBranches(func::FuncOp kernel, const Configuration &configuration) {
  if (tile::blockOf(kernel))
    return; // a thread's branch is its author's
  mergeAlikeBranches(kernel);
  backend::selectBranches(kernel, configuration.policy.selected_operations);
  if (configuration.policy.selected_operations)
    loadUnderMasks(kernel, configuration.policy);
}

} // namespace nereid::backend::gpu
