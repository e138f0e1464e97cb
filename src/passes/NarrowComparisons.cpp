// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Comparisons.h"
#include "passes/Passes.h"

#include "analysis/IntegerRanges.h"

namespace nereid::passes {

#define GEN_PASS_DEF_NARROWCOMPARISONS
#include "passes/Passes.h.inc"

namespace {

using namespace mlir;
using Predicate = arith::CmpIPredicate;

/// What was widened, if nothing is lost by comparing it as it was.
Value narrowOf(Value value, Predicate predicate) {
  bool isSigned = !llvm::is_contained(
      {Predicate::ult, Predicate::ule, Predicate::ugt, Predicate::uge}, predicate);
  auto widened = value.getDefiningOp<arith::ExtSIOp>();
  bool isNumber = widened && widened.getIn().getType().isIntOrIndex() &&
                  widened.getIn().getType().getIntOrFloatBitWidth() >= 8;
  return isSigned && isNumber ? widened.getIn() : Value();
}

bool fits(const llvm::ConstantRange &range, unsigned bits) {
  return range.getSignedMin().isSignedIntN(bits) && range.getSignedMax().isSignedIntN(bits);
}

void narrow(arith::CmpIOp comparison, analysis::IntegerRanges &ranges) {
  for (unsigned which : {0u, 1u}) {
    Value source = narrowOf(comparison->getOperand(which), comparison.getPredicate());
    if (!source)
      continue;
    Value other = comparison->getOperand(1 - which);
    Value otherSource = narrowOf(other, comparison.getPredicate());
    Type type = source.getType();
    OpBuilder builder(comparison);
    if (otherSource && otherSource.getType() == type)
      other = otherSource;
    else if (fits(ranges.rangeOf(other, comparison), type.getIntOrFloatBitWidth()))
      other = arith::TruncIOp::create(builder, comparison.getLoc(), type, other);
    else
      continue;
    comparison->setOperand(which, source);
    comparison->setOperand(1 - which, other);
    return;
  }
}

struct NarrowComparisons final : impl::NarrowComparisonsBase<NarrowComparisons> {
  void runOnOperation() override {
    getOperation()->walk([](func::FuncOp kernel) {
      if (tile::blockOf(kernel))
        narrowComparisons(kernel);
    });
  }
};

} // namespace

void narrowComparisons(func::FuncOp kernel) {
  analysis::IntegerRanges ranges(kernel);
  llvm::SmallVector<arith::CmpIOp> found;
  kernel.walk([&](arith::CmpIOp comparison) { found.push_back(comparison); });
  for (arith::CmpIOp comparison : found)
    narrow(comparison, ranges);
}

} // namespace nereid::passes
