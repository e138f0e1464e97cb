// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Aliasing.h"
#include "passes/Passes.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

namespace nereid::passes {

#define GEN_PASS_DEF_RELAXATOMICS
#include "passes/Passes.h.inc"

namespace {

using namespace mlir;

struct Accesses {
  llvm::SmallVector<tile::AtomicRmwOp> atomics;
  llvm::SmallVector<tile::LoadOp> loads;
};

/// The kernel's, if they are atomics and plain loads alone; else none.
Accesses accessesOf(func::FuncOp kernel) {
  Accesses found;
  WalkResult walk = kernel.walk([&](Operation *op) {
    auto load = llvm::dyn_cast<tile::LoadOp>(op);
    if (auto atomic = llvm::dyn_cast<tile::AtomicRmwOp>(op))
      found.atomics.push_back(atomic);
    else if (load && !load.getIsVolatile())
      found.loads.push_back(load);
    else if (op != kernel && tile::accessOf(op).touchesMemory())
      return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return walk.wasInterrupted() ? Accesses() : found;
}

/// Whether several of this kind leave the same in memory in whatever order they come.
bool commutes(tile::AtomicKind kind) {
  switch (kind) {
  case tile::AtomicKind::Add:
  case tile::AtomicKind::FAdd: // the order in which it rounds is nobody's to know
  case tile::AtomicKind::SignedMax:
  case tile::AtomicKind::SignedMin:
  case tile::AtomicKind::UnsignedMax:
  case tile::AtomicKind::UnsignedMin:
  case tile::AtomicKind::And:
  case tile::AtomicKind::Or:
  case tile::AtomicKind::Xor:
    return true;
  case tile::AtomicKind::Exchange:
  case tile::AtomicKind::CountUp:
  case tile::AtomicKind::CountDown:
    return false;
  }
  llvm_unreachable("all kinds are listed");
}

/// Who says which of several hands over, or takes over, means to be seen.
bool saysWhich(tile::AtomicRmwOp atomic) {
  return atomic.getOrder() == tile::MemoryOrder::Acquire ||
         atomic.getOrder() == tile::MemoryOrder::Release;
}

/// Whether what a launch leaves in memory does not tell in which order a program's atomics came:
/// there is one, or the order of all makes no difference, or all are at one element, which has an
/// order of its own.
bool leaveNoTrace(llvm::ArrayRef<tile::AtomicRmwOp> atomics) {
  tile::AtomicRmwOp first = atomics.front();
  auto others = atomics.drop_front();
  auto areAll = [&](auto isSo) { return llvm::all_of(others, isSo); };
  if (!others.empty() && llvm::any_of(atomics, saysWhich))
    return false;
  return areAll([&](tile::AtomicRmwOp other) {
           return other.getKind() == first.getKind() && commutes(first.getKind()) &&
                  tile::elementOf(other.getType()) == tile::elementOf(first.getType());
         }) ||
         areAll([&](tile::AtomicRmwOp other) {
           return other.getPointer() == first.getPointer() &&
                  !tile::isTile(first.getPointer().getType());
         });
}

/// Whether it does not tell either in which order a program's rounds came.
bool leavesNoRounds(tile::AtomicRmwOp atomic) {
  return !atomic->getParentOfType<LoopLikeOpInterface>() ||
         (commutes(atomic.getKind()) && !saysWhich(atomic));
}

/// Whether nothing stands before or after an atomic in its program that anybody could miss.
bool orderNothing(const Accesses &accesses, func::FuncOp kernel) {
  if (accesses.atomics.empty() || !leaveNoTrace(accesses.atomics))
    return false;
  analysis::Aliasing aliasing(kernel);
  return llvm::all_of(accesses.atomics, [&](tile::AtomicRmwOp atomic) {
    return atomic->use_empty() && atomic.getScope() != tile::MemoryScope::System &&
           leavesNoRounds(atomic) && llvm::none_of(accesses.loads, [&](tile::LoadOp load) {
             return aliasing.mayMeet(load.getPointer(), atomic.getPointer());
           });
  });
}

struct RelaxAtomics final : impl::RelaxAtomicsBase<RelaxAtomics> {
  void runOnOperation() override {
    getOperation()->walk([&](func::FuncOp kernel) {
      Accesses accesses = accessesOf(kernel);
      if (orderNothing(accesses, kernel))
        for (tile::AtomicRmwOp atomic : accesses.atomics)
          atomic.setOrder(tile::MemoryOrder::Relaxed);
    });
  }
};

} // namespace
} // namespace nereid::passes
