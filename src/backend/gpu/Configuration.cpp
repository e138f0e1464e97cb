// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/gpu/Configuration.h"

#include "analysis/Exchanges.h"

#include <algorithm>

using namespace mlir;

namespace nereid::backend::gpu {

unsigned chooseWarps(func::FuncOp kernel, const Policy &policy, unsigned lanesPerWarp) {
  if (auto counted = kernel->getAttrOfType<IntegerAttr>(tile::warpsAttr))
    return static_cast<unsigned>(counted.getInt());
  int64_t largest = 1;
  bool multiplies = false, reduces = false, exchanges = false;
  kernel.walk([&](Operation *op) {
    auto gather = llvm::dyn_cast<tile::GatherOp>(op);
    exchanges |= gather && analysis::exchangeMask(gather);
    multiplies |= llvm::isa<tile::DotOp>(op);
    reduces |= llvm::isa<tile::ReduceOp, tile::ScanOp>(op);
    for (Type type : op->getResultTypes())
      largest = std::max(largest, tile::elementCount(type));
  });
  // A sorting network does its work on each element many times over, and threads share that.
  const bool wantsFewWarps = multiplies || (reduces && !exchanges);
  int64_t perThread =
      wantsFewWarps ? policy.elements_of_thread_that_shares : policy.elements_of_thread;
  uint64_t most = multiplies ? policy.most_warps_of_products : policy.most_warps;
  uint64_t warps = llvm::divideCeil(largest, perThread * lanesPerWarp);
  return static_cast<unsigned>(std::clamp<uint64_t>(std::bit_ceil(warps), 1, std::bit_floor(most)));
}

} // namespace nereid::backend::gpu
