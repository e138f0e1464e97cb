// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analyze/LoopLoads.h"

#include "analysis/Slice.h"
#include "dialect/tile/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace nereid::analyzer {

double waitLeftOf(Operation *load) {
  const bool isCarried = load->getNumResults() == 1 && !load->use_empty() &&
                         llvm::all_of(load->getUsers(), llvm::IsaPred<scf::YieldOp>);
  return isCarried ? 0.5 : 1;
}

bool waitsForEarlierRounds(Operation *load) {
  auto loop = load->getParentOfType<scf::ForOp>();
  for (Operation &op : *loop.getBody())
    if (!isMemoryEffectFree(&op) && !llvm::isa<tile::LoadOp>(op))
      return true;
  auto belongs = [&](Operation *source) {
    if (!loop->isProperAncestor(source))
      return analysis::Belongs::No;
    return isMemoryEffectFree(source) ? analysis::Belongs::Yes : analysis::Belongs::Never;
  };
  auto carried = [&](BlockArgument argument) {
    const bool isLoops = argument.getOwner() == loop.getBody();
    OpOperand *yielded = isLoops ? loop.getTiedLoopYieldedValue(argument) : nullptr;
    return yielded ? yielded->get() : Value();
  };
  return !analysis::backwardSlice(load->getOperands(), belongs, carried);
}

} // namespace nereid::analyzer
