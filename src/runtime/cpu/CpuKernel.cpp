// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cpu/CpuKernel.h"

#include <functional>

namespace nereid::runtime::cpu {

void CpuKernel::launch(GridExtent grid, std::span<const ArgumentSlot> arguments,
                       const PrintSink *print) {
  LaunchContext context{prints.data(), print, {}, {}};
  auto runChunk = [&](uint64_t begin, uint64_t end, void *scratch) {
    entry(arguments.data(), &grid, begin, end, scratch, &context);
  };
  pool.run(grid.programs(), scratchBytes, std::ref(runChunk));
  if (context.failure)
    std::rethrow_exception(context.failure);
}

} // namespace nereid::runtime::cpu
