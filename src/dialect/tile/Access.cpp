// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/tile/Access.h"

#include "dialect/tile/Tile.h"

using namespace mlir;

namespace nereid::tile {

Access accessOf(Operation *op) {
  if (auto answering = llvm::dyn_cast<AccessOpInterface>(op))
    return answering.getAccess();
  // What answers for its lanes, and not here, touches no memory: a print, a loop by itself.
  bool isKnown = llvm::isa<LaneOpInterface>(op) || isMemoryEffectFree(op) ||
                 op->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
  if (isKnown)
    return {};
  return {.reads = true, .writes = true, .acquires = true, .releases = true};
}

static bool mayHandOver(Operation *op) {
  if (auto load = llvm::dyn_cast<LoadOp>(op))
    return load.getIsVolatile();
  return llvm::isa<AtomicRmwOp, AtomicCasOp>(op) ||
         (llvm::isa<AssemblyOp>(op) && accessOf(op).touchesMemory());
}

bool handsOver(Operation *kernel) {
  return kernel
      ->walk([](Operation *op) {
        return mayHandOver(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

void addEffects(const Access &access, EffectList &effects) {
  if (access.reads)
    effects.emplace_back(MemoryEffects::Read::get());
  if (access.writes || access.isOrdered())
    effects.emplace_back(MemoryEffects::Write::get());
}

} // namespace nereid::tile
