// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/KeepFactors.h"

#include "dialect/nv/Nv.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace nereid::backend::nvptx {
namespace {

/// Whether a round ends before its product.
bool goesOn(nv::MultiplyOp product) {
  return llvm::none_of(product->getUsers(), [&](Operation *user) {
    return llvm::isa<nv::FinishOp>(user) && user->getBlock() == product->getBlock();
  });
}

/// Whether the value is made, in this block, of sums that were waited for in it: of this round, and
/// so behind all those of the round before.
bool comesFromFinished(Value value, Block *block, llvm::DenseSet<Operation *> &seen) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != block || !seen.insert(op).second)
    return false;
  return llvm::isa<nv::FinishOp>(op) || llvm::any_of(op->getOperands(), [&](Value operand) {
           return comesFromFinished(operand, block, seen);
         });
}

/// Products of a round that are newer than the same one of the round before.
unsigned newerProducts(Block *block) {
  unsigned direct = 0, all = 0;
  for (Operation &op : *block) {
    direct += llvm::isa<nv::MultiplyOp>(op);
    op.walk([&](nv::MultiplyOp) { ++all; });
  }
  return direct == all ? all - 1 : 0;
}

} // namespace

void keepFactors(func::FuncOp kernel) {
  kernel.walk([](nv::MultiplyOp product) {
    auto loop = llvm::dyn_cast<LoopLikeOpInterface>(product->getParentOp());
    Value left = product.getLhs();
    llvm::DenseSet<Operation *> seen;
    if (loop && llvm::isa<RankedTensorType>(left.getType()) && goesOn(product) &&
        loop->isAncestor(left.getParentRegion()->getParentOp()) &&
        !comesFromFinished(left, product->getBlock(), seen))
      product.setLeftPending(newerProducts(product->getBlock()));
  });
}

} // namespace nereid::backend::nvptx
