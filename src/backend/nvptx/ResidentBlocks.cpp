// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/ResidentBlocks.h"

#include "backend/nvptx/ProductLoads.h"
#include "dialect/nv/Nv.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;

namespace nereid::backend::nvptx {

unsigned residentBlocks(const target::NvidiaTarget &target, unsigned warps, unsigned registers,
                        uint64_t sharedBytes) {
  constexpr unsigned quarters = 4, registersOfLane = 65536 / quarters / target::warpSize;
  constexpr unsigned registerUnit = 8;
  unsigned warpsOfQuarter = registersOfLane / llvm::alignTo<registerUnit>(registers);
  unsigned most = std::min(quarters * warpsOfQuarter, target.warpsPerSm) / warps;
  uint64_t byBytes = target.sharedPerSm / (sharedBytes + blockOverhead);
  return std::min<uint64_t>({most, target.blocksPerSm, byBytes});
}

uint64_t bytesOfRooms(func::FuncOp kernel, Operation *place) {
  uint64_t now = 0, most = 0;
  auto bytesOf = [](auto room) { return room.getType().getSlotBytes() * room.getStages(); };
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == place)
      return WalkResult::interrupt();
    if (auto ring = llvm::dyn_cast<nv::RingOp>(op))
      now += bytesOf(ring);
    if (auto room = llvm::dyn_cast<nv::AllocOp>(op))
      now += bytesOf(room);
    if (auto free = llvm::dyn_cast<nv::FreeOp>(op))
      if (auto room = free.getRoom().getDefiningOp<nv::AllocOp>())
        now -= bytesOf(room);
    most = std::max(most, now);
    return WalkResult::advance();
  });
  return place ? now : most;
}

} // namespace nereid::backend::nvptx
