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
        tile::DotOp dot = dotOf(add->getOperand(side));
        if (dot && dot->hasOneUse() && isZero(dot.getAccumulator()) && mayMoveTo(add, dot)) {
          fold(dot, add, add->getOperand(1 - side));
          return;
        }
      }
    });
  }

  /// The dot that `term` is, or whose sums of 16 bits it is as float32: added to float32, they are
  /// rounded there alone.
  static tile::DotOp dotOf(Value term) {
    auto extension = term.getDefiningOp<arith::ExtFOp>();
    if (!extension)
      return term.getDefiningOp<tile::DotOp>();
    const bool isSumOfHalves =
        extension->hasOneUse() && tile::elementOf(extension.getType()).isF32() &&
        tile::elementOf(extension.getIn().getType()).getIntOrFloatBitWidth() == 16;
    return isSumOfHalves ? extension.getIn().getDefiningOp<tile::DotOp>() : nullptr;
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
    OpBuilder builder(add);
    auto sum = tile::DotOp::create(builder, dot.getLoc(), dot.getLhs(), dot.getRhs(), accumulator,
                                   dot.getPrecision());
    add->getResult(0).replaceAllUsesWith(sum.getResult());
    add->erase();
    for (Operation *user : llvm::make_early_inc_range(dot->getUsers()))
      user->erase();
    dot.erase();
  }
};

} // namespace
} // namespace nereid::passes
