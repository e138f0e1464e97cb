// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/ptx/ChooseText.h"

#include "backend/nvptx/rings/ResidentBlocks.h"
#include "dialect/nv/Nv.h"
#include "dialect/tile/Tile.h"

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

TextChoice chooseText(func::FuncOp kernel, const KernelContext &emitted,
                      const target::NvidiaTarget &target) {
  if (tile::blockOf(kernel)) {
    const unsigned blocks = blocksWithFreeRegisters(emitted, target);
    // A grid that runs as a whole may count on as many as shared memory lets in.
    return {.blocks = tile::meetsWholeGrid(kernel) ? blocks : std::min(blocks, 1u)};
  }
  if (!emitted.policy.lane_after_lane || multiplies(kernel))
    return {.blocks = 1}; // for more it would rather spill than take fewer registers
  return {.isByDemand = true};
}

} // namespace nereid::backend::nvptx
