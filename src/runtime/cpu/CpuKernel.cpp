// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cpu/CpuKernel.h"

#include <functional>
#include <vector>

namespace nereid::runtime::cpu {

void CpuKernel::launch(GridExtent grid, std::span<const ArgumentSlot> arguments) {
  std::vector<uint64_t> bits;
  bits.reserve(arguments.size());
  for (const ArgumentSlot &argument : arguments)
    bits.push_back(argument.bits);
  LaunchContext context{prints.data()};
  auto runChunk = [&](uint64_t begin, uint64_t end, void *scratch) {
    entry(bits.data(), &grid, begin, end, scratch, &context);
  };
  pool.run(grid.programs(), scratchBytes, std::ref(runChunk));
}

} // namespace nereid::runtime::cpu
