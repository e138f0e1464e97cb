// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Passes.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace nereid::passes {

#define GEN_PASS_DEF_FOLDADDINTODOT
#include "passes/Passes.h.inc"

namespace {

using namespace mlir;

bool isZero(Value value) {
  return matchPattern(value, m_AnyZeroFloat()) || matchPattern(value, m_Zero());
}

struct FoldAddIntoDot final : impl::FoldAddIntoDotBase<FoldAddIntoDot> {
  void runOnOperation() override {
    getOperation()->walk([](Operation *add) {
      if (!llvm::isa<arith::AddFOp, arith::AddIOp>(add))
        return;
      for (unsigned side : {1u, 0u}) {
        auto dot = add->getOperand(side).getDefiningOp<tile::DotOp>();
        if (dot && dot->hasOneUse() && isZero(dot.getAccumulator()) && mayMoveTo(add, dot)) {
          fold(dot, add, add->getOperand(1 - side));
          return;
        }
      }
    });
  }

  /// Past arithmetic alone: behind loads, other products and loops its factors would be held until
  /// then, in registers that those want.
  static bool mayMoveTo(Operation *add, tile::DotOp dot) {
    if (dot->getBlock() != add->getBlock())
      return false;
    for (Operation *op = dot->getNextNode(); op != add; op = op->getNextNode())
      if (!isMemoryEffectFree(op) || op->getNumRegions() > 0 || llvm::isa<tile::DotOp>(op))
        return false;
    return true;
  }

  /// The dot moves down to the addition: what it adds to may be computed after it.
  static void fold(tile::DotOp dot, Operation *add, Value accumulator) {
    dot->moveBefore(add);
    dot.getAccumulatorMutable().assign(accumulator);
    add->getResult(0).replaceAllUsesWith(dot.getResult());
    add->erase();
  }
};

} // namespace
} // namespace nereid::passes
