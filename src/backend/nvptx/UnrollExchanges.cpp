// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Exchanges.h"
#include "backend/nvptx/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <bit>

using namespace mlir;

namespace nereid::backend::nvptx {

#define GEN_PASS_DEF_UNROLLEXCHANGES
#include "backend/nvptx/Passes.h.inc"

namespace {

bool hasConstantBounds(scf::ForOp loop) {
  auto isConstant = [](Value bound) { return matchPattern(bound, m_Constant()); };
  return isConstant(loop.getLowerBound()) && isConstant(loop.getUpperBound()) &&
         isConstant(loop.getStep());
}

/// What the rounds of a network exchange, if they were written one behind the other: a merge of
/// runs has as many steps as their length has bits.
uint64_t exchangesOf(tile::GatherOp gather, unsigned threads) {
  uint64_t size = tile::shapeOf(gather.getType())[gather.getAxis()];
  uint64_t bits = std::bit_width(size - 1);
  uint64_t registers = std::max<uint64_t>(1, tile::elementCount(gather.getType()) / threads);
  return registers * bits * (bits + 1) / 2;
}

/// Whether a loop's rounds exchange by masks that follow from its number, and do nothing that is
/// seen outside.
bool isNetwork(scf::ForOp loop, const Configuration &configuration) {
  const unsigned threads = configuration.warps * target::warpSize;

  bool hasExchange = false;
  WalkResult walk = loop.getBody()->walk([&](Operation *op) {
    if (auto gather = llvm::dyn_cast<tile::GatherOp>(op)) {
      if (!analysis::exchangeMask(gather) || 
          exchangesOf(gather, threads) > configuration.policy.network_exchanges)
        return WalkResult::interrupt();
      hasExchange |= !analysis::constantExchangeMask(gather);
    }
    return tile::accessOf(op).touchesMemory() ? WalkResult::interrupt() : WalkResult::advance();
  });
  return hasExchange && !walk.wasInterrupted();
}

struct UnrollExchanges final
    : ConfiguredPass<impl::UnrollExchangesBase<UnrollExchanges>, UnrollExchanges> {
  void run(func::FuncOp kernel, const Configuration &configuration) {
    while (scf::ForOp loop = findNetwork(kernel, configuration)) {
      if (failed(loopUnrollFull(loop)))
        return;
      // The bounds of loops inside, and the masks, are constants now.
      (void)applyPatternsGreedily(kernel, RewritePatternSet(&getContext()));
    }
  }

  static scf::ForOp findNetwork(func::FuncOp kernel, const Configuration &configuration) {
    scf::ForOp found;
    kernel.walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
      if (!hasConstantBounds(loop) || !isNetwork(loop, configuration))
        return WalkResult::advance();
      found = loop;
      return WalkResult::interrupt();
    });
    return found;
  }
};

} // namespace

} // namespace nereid::backend::nvptx
