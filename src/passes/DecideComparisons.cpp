// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Passes.h"

#include "analysis/IntegerRanges.h"

namespace nereid::passes {

#define GEN_PASS_DEF_DECIDECOMPARISONS
#include "passes/Passes.h.inc"

namespace {

using namespace mlir;

/// All answers first: with what is left out the ranges would be others.
void decide(func::FuncOp kernel) {
  analysis::IntegerRanges ranges(kernel);
  llvm::SmallVector<std::pair<arith::CmpIOp, bool>> decided;
  kernel.walk([&](arith::CmpIOp comparison) {
    if (auto answer = ranges.decide(comparison))
      decided.emplace_back(comparison, *answer);
  });
  for (auto [comparison, answer] : decided) {
    OpBuilder builder(comparison);
    Value constant = arith::ConstantIntOp::create(builder, comparison.getLoc(), answer, 1);
    comparison.replaceAllUsesWith(constant);
    comparison.erase();
  }
}

struct DecideComparisons final : impl::DecideComparisonsBase<DecideComparisons> {
  void runOnOperation() override {
    getOperation()->walk([](func::FuncOp kernel) {
      if (tile::blockOf(kernel))
        decide(kernel);
    });
  }
};

} // namespace
} // namespace nereid::passes
