// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cpu/CpuKernel.h"

#include "runtime/cpu/LookUp.h"
#include "runtime/cpu/Scratch.h"
#include "runtime/cpu/WholeGrid.h"
#include "support/Interruption.h"

#include <algorithm>
#include <functional>
#include <optional>

namespace nereid::runtime::cpu {

/// After so many programs a launch that may be interrupted looks up, which takes some 30 ns; loops
/// of generated code do so by themselves.
constexpr uint64_t programsPerPiece = 32;

/// Into how many parts each program of the launch is divided.
uint64_t CpuKernel::partsOf(GridExtent grid, std::span<const ArgumentSlot> arguments) const {
  if (sharedLoop.sums.empty() || grid.programs() >= pool.threads() || meetsWholeGrid)
    return 1;
  LaunchContext question{{.parts = 0}, prints.data(), nullptr, nullptr, {}, {}, {}};
  entry(arguments.data(), &grid, 0, 1, threadScratch(scratchBytes), &question);
  return chooseParts(sharedLoop, grid.programs(), question.loop.rounds, pool.threads());
}

void CpuKernel::launch(GridExtent grid, std::span<const ArgumentSlot> arguments,
                       const PrintSink *print) {
  Interruption *interruption = Interruption::current();
  LaunchContext context{{.parts = partsOf(grid, arguments)}, prints.data(), print, interruption, {}, {}, {}};
  std::optional<PartialSums> sums;
  if (context.loop.parts > 1) {
    sums.emplace(sharedLoop, grid.programs(), context.loop.parts);
    context.loop.sums = &*sums;
    context.loop.meet = [](const LoopParts *loop, uint64_t part, void *const *own) {
      return loop->sums->meet(part, own);
    };
  }
  auto run = [&](uint64_t begin, uint64_t end, void *scratch) {
    entry(arguments.data(), &grid, begin, end, scratch, &context);
  };
  auto runChunk = [&](uint64_t begin, uint64_t end, void *scratch) {
    if (!interruption)
      return run(begin, end, scratch);
    auto piece = [&] { run(begin, std::min(begin + programsPerPiece, end), scratch); };
    // A launch of one program asks nothing: to look at the clock takes as long as a thousand
    // additions.
    auto isRequested = [&] { return begin > 0 && interruption->isRequested(); };
    for (; begin < end && !isRequested(); begin += programsPerPiece)
      if (!runUnlessLeft(std::ref(piece))) // by reference: no memory is asked for
        return;
  };
  std::function<void()> lookUp;
  if (interruption)
    lookUp = [=] { interruption->isRequested(); };
  if (meetsWholeGrid) // one that is to be ended early runs to its end all the same
    runWholeGrid(grid.programs(), scratchBytes, pool.threads(),
                 [&](uint64_t number, void *scratch) { run(number, number + 1, scratch); });
  else
    pool.run(grid.programs() * context.loop.parts, scratchBytes, std::ref(runChunk), lookUp);
  if (context.failure)
    std::rethrow_exception(context.failure);
  if (context.failed.count)
    context.failed.raise("kernel '" + name + "'", grid);
}

} // namespace nereid::runtime::cpu
