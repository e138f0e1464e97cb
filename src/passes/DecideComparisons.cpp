// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Comparisons.h"
#include "passes/Passes.h"

#include "analysis/IntegerRanges.h"

namespace nereid::passes {

#define GEN_PASS_DEF_DECIDECOMPARISONS
#include "passes/Passes.h.inc"

using namespace mlir;

/// All answers first: with what is left out the ranges would be others. What was chosen by them is
/// taken at once, since not everyone folds afterwards.
void decideComparisons(func::FuncOp kernel) {
  analysis::IntegerRanges ranges(kernel);
  llvm::SmallVector<std::pair<arith::CmpIOp, bool>> decided;
  kernel.walk([&](arith::CmpIOp comparison) {
    if (auto answer = ranges.decide(comparison))
      decided.emplace_back(comparison, *answer);
  });
  for (auto [comparison, answer] : decided) {
    for (Operation *user : llvm::make_early_inc_range(comparison->getUsers())) {
      auto choice = llvm::dyn_cast<arith::SelectOp>(user);
      if (!choice || choice.getCondition() != comparison.getResult())
        continue;
      choice.replaceAllUsesWith(answer ? choice.getTrueValue() : choice.getFalseValue());
      choice.erase();
    }
    OpBuilder builder(comparison);
    Value constant = arith::ConstantIntOp::create(builder, comparison.getLoc(), answer, 1);
    comparison.replaceAllUsesWith(constant);
    comparison.erase();
  }
}

namespace {

struct DecideComparisons final : impl::DecideComparisonsBase<DecideComparisons> {
  void runOnOperation() override {
    getOperation()->walk([](func::FuncOp kernel) {
      if (tile::blockOf(kernel))
        decideComparisons(kernel);
    });
  }
};

} // namespace

void simplifyComparisons(func::FuncOp kernel) {
  if (!tile::blockOf(kernel))
    return;
  decideComparisons(kernel);
  narrowComparisons(kernel);
}

} // namespace nereid::passes
