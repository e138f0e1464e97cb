// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Slice.h"
#include "backend/gpu/products/Products.h"
#include "backend/nvptx/Passes.h"
#include "backend/nvptx/products/ProductRegisters.h"
#include "backend/nvptx/products/RemarkDots.h"
#include "backend/nvptx/products/TensorCores.h"
#include "dialect/nv/LaneSources.h"

using namespace mlir;

namespace nereid::backend::nvptx {

#define GEN_PASS_DEF_CHOOSEPRODUCTS
#include "backend/nvptx/Passes.h.inc"

namespace {

bool feedsProduct(tile::DotOp dot) {
  auto isArithmetic = [&](Operation *op) {
    return op->getBlock() == dot->getBlock() && tile::isLanewise(op);
  };
  return !analysis::followUses(dot.getResult(), isArithmetic, [](OpOperand &use) {
    return llvm::isa<tile::DotOp>(use.getOwner()) ? WalkResult::interrupt() : WalkResult::advance();
  });
}

/// Whether arithmetic of lanes makes it from a product that `counts`.
bool comesFromProduct(Value factor, llvm::function_ref<bool(tile::DotOp)> counts) {
  auto isArithmetic = [](Operation *op) { return tile::isLanewise(op); };
  return !analysis::followSources(factor, isArithmetic, [&](OpResult source) {
    auto dot = llvm::dyn_cast<tile::DotOp>(source.getOwner());
    return dot && counts(dot) ? WalkResult::interrupt() : WalkResult::advance();
  });
}

/// Whether nothing but arithmetic of its lanes makes a left factor of bytes of it, in its round,
/// for warpgroups that lie below one another as its own do: rows stay where they are.
bool becomesLeftOfBytes(tile::DotOp dot, const Configuration &configuration) {
  auto groupsBelow = [&](tile::DotOp product) {
    auto shape = warpgroupShape(product, configuration.target, configuration.warps);
    return shape && shape->grid.n == 1 ? shape->grid.m : 0;
  };
  auto isArithmetic = [&](Operation *op) {
    return op->getBlock() == dot->getBlock() && tile::isLanewise(op) && !tile::movesLanes(op);
  };
  const unsigned below = groupsBelow(dot);
  return below && !analysis::followUses(dot.getResult(), isArithmetic, [&](OpOperand &use) {
           auto next = llvm::dyn_cast<tile::DotOp>(use.getOwner());
           const bool isLeft = next && next->getBlock() == dot->getBlock() &&
                               use.get() == next.getLhs() &&
                               tile::byteSizeOf(tile::elementOf(use.get().getType())) == 1;
           return isLeft && groupsBelow(next) == below ? WalkResult::interrupt()
                                                       : WalkResult::advance();
         });
}

/// Whether its left factor is made, in its round, from a product of warpgroups by arithmetic of
/// lanes: each round waits for that one, and for all that were begun before, and then writes the
/// factor.
bool hasLeftOfRound(tile::DotOp dot, const Configuration &configuration) {
  auto counts = [&](tile::DotOp other) {
    return other->getBlock() == dot->getBlock() &&
           warpgroupShape(other, configuration.target, configuration.warps);
  };
  return dot.getLhs().getParentBlock() == dot->getBlock() && comesFromProduct(dot.getLhs(), counts);
}

/// Whether the product, after arithmetic of its lanes, is a factor of another or is added to one,
/// or is made from one in this way.
bool isChained(tile::DotOp dot) {
  return feedsProduct(dot) || comesFromProduct(dot.getLhs(), [](tile::DotOp) { return true; });
}

/// What the loop carries from the product to the next round, if it does nothing else with it.
BlockArgument findCarriedSums(tile::DotOp dot) {
  auto loop = llvm::dyn_cast<scf::ForOp>(dot->getParentOp());
  if (!loop || !dot.getResult().hasOneUse())
    return {};
  OpOperand &use = *dot.getResult().use_begin();
  if (use.getOwner() != loop.getBody()->getTerminator())
    return {};
  return loop.getRegionIterArg(use.getOperandNumber());
}

/// Whether one operation on lanes makes `value` of `source` and other values, and nothing else uses
/// either.
bool isScaled(Value value, BlockArgument source) {
  Operation *op = value.getDefiningOp();
  return source.hasOneUse() && op && op == *source.user_begin() && tile::isLanewise(op) &&
         value.hasOneUse();
}

/// Whether the round computes its left factor into registers.
bool computesLeft(tile::DotOp dot) {
  Operation *op = dot.getLhs().getDefiningOp();
  return op && op->getBlock() == dot->getBlock() && tile::isLanewise(op) &&
         !tile::accessOf(op).touchesMemory();
}

nv::Overlap possibleOverlap(tile::DotOp dot, bool isLate) {
  BlockArgument sums = findCarriedSums(dot);
  if (!sums)
    return nv::Overlap::None;
  if (dot.getAccumulator() == sums && sums.hasOneUse()) {
    if (isLate || !computesLeft(dot))
      return nv::Overlap::InFlight;
    // Several products go on beside one another (OverlapProducts).
    return llvm::hasSingleElement(dot->getBlock()->getOps<tile::DotOp>()) ? nv::Overlap::Delayed
                                                                          : nv::Overlap::None;
  }
  return isLate && isScaled(dot.getAccumulator(), sums) ? nv::Overlap::Delayed : nv::Overlap::None;
}

/// Whether the round reads its left factor into registers, of which a thread has enough for two,
/// and no other warpgroup of the program multiplies meanwhile. (H200, 128 x 128 x 32 of tf32 in one
/// warpgroup: 1.16 times the rate so; in two, 0.89.)
bool readsLeftBeside(tile::DotOp dot, const Configuration &configuration) {
  auto reshape = dot.getLhs().getDefiningOp<tile::ReshapeOp>();
  if (!reshape || reshape->getBlock() != dot->getBlock() || !nv::hasSourceElements(reshape) ||
      configuration.warps != warpsPerGroup)
    return false;
  auto words = [&](Type tile) {
    const uint64_t bits = tile::elementOf(tile).getIntOrFloatBitWidth();
    return unsigned(tile::elementCount(tile) * bits / 32 / configuration.threads());
  };
  return whyNotBeside(words(dot.getType()) + 2 * words(dot.getLhs().getType()), configuration)
      .empty();
}

nv::ProductAttr choose(tile::DotOp dot, const Configuration &configuration) {
  MLIRContext *context = dot.getContext();
  bool chained = isChained(dot);
  auto shape = warpgroupShape(dot, configuration.target, configuration.warps);
  if (shape) {
    bool isLate = hasLeftOfRound(dot, configuration);
    nv::Overlap overlap = possibleOverlap(dot, isLate);
    if (overlap == nv::Overlap::InFlight && tile::elementOf(dot.getLhs().getType()).isF32() &&
        llvm::hasSingleElement(dot->getBlock()->getOps<tile::DotOp>()) &&
        readsLeftBeside(dot, configuration))
      overlap = nv::Overlap::Delayed;
    return nv::ProductAttr::get(
        context, nv::Multiplier::Warpgroups, shape->grid.m, shape->grid.n, shape->columns,
        /*depth=*/0, overlap, isLate, chained, nv::Turned::None,
        configuration.policy.even_columns && becomesLeftOfBytes(dot, configuration));
  }
  unsigned depth = mmaDepth(dot);
  return nv::ProductAttr::get(context, depth ? nv::Multiplier::Warps : nv::Multiplier::Threads, 0,
                              0, 0, depth, nv::Overlap::None, /*leftOfRound=*/false, chained,
                              nv::Turned::None, /*evenColumnsFirst=*/false);
}

struct ChooseProducts final
    : ConfiguredPass<impl::ChooseProductsBase<ChooseProducts>, ChooseProducts> {
  void run(func::FuncOp kernel, const Configuration &configuration) {
    kernel.walk([&](tile::DotOp dot) {
      dot->setAttr(nv::productAttr, choose(dot, configuration));
      if (!isOfWarpgroups(dot))
        remarkDot(dot, configuration);
    });
  }
};

} // namespace

} // namespace nereid::backend::nvptx
