// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/ptx/ChooseText.h"

#include "backend/nvptx/products/ProductRegisters.h"
#include "backend/nvptx/rings/ResidentBlocks.h"
#include "dialect/nv/Nv.h"
#include "dialect/tile/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;

namespace nereid::backend::nvptx {

/// Whether it has tiles multiplied: registers are what that needs, however few blocks share an SM.
static bool multiplies(func::FuncOp kernel) {
  return kernel
      .walk([](Operation *op) {
        bool isProduct = llvm::isa<tile::DotOp, nv::MultiplyOp, nv::MultiplyAddOp>(op);
        return isProduct ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether a loop that multiplies nothing waits for tiles that its author wants loaded ahead
/// (`tl.range(num_stages=)`): then all of a round's are to be on their way at once, for which
/// `ptxas` takes no registers by itself where fewer let more blocks share an SM. A number takes
/// one.
static bool waitsForStages(func::FuncOp kernel) {
  return kernel
      .walk([](scf::ForOp loop) {
        auto stages = loop->getAttrOfType<IntegerAttr>(tile::stagesAttr);
        bool waits = stages && stages.getInt() > 1 &&
                     llvm::any_of(loop.getOps<tile::LoadOp>(),
                                  [](tile::LoadOp load) { return tile::isTile(load.getType()); });
        return waits ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// How many blocks shared memory lets share an SM, if that leaves registers over; else 0.
static unsigned blocksWithFreeRegisters(const KernelContext &emitted,
                                        const target::NvidiaTarget &target) {
  const unsigned warps = llvm::divideCeil(emitted.threadsOfBlock(), target::warpSize);
  constexpr unsigned few = 32; // registers, with which all threads of an SM run
  const unsigned blocks = residentBlocks(target, warps, few, emitted.shared.bytes());
  const bool areFree = blocks && target.registersPerSm / (blocks * warps * target::warpSize) >=
                                     emitted.policy.free_registers;
  return areFree ? blocks : 0;
}

/// Two blocks where products were planned with registers for them and shared memory lets them in,
/// else one. With the warp that fetches, a block has five or nine, and its threads may have 168 or
/// 96 registers if another is to share the SM: ptxas, left alone, takes a few more.
static unsigned plannedBlocks(func::FuncOp kernel, const KernelContext &emitted,
                              const target::NvidiaTarget &target) {
  uint64_t tiles = 0;
  kernel.walk([&](scf::ForOp loop) {
    uint64_t registers = 0;
    for (Type type : loop.getResultTypes())
      if (tile::isTile(type))
        registers += (uint64_t(tile::byteSizeOf(tile::elementOf(type)))
                      << nv::layoutOf(type).bases(layout::Register).size()) /
                     4;
    for (auto multiply : loop.getBody()->getOps<nv::MultiplyOp>()) {
      registers += leftRegisters(multiply);
      if (!llvm::isa<BlockArgument>(multiply.getAccumulator()))
        registers += sumRegisters(multiply);
    }
    tiles = std::max(tiles, registers);
  });
  const unsigned warps = llvm::divideCeil(emitted.threadsOfBlock(), target::warpSize);
  const unsigned registers =
      std::min<uint64_t>(tiles + emitted.policy.other_registers, target.registersPerThread);
  return std::clamp(residentBlocks(target, warps, registers, emitted.shared.bytes()), 1u, 2u);
}

TextChoice chooseText(func::FuncOp kernel, const KernelContext &emitted,
                      const target::NvidiaTarget &target) {
  if (tile::blockOf(kernel)) {
    const unsigned blocks = blocksWithFreeRegisters(emitted, target);
    // A grid that runs as a whole may count on as many as shared memory lets in.
    return {.blocks = tile::meetsWholeGrid(kernel) ? blocks : std::min(blocks, 1u)};
  }
  // For more it would rather spill than take fewer registers.
  if (!emitted.policy.lane_after_lane || multiplies(kernel))
    return {.blocks = emitted.producerWarps == 1 ? plannedBlocks(kernel, emitted, target) : 1};
  return {.isByDemand = true, .blocks = waitsForStages(kernel) ? 1u : 0u};
}

} // namespace nereid::backend::nvptx
