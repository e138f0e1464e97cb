// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cpu/CpuKernel.h"

#include "support/Interruption.h"

#include <algorithm>
#include <functional>

namespace nereid::runtime::cpu {

/// After so many programs a launch that may be interrupted looks up, which takes some 30 ns.
constexpr uint64_t programsPerPiece = 32;

void CpuKernel::launch(GridExtent grid, std::span<const ArgumentSlot> arguments,
                       const PrintSink *print) {
  LaunchContext context{prints.data(), print, {}, {}, {}};
  Interruption *interruption = Interruption::current();
  auto runChunk = [&](uint64_t begin, uint64_t end, void *scratch) {
    uint64_t piece = interruption ? programsPerPiece : end - begin;
    for (; begin < end && !(interruption && interruption->isRequested()); begin += piece)
      entry(arguments.data(), &grid, begin, std::min(begin + piece, end), scratch, &context);
  };
  pool.run(grid.programs(), scratchBytes, std::ref(runChunk));
  if (context.failure)
    std::rethrow_exception(context.failure);
  if (context.failed.count)
    context.failed.raise("kernel '" + name + "'", grid);
}

} // namespace nereid::runtime::cpu
