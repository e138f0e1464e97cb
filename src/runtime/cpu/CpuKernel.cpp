// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cpu/CpuKernel.h"

#include "runtime/cpu/LookUp.h"
#include "runtime/cpu/Scratch.h"
#include "runtime/cpu/WholeGrid.h"
#include "support/Interruption.h"

#include <algorithm>
#include <chrono>
#include <cmath>
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

/// What it takes that others have begun and been seen to end: on 16 cores of a Xeon 7 us, of which
/// an empty parallel region of OpenMP's is 4.5, on 2 two, of which it is 1.1. What takes no longer
/// alone is not worth it.
static double costOfSharing(unsigned threads) { return 1500 + 350.0 * threads; }

/// A thread's share that takes no longer is begun with and ended by that thread: to ask others what
/// they have left takes as long, and brings its memory into other caches. Where one takes
/// `unevenTimes` as long, now and then, programs are uneven.
static constexpr double briefShare = 5000;
static constexpr int unevenTimes = 4, unevenWeight = 32, mostUneven = 2 * unevenWeight;

namespace {
class Clock {
public:
  double nanoseconds() const {
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin)
        .count();
  }

private:
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
};
} // namespace

/// Runs programs on this thread alone if earlier ones were so short that this is the fastest, and
/// leaves off when these are not. How many are done.
uint64_t CpuKernel::runLittle(uint64_t programs, const ThreadPool::Work &run) {
  const unsigned threads = pool.threads();
  double most = costOfSharing(threads) * threads / (threads - 1), taken = 0;
  uint64_t done = 0;
  // Where each thread has its own programs' memory in its caches, they take less than alone.
  double worthSharing = wasShared.load(std::memory_order_relaxed) ? most / 2 : most;
  if (static_cast<double>(programs) * nanoseconds.load(std::memory_order_relaxed) > worthSharing)
    return 0;
  void *scratch = threadScratch(scratchBytes);
  for (Clock clock; done < programs && taken < 2 * most; taken = clock.nanoseconds()) {
    uint64_t end =
        std::min(std::max<uint64_t>(1, 2 * done), programs); // each look after as many again
    run(done, end, scratch);
    done = end;
  }
  nanoseconds.store(taken / static_cast<double>(done), std::memory_order_relaxed);
  return done;
}

/// Whether earlier launches say that each thread's share is brief.
bool CpuKernel::hasBriefShares(uint64_t programs) const {
  double share =
      static_cast<double>(programs) * nanoseconds.load(std::memory_order_relaxed) / pool.threads();
  return share < briefShare && unevenness.load(std::memory_order_relaxed) < mostUneven;
}

/// What the launching thread does first is timed. Where others of a grid take longer, which
/// runLittle has seen, that is forgotten slowly.
void CpuKernel::runShared(uint64_t programs, const ThreadPool::Work &run,
                          const std::function<void()> &whileWaiting) {
  if (programs == 1 || pool.threads() == 1)
    return pool.run(programs, scratchBytes, run, whileWaiting);
  uint64_t done = runLittle(programs, run);
  wasShared.store(done < programs, std::memory_order_relaxed);
  if (done == programs)
    return;
  const bool isBrief = hasBriefShares(programs - done);
  std::atomic<bool> isUneven = false;
  auto rest = [&](uint64_t begin, uint64_t end, void *scratch) {
    Clock clock;
    run(begin + done, end + done, scratch);
    double taken = clock.nanoseconds();
    if (taken > unevenTimes * briefShare)
      isUneven.store(true, std::memory_order_relaxed);
    if (begin > 0 || done > 0)
      return;
    double before = nanoseconds.load(std::memory_order_relaxed);
    double now = taken / static_cast<double>(end);
    nanoseconds.store(std::isinf(before) ? now : std::max(now, before / 2),
                      std::memory_order_relaxed);
  };
  pool.run(programs - done, scratchBytes, std::ref(rest), whileWaiting, isBrief);
  if (!isBrief)
    return;
  int seen = unevenness.load(std::memory_order_relaxed);
  unevenness.store(isUneven ? seen + unevenWeight : std::max(seen - 1, 0),
                   std::memory_order_relaxed);
}

void CpuKernel::launchSampled(GridExtent grid, std::span<const ArgumentSlot> arguments,
                              const PrintSink *print, CodeSampler *sampler) {
  Interruption *interruption = Interruption::current();
  LaunchContext context{
      {.parts = partsOf(grid, arguments)}, prints.data(), print, interruption, {}, {}, {}};
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
    CodeSampler::Watch watch(sampler); // here, as who leaves a piece passes over what lives in it
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
                 [&](uint64_t number, void *scratch) {
                   CodeSampler::Watch watch(sampler);
                   run(number, number + 1, scratch);
                 });
  else
    runShared(grid.programs() * context.loop.parts, std::ref(runChunk), lookUp);
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
    {
      CodeSampler::Launch timersRun(sampler);
      kernel.launchSampled(grid, arguments, &silent, &sampler);
    }
    sampler.requireTimers();
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
