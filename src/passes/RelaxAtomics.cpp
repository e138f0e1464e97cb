// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Aliasing.h"
#include "passes/Passes.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

namespace nereid::passes {

#define GEN_PASS_DEF_RELAXATOMICS
#include "passes/Passes.h.inc"

namespace {

using namespace mlir;

/// The kernel's atomic, if it has one and touches memory besides by plain loads alone, which are
/// collected.
tile::AtomicRmwOp findOnlyAtomic(func::FuncOp kernel, llvm::SmallVectorImpl<tile::LoadOp> &loads) {
  tile::AtomicRmwOp found;
  WalkResult walk = kernel.walk([&](Operation *op) {
    if (auto atomic = llvm::dyn_cast<tile::AtomicRmwOp>(op); atomic && !found) {
      found = atomic;
      return WalkResult::advance();
    }
    if (auto load = llvm::dyn_cast<tile::LoadOp>(op); load && !load.getIsVolatile()) {
      loads.push_back(load);
      return WalkResult::advance();
    }
    return op != kernel && tile::accessOf(op).touchesMemory() ? WalkResult::interrupt()
                                                              : WalkResult::advance();
  });
  return walk.wasInterrupted() ? tile::AtomicRmwOp() : found;
}

/// Whether nothing stands before or after the atomic in its program that anybody could miss.
bool ordersNothing(tile::AtomicRmwOp atomic, func::FuncOp kernel,
                   llvm::ArrayRef<tile::LoadOp> loads) {
  if (!atomic->use_empty() || atomic.getScope() == tile::MemoryScope::System ||
      atomic->getParentOfType<LoopLikeOpInterface>())
    return false;
  analysis::Aliasing aliasing(kernel);
  return llvm::none_of(loads, [&](tile::LoadOp load) {
    return aliasing.mayMeet(load.getPointer(), atomic.getPointer());
  });
}

struct RelaxAtomics final : impl::RelaxAtomicsBase<RelaxAtomics> {
  void runOnOperation() override {
    getOperation()->walk([&](func::FuncOp kernel) {
      llvm::SmallVector<tile::LoadOp> loads;
      tile::AtomicRmwOp atomic = findOnlyAtomic(kernel, loads);
      if (atomic && ordersNothing(atomic, kernel, loads))
        atomic.setOrder(tile::MemoryOrder::Relaxed);
    });
  }
};

} // namespace
} // namespace nereid::passes
