// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cpu/CpuKernel.h"

#include "support/Interruption.h"

#include <algorithm>
#include <functional>

namespace nereid::runtime::cpu {

/// How often in a chunk a launch that may be interrupted looks up.
constexpr uint64_t piecesPerChunk = 8;

void CpuKernel::launch(GridExtent grid, std::span<const ArgumentSlot> arguments,
                       const PrintSink *print) {
  LaunchContext context{prints.data(), print, {}, {}};
  Interruption *interruption = Interruption::current();
  auto runChunk = [&](uint64_t begin, uint64_t end, void *scratch) {
    uint64_t piece =
        interruption ? std::max<uint64_t>(1, (end - begin) / piecesPerChunk) : end - begin;
    for (; begin < end && !(interruption && interruption->isRequested()); begin += piece)
      entry(arguments.data(), &grid, begin, std::min(begin + piece, end), scratch, &context);
  };
  pool.run(grid.programs(), scratchBytes, std::ref(runChunk));
  if (context.failure)
    std::rethrow_exception(context.failure);
}

} // namespace nereid::runtime::cpu
