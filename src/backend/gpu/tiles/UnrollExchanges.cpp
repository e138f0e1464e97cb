// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Exchanges.h"
#include "backend/gpu/Passes.h"
#include "dialect/tile/Remark.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
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
  uint64_t elements = std::max<uint64_t>(1, tile::elementCount(gather.getType()) / threads);
  Type type = getElementTypeOrSelf(gather.getType());
  uint64_t words = type.isIntOrFloat() ? llvm::divideCeil(type.getIntOrFloatBitWidth(), 32) : 2;
  return elements * words * bits * (bits + 1) / 2;
}

/// The registers of a thread that a loop's rounds exchange, if they do so by masks that follow from
/// the round's number, and do nothing that is seen outside; else 0.
uint64_t exchangesOf(scf::ForOp loop, unsigned threads) {
  bool hasExchange = false;
  uint64_t exchanges = 0;
  WalkResult walk = loop.getBody()->walk([&](Operation *op) {
    if (auto gather = llvm::dyn_cast<tile::GatherOp>(op)) {
      if (!analysis::exchangeMask(gather))
        return WalkResult::interrupt();
      hasExchange |= !analysis::constantExchangeMask(gather);
      exchanges += exchangesOf(gather, threads);
    }
    return tile::accessOf(op).touchesMemory() ? WalkResult::interrupt() : WalkResult::advance();
  });
  return hasExchange && !walk.wasInterrupted() && hasConstantBounds(loop) ? exchanges : 0;
}

/// On a loop whose rounds are to be written one behind the other, and on the loops that it holds.
constexpr llvm::StringLiteral unrolledAttr = "nereid.unrolled";

/// Marks the networks that become straight code: each, in the order of the kernel, that still fits
/// with those before it. Returns the first that does not.
scf::ForOp markNetworks(func::FuncOp kernel, unsigned threads, uint64_t most) {
  scf::ForOp kept;
  auto mark = UnitAttr::get(kernel.getContext());
  kernel.walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
    uint64_t exchanges = exchangesOf(loop, threads);
    if (exchanges == 0)
      return WalkResult::advance();
    if (exchanges <= most) {
      most -= exchanges;
      loop.walk([&](scf::ForOp inner) { inner->setAttr(unrolledAttr, mark); });
    } else if (!kept) {
      kept = loop;
    }
    return WalkResult::skip();
  });
  return kept;
}

scf::ForOp findMarked(func::FuncOp kernel) {
  scf::ForOp found;
  kernel.walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
    if (loop->hasAttr(unrolledAttr))
      found = loop;
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

} // namespace

void unrollExchanges(func::FuncOp kernel, const Configuration &configuration) {
  const unsigned threads = configuration.threads();
  const uint64_t most = configuration.policy.network_exchanges;
  if (scf::ForOp kept = markNetworks(kernel, threads, most))
    tile::remark(kept, RemarkId::network_kept, exchangesOf(kept, threads), most);
  while (scf::ForOp loop = findMarked(kernel)) {
    loop->removeAttr(unrolledAttr);
    if (!hasConstantBounds(loop) || failed(loopUnrollFull(loop)))
      continue;
    // The bounds of loops inside, and the masks, are constants now.
    (void)applyPatternsGreedily(kernel, RewritePatternSet(kernel.getContext()));
  }
}

} // namespace nereid::backend::gpu
