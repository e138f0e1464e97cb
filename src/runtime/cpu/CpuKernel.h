// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Native code for a kernel, run by a pool of threads.
#pragma once

#include "runtime/Artifact.h"
#include "runtime/Executable.h"
#include "runtime/cpu/CodeSampler.h"
#include "runtime/cpu/LoadedImage.h"
#include "runtime/cpu/Print.h"
#include "runtime/cpu/ThreadPool.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>

namespace nereid::runtime::cpu {

/// What generated code looks like from outside: runs programs [begin, end) of the grid, counted x
/// fastest. `arguments` holds one slot each; `scratch` is this thread's own, aligned
/// to scratchAlignment; `context` is for calls back into the runtime. Where it shares a loop,
/// programs are parts (PartialSums.h).
using KernelEntry = void (*)(const ArgumentSlot *arguments, const GridExtent *grid, uint64_t begin,
                             uint64_t end, void *scratch, const LaunchContext *context);

class CpuKernel final : public Executable {
public:
  /// Loads the code, which this machine must be able to run. Throws what LoadedImage throws.
  CpuKernel(const CpuCode &code, std::string name, ThreadPool &pool)
      : image(code.image), entry(reinterpret_cast<KernelEntry>(image.entry())),
        scratchBytes(code.scratchBytes), prints(code.prints), sharedLoop(code.sharedLoop),
        places(code.places), lines(code.lines), name(std::move(name)), pool(pool),
        meetsWholeGrid(runtime::meetsWholeGrid(code.image)) {}

  void launch(GridExtent grid, std::span<const ArgumentSlot> arguments,
              const PrintSink *print) override {
    launchSampled(grid, arguments, print, nullptr);
  }
  /// The same, and `sampler`, if it is not null, looks where threads stand.
  void launchSampled(GridExtent grid, std::span<const ArgumentSlot> arguments,
                     const PrintSink *print, CodeSampler *sampler);
  std::unique_ptr<SampledLaunch> prepareSampled(GridExtent grid,
                                                std::span<const ArgumentSlot> arguments) override;
  size_t bytes() const override { return sizeof(*this) + image.bytes(); }

private:
  uint64_t partsOf(GridExtent grid, std::span<const ArgumentSlot> arguments) const;
  uint64_t runLittle(uint64_t programs, const ThreadPool::Work &run);
  bool hasBriefShares(uint64_t programs) const;
  void runShared(uint64_t programs, const ThreadPool::Work &run,
                 const std::function<void()> &whileWaiting);

  class Sampled;
  LoadedImage image;
  KernelEntry entry;
  uint64_t scratchBytes;
  std::vector<PrintSite> prints;
  SharedLoop sharedLoop;
  std::vector<CodePlace> places;
  std::vector<CodeLine> lines;
  std::string name;
  ThreadPool &pool;
  bool meetsWholeGrid; // its programs wait for one another
  /// Of a program of earlier launches.
  std::atomic<double> nanoseconds = std::numeric_limits<double>::infinity();
  std::atomic<bool> wasShared = false; // between threads, when that was measured
  /// Grows where brief shares were not, and falls where they were.
  std::atomic<int> unevenness = 0;
};

} // namespace nereid::runtime::cpu
