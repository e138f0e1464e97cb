// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cpu/CpuKernel.h"

#include "runtime/cpu/LookUp.h"
#include "runtime/cpu/WholeGrid.h"
#include "support/Interruption.h"

#include <algorithm>
#include <functional>

namespace nereid::runtime::cpu {

/// After so many programs a launch that may be interrupted looks up, which takes some 30 ns; loops
/// of generated code do so by themselves.
constexpr uint64_t programsPerPiece = 32;

void CpuKernel::launchSampled(GridExtent grid, std::span<const ArgumentSlot> arguments,
                              const PrintSink *print, CodeSampler *sampler) {
  Interruption *interruption = Interruption::current();
  LaunchContext context{prints.data(), print, interruption, {}, {}, {}};
  auto run = [&](uint64_t begin, uint64_t end, void *scratch) {
    if (!sampler)
      return entry(arguments.data(), &grid, begin, end, scratch, &context);
    CodeSampler::Watch watch(sampler);
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
    pool.run(grid.programs(), scratchBytes, std::ref(runChunk), lookUp);
  if (context.failure)
    std::rethrow_exception(context.failure);
  if (context.failed.count)
    context.failed.raise("kernel '" + name + "'", grid);
}

class CpuKernel::Sampled final : public SampledLaunch {
public:
  Sampled(CpuKernel &kernel, GridExtent grid, std::span<const ArgumentSlot> arguments)
      : kernel(kernel), grid(grid), arguments(arguments.begin(), arguments.end()),
        sampler(kernel.image.code(), kernel.image.bytes()) {}

  void launch() override {
    const PrintSink silent = [](std::string_view) {};
    kernel.launchSampled(grid, arguments, &silent, &sampler);
  }
  LineSamples read() override { return sampler.read(kernel.places, kernel.lines); }

private:
  CpuKernel &kernel;
  GridExtent grid;
  std::vector<ArgumentSlot> arguments;
  CodeSampler sampler;
};

std::unique_ptr<SampledLaunch> CpuKernel::prepareSampled(GridExtent grid,
                                                         std::span<const ArgumentSlot> arguments) {
  if (lines.empty())
    return Executable::prepareSampled(grid, arguments);
  return std::make_unique<Sampled>(*this, grid, arguments);
}

} // namespace nereid::runtime::cpu
