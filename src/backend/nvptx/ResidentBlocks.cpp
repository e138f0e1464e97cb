// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/ResidentBlocks.h"

#include "backend/nvptx/ProductLoads.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

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

} // namespace nereid::backend::nvptx
