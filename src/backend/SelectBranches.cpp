// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/SelectBranches.h"

#include "dialect/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace nereid::backend {
namespace {

/// Arithmetic that may run where its branch would not: no loads, no integer quotients (whose
/// divisor may be zero), no remainders and none of the functions of `math`, which are longer than a
/// branch.
bool mayAlwaysRun(Operation &op) {
  if (llvm::isa<arith::ConstantOp, tile::RangeOp>(op))
    return true;
  return (tile::movesLanes(&op) || llvm::isa<arith::ArithDialect>(op.getDialect())) &&
         tile::isLanewise(&op) && !llvm::isa<arith::RemFOp>(op) && op.getNumRegions() == 0 &&
         isPure(&op);
}

/// A side that computes nothing and leaves what a loop carries as it was costs nothing where it is
/// taken, often in most rounds; selected, the carried tile is copied in each.
bool leavesCarried(Block *side) {
  return side->without_terminator().empty() &&
         llvm::any_of(side->getTerminator()->getOperands(), llvm::IsaPred<BlockArgument>);
}

bool isSelectable(scf::IfOp branch, size_t mostOperations) {
  if (branch.getNumResults() == 0 || !llvm::any_of(branch.getResultTypes(), tile::isTile))
    return false;
  size_t count = 0;
  for (Block *block : {branch.thenBlock(), branch.elseBlock()}) {
    if (leavesCarried(block))
      return false;
    for (Operation &op : block->without_terminator())
      if (!mayAlwaysRun(op) || ++count > mostOperations)
        return false;
  }
  return true;
}

} // namespace

void becomeSelects(scf::IfOp branch) {
  OpBuilder builder(branch);
  for (Block *block : {branch.thenBlock(), branch.elseBlock()})
    while (&block->front() != block->getTerminator())
      block->front().moveBefore(branch);
  Location loc = branch.getLoc();
  ValueRange ofThen = branch.thenYield().getResults(), ofElse = branch.elseYield().getResults();
  for (auto [result, taken, other] : llvm::zip(branch.getResults(), ofThen, ofElse)) {
    Value condition = branch.getCondition();
    if (tile::isTile(result.getType()))
      condition = tile::SplatOp::create(
          builder, loc, tile::withElement(result.getType(), builder.getI1Type()), condition);
    result.replaceAllUsesWith(arith::SelectOp::create(builder, loc, condition, taken, other));
  }
  branch.erase();
}

void selectBranches(func::FuncOp kernel, size_t mostOperations) {
  // Inner branches first: what they become counts in the outer ones.
  kernel.walk<WalkOrder::PostOrder>([&](scf::IfOp branch) {
    if (isSelectable(branch, mostOperations))
      becomeSelects(branch);
  });
}

} // namespace nereid::backend
