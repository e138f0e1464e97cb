// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Exchanges.h"
#include "backend/gpu/Passes.h"
#include "dialect/tile/Remark.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <bit>

using namespace mlir;

namespace nereid::backend::gpu {

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

/// The registers of a thread that a loop's rounds exchange, if they do so by masks that follow from
/// the round's number, and do nothing that is seen outside; else 0.
uint64_t exchangesOf(scf::ForOp loop, unsigned threads) {
  bool hasExchange = false;
  uint64_t most = 0;
  WalkResult walk = loop.getBody()->walk([&](Operation *op) {
    if (auto gather = llvm::dyn_cast<tile::GatherOp>(op)) {
      if (!analysis::exchangeMask(gather))
        return WalkResult::interrupt();
      hasExchange |= !analysis::constantExchangeMask(gather);
      most = std::max(most, exchangesOf(gather, threads));
    }
    return tile::accessOf(op).touchesMemory() ? WalkResult::interrupt() : WalkResult::advance();
  });
  return hasExchange && !walk.wasInterrupted() && hasConstantBounds(loop) ? most : 0;
}

/// The first loop that exchanges so many registers.
scf::ForOp findNetwork(func::FuncOp kernel, unsigned threads, uint64_t least, uint64_t most) {
  scf::ForOp found;
  kernel.walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
    uint64_t exchanges = exchangesOf(loop, threads);
    if (exchanges < least || exchanges > most)
      return exchanges > most ? WalkResult::skip() : WalkResult::advance();
    found = loop;
    return WalkResult::interrupt();
  });
  return found;
}

} // namespace

void unrollExchanges(func::FuncOp kernel, const Configuration &configuration) {
  const unsigned threads = configuration.threads();
  const uint64_t most = configuration.policy.network_exchanges;
  while (scf::ForOp loop = findNetwork(kernel, threads, 1, most)) {
    if (failed(loopUnrollFull(loop)))
      return;
    // The bounds of loops inside, and the masks, are constants now.
    (void)applyPatternsGreedily(kernel, RewritePatternSet(kernel.getContext()));
  }
  if (scf::ForOp kept = findNetwork(kernel, threads, most + 1, UINT64_MAX))
    tile::remark(kept, RemarkId::network_kept, exchangesOf(kept, threads), most);
}

} // namespace nereid::backend::gpu
