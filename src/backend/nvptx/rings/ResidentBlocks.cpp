// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/rings/ResidentBlocks.h"

#include "backend/nvptx/rings/SharedBudget.h"
#include "dialect/nv/Nv.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;

namespace nereid::backend::nvptx {

unsigned residentBlocks(const target::NvidiaTarget &target, unsigned warps, unsigned registers,
                        uint64_t sharedBytes) {
  using target::registerParts, target::registerUnit;
  unsigned registersOfLane = target.registersPerSm / registerParts / target::warpSize;
  unsigned warpsOfPart = registersOfLane / llvm::alignTo<registerUnit>(registers);
  unsigned most = std::min(registerParts * warpsOfPart, target.warpsPerSm) / warps;
  uint64_t byBytes = target.sharedPerSm / (sharedBytes + blockOverhead);
  return std::min<uint64_t>({most, target.blocksPerSm, byBytes});
}

unsigned registersOfThread(const target::NvidiaTarget &target, unsigned warps) {
  return std::min(target::registersOfThread(target.registersPerSm, warps),
                  target.registersPerThread);
}

bool fillsSm(const target::NvidiaTarget &target, unsigned warps, uint64_t sharedBytes) {
  return warps == warpsOfTwoGroups && 2 * sharedBytes > target.sharedPerSm;
}

bool needsMovedRegisters(const target::NvidiaTarget &target, unsigned warps, unsigned registers) {
  return warps == warpsOfTwoGroups && !residentBlocks(target, warps + 1, registers, 0);
}

/// Each operation in order, with the bytes that are taken before it, as long as `visit` goes on.
static void followBytes(func::FuncOp kernel,
                        llvm::function_ref<WalkResult(Operation *next, uint64_t bytes)> visit) {
  uint64_t bytes = 0;
  auto change = [&](Value room, int sign) {
    Operation *made = room.getDefiningOp();
    if (auto ring = llvm::dyn_cast<nv::RingOp>(made))
      bytes += sign * int64_t(bytesOfRoom(ring.getType(), ring.getStages()));
    if (auto alloc = llvm::dyn_cast<nv::AllocOp>(made))
      bytes += sign * int64_t(bytesOfRoom(alloc.getType(), alloc.getStages()));
  };
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    WalkResult result = visit(op, bytes);
    if (llvm::isa<nv::RingOp, nv::AllocOp>(op))
      change(op->getResult(0), 1);
    if (auto free = llvm::dyn_cast<nv::FreeOp>(op))
      change(free.getRoom(), -1);
    return result;
  });
}

uint64_t bytesAt(Operation *place, func::FuncOp kernel) {
  uint64_t found = 0;
  followBytes(kernel, [&](Operation *next, uint64_t bytes) {
    if (next != place)
      return WalkResult::advance();
    found = bytes;
    return WalkResult::interrupt();
  });
  return found;
}

uint64_t mostBytes(func::FuncOp kernel) {
  uint64_t most = 0;
  followBytes(kernel, [&](Operation *, uint64_t bytes) {
    most = std::max(most, bytes);
    return WalkResult::advance();
  });
  return most;
}

} // namespace nereid::backend::nvptx
