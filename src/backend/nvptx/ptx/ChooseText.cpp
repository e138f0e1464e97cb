// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/ptx/ChooseText.h"

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

static unsigned warpsOf(const KernelContext &emitted) {
  return llvm::divideCeil(emitted.threadsOfBlock(), target::warpSize);
}

/// How many blocks shared memory lets share an SM, if that leaves registers over; else 0.
static unsigned blocksWithFreeRegisters(const KernelContext &emitted,
                                        const target::NvidiaTarget &target) {
  const unsigned warps = warpsOf(emitted);
  constexpr unsigned few = 32; // registers, with which all threads of an SM run
  const unsigned blocks = residentBlocks(target, warps, few, emitted.shared.bytes());
  const bool areFree = blocks && target.registersPerSm / (blocks * warps * target::warpSize) >=
                                     emitted.policy.free_registers;
  return areFree ? blocks : 0;
}

static uint64_t registersOfTile(Type type, unsigned threads) {
  constexpr uint64_t registerBytes = 4;
  if (!llvm::isa<RankedTensorType>(type))
    return 0;
  const uint64_t bytes = tile::elementCount(type) * tile::byteSizeOf(tile::elementOf(type));
  return llvm::divideCeil(bytes, threads * registerBytes);
}

/// What a thread holds while all that `block` loads is on its way, with what its loop carries.
static uint64_t registersWhileLoading(Block &block, unsigned threads) {
  uint64_t registers = 0;
  for (BlockArgument carried : block.getArguments())
    if (!llvm::isa<func::FuncOp>(block.getParentOp()))
      registers += registersOfTile(carried.getType(), threads);
  for (auto load : block.getOps<tile::LoadOp>())
    registers += registersOfTile(load.getType(), threads);
  return registers;
}

/// Whether rounds load tiles and neither hold loops nor wait for other threads: nothing but memory
/// is what they wait for.
static bool waitsForMemoryAlone(Block &round) {
  bool loads = false;
  for (Operation &op : round) {
    if (op.getNumRegions() > 0)
      return false;
    loads |= llvm::isa<tile::LoadOp>(op) && llvm::isa<RankedTensorType>(op.getResult(0).getType());
  }
  return loads;
}

/// How many blocks leave each thread the registers of `registers_of_rounds`, if a round needs them,
/// nothing in the kernel needs more and they are several; else 0.
static unsigned blocksOfRounds(func::FuncOp kernel, const KernelContext &emitted,
                               const target::NvidiaTarget &target) {
  const unsigned threads = emitted.threadsOfBlock();
  bool hasRounds = false;
  uint64_t most = 0;
  kernel.walk([&](Block *block) {
    most = std::max(most, registersWhileLoading(*block, threads));
    hasRounds |= llvm::isa<scf::ForOp>(block->getParentOp()) && waitsForMemoryAlone(*block);
  });
  const unsigned registers = emitted.policy.registers_of_rounds;
  if (!hasRounds || most + emitted.policy.other_registers > registers)
    return 0;
  const unsigned blocks =
      residentBlocks(target, warpsOf(emitted), registers, emitted.shared.bytes());
  return blocks > 1 ? blocks : 0; // while one alone waits for its threads, nothing loads
}

TextChoice chooseText(func::FuncOp kernel, const KernelContext &emitted,
                      const target::NvidiaTarget &target) {
  if (tile::blockOf(kernel)) {
    const unsigned blocks = blocksWithFreeRegisters(emitted, target);
    // A grid that runs as a whole may count on as many as shared memory lets in.
    return {.blocks = tile::meetsWholeGrid(kernel) ? blocks : std::min(blocks, 1u)};
  }
  if (emitted.policy.lanes_side_by_side || multiplies(kernel))
    return {.blocks = 1}; // of more it would rather spill than have fewer
  return {.isByDemand = true, .blocks = blocksOfRounds(kernel, emitted, target)};
}

} // namespace nereid::backend::nvptx
