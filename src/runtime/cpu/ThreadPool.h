// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

namespace nereid::runtime::cpu {

/// A fixed set of threads that share out the programs of one launch at a time. The launching thread
/// works too, so a pool of one starts none. Idle threads spin briefly, then sleep. In a process
/// that forked off, where the threads are not, the pool starts others. Where the process has an
/// OpenMP runtime, the pool has no threads but borrows that one's (OpenMpTeam).
class ThreadPool {
public:
  /// 0 means one thread per core that this process may use, and of OpenMP's no more than the host
  /// asks for itself.
  explicit ThreadPool(unsigned threads = 0);
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  unsigned threads() const;
  /// A chunk [begin, end) of the work, and this thread's scratch memory (64-byte aligned).
  using Work = std::function<void(uint64_t begin, uint64_t end, void *scratch)>;
  /// Runs `work` over [0, count) in chunks and returns when all is done. Launches from several
  /// threads at once take turns. `whileWaiting`, if there is one, is called again and again by the
  /// launching thread when only others are still at work. `hasBriefShares` says that a thread's
  /// part takes microseconds: each runs its own as one chunk, and nobody asks for what others have
  /// left.
  void run(uint64_t count, uint64_t scratchBytes, const Work &work,
           const std::function<void()> &whileWaiting = {}, bool hasBriefShares = false);

private:
  struct State;
  State &stateOfThisProcess();
  std::atomic<State *> state;
};

} // namespace nereid::runtime::cpu
