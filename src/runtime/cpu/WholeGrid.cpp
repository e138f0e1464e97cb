// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cpu/WholeGrid.h"

#include "nereid/error.h"
#include "runtime/cpu/CodeSampler.h"
#include "runtime/cpu/Scratch.h"
#include "support/Fiber.h"

#include <algorithm>
#include <barrier>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

namespace nereid::runtime::cpu {
namespace {

/// The program that this thread is running.
thread_local Fiber *running = nullptr;

constexpr std::align_val_t alignment{scratchAlignment};

struct FreeAligned {
  void operator()(void *memory) const { ::operator delete(memory, alignment); }
};

/// What one thread runs: programs in turn, each up to where it waits, then all of them anew.
class ShareOfGrid {
public:
  ShareOfGrid(uint64_t begin, uint64_t end, uint64_t scratchBytes,
              const std::function<void(uint64_t, void *)> &program) {
    for (uint64_t number = begin; number < end; ++number) {
      scratch.emplace_back(::operator new(std::max<uint64_t>(scratchBytes, 1), alignment));
      void *own = scratch.back().get();
      std::memset(own, 0, std::min<uint64_t>(scratchBytes, scratchAlignment)); // as threadScratch()
      fibers.push_back(std::make_unique<Fiber>([&program, number, own] { program(number, own); }));
      fibers.back()->begin();
    }
  }

  void run(std::barrier<> &all) {
    while (runOn())
      all.arrive_and_wait();
    all.arrive_and_drop();
  }

  std::exception_ptr failure;

private:
  /// Whether any of them waits.
  bool runOn() {
    bool isAnyLeft = false;
    for (const auto &fiber : fibers) {
      if (fiber->isDone())
        continue;
      running = fiber.get();
      fiber->enter();
      running = nullptr;
      isAnyLeft |= !fiber->isDone();
      if (std::exception_ptr thrown = fiber->takeFailure(); thrown && !failure)
        failure = thrown;
    }
    return isAnyLeft;
  }

  std::vector<std::unique_ptr<Fiber>> fibers;
  std::vector<std::unique_ptr<void, FreeAligned>> scratch;
};

} // namespace

void nereidSyncGrid() {
  if (!running)
    return;
  CodeSampler::LookAway away;
  running->leave();
}

void runWholeGrid(uint64_t count, uint64_t scratchBytes, unsigned threads,
                  const std::function<void(uint64_t, void *)> &program) {
  constexpr uint64_t mostAtOnce = 1 << 13; // of 65,530 mappings that Linux gives a process
  if (count > mostAtOnce)
    throw Error(Error::Kind::Usage, "the blocks of the grid wait for one another, and " +
                                        std::to_string(count) + " are more than the " +
                                        std::to_string(mostAtOnce) + " that run at once on a CPU");
  uint64_t shares = std::clamp<uint64_t>(threads, 1, std::max<uint64_t>(count, 1));
  std::vector<std::unique_ptr<ShareOfGrid>> all;
  for (uint64_t i = 0; i < shares; ++i)
    all.push_back(std::make_unique<ShareOfGrid>(count * i / shares, count * (i + 1) / shares,
                                                scratchBytes, program));
  std::barrier<> meeting(static_cast<std::ptrdiff_t>(shares));
  {
    std::vector<std::jthread> others;
    for (uint64_t i = 1; i < shares; ++i)
      others.emplace_back([&, i] { all[i]->run(meeting); });
    all[0]->run(meeting);
  }
  for (const auto &share : all)
    if (share->failure)
      std::rethrow_exception(share->failure);
}

} // namespace nereid::runtime::cpu
