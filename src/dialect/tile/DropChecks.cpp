// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/tile/DropChecks.h"

#include "dialect/tile/Remark.h"
#include "dialect/tile/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace nereid::tile {

/// Constants make the assertion false, and no condition leads to it.
static bool failsAlways(AssertOp op) {
  return op->getParentOp() == op->getParentOfType<func::FuncOp>() &&
         matchPattern(op.getCondition(), m_Zero());
}

void dropChecks(func::FuncOp kernel, Assertions assertions) {
  auto isKept = [&](Operation *op) {
    return assertions == Assertions::Keep && llvm::isa<AssertOp>(op) &&
           !op->getParentOfType<ReduceOp>() && !op->getParentOfType<ScanOp>();
  };
  llvm::SmallVector<Operation *> checks;
  kernel.walk([&](Operation *op) {
    if (isCheck(op) && !isKept(op))
      checks.push_back(op);
  });
  // What only a check needed goes with it, operand by operand.
  llvm::SetVector<Operation *> unused;
  for (Operation *check : checks) {
    if (auto op = llvm::dyn_cast<AssertOp>(check); op && failsAlways(op))
      remark(op, RemarkId::assertion_false);
    for (Value operand : check->getOperands())
      if (Operation *definition = operand.getDefiningOp())
        unused.insert(definition);
    check->erase();
  }
  while (!unused.empty()) {
    Operation *op = unused.pop_back_val();
    if (!isOpTriviallyDead(op))
      continue;
    // What stands in its regions goes with it, and is not to be looked at again.
    op->walk([&](Operation *inner) {
      unused.remove(inner);
      for (Value operand : inner->getOperands())
        if (Operation *definition = operand.getDefiningOp();
            definition && !op->isAncestor(definition))
          unused.insert(definition);
    });
    op->erase();
  }
}

} // namespace nereid::tile
