// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where threads stand in a kernel's code, looked at by a timer of each thread (timer_create): it
// interrupts the thread, which counts its own program counter. No permission is needed.
#pragma once

#include "runtime/Artifact.h"
#include "runtime/LineSamples.h"

#include <atomic>
#include <cstdint>
#include <ctime>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace nereid::runtime::cpu {

/// It takes the signal SIGPROF for as long as it lives. What comes of others is handed to the
/// action that was there before, which is there again afterwards.
class CodeSampler {
public:
  /// Of `bytes` bytes of code from `begin` on, which must outlive this. One at a time in a process;
  /// others wait. Throws Error(Environment) if the signal cannot be taken.
  CodeSampler(const void *begin, size_t bytes);
  ~CodeSampler();
  CodeSampler(const CodeSampler &) = delete;
  CodeSampler &operator=(const CodeSampler &) = delete;

  /// While it lives, timers run; otherwise nobody is interrupted. One at a time.
  class Launch {
  public:
    explicit Launch(CodeSampler &sampler) : sampler(sampler) { sampler.setTimers(true); }
    ~Launch() { sampler.setTimers(false); }
    Launch(const Launch &) = delete;
    Launch &operator=(const Launch &) = delete;

  private:
    CodeSampler &sampler;
  };

  /// While it lives, its thread is looked at, in what is called from where it was made. One at a
  /// time on a stack. Where the system gives no timer nothing is seen, which requireTimers() tells.
  /// Of a null sampler it does nothing.
  class Watch {
  public:
    explicit Watch(CodeSampler *sampler) : sampler(sampler) {
      if (sampler) // the frame, as sanitizers put variables elsewhere
        begin(static_cast<const uint64_t *>(__builtin_frame_address(0)));
    }
    ~Watch() {
      if (sampler)
        end();
    }
    Watch(const Watch &) = delete;
    Watch &operator=(const Watch &) = delete;

  private:
    void begin(const uint64_t *stackEnd) noexcept;
    void end() noexcept;
    CodeSampler *sampler;
    bool wasBlocked = false;
  };

  /// While it lives, this thread is not looked at: it is about to go on on another stack.
  class LookAway {
  public:
    LookAway();
    ~LookAway();
    LookAway(const LookAway &) = delete;
    LookAway &operator=(const LookAway &) = delete;

  private:
    CodeSampler *sampler;
    const uint64_t *stackEnd;
  };

  /// Throws Error(Environment) if a thread that was to be watched had no timer.
  void requireTimers() const;
  /// What was counted, by place. No thread may be watched meanwhile. Throws what requireTimers()
  /// throws.
  LineSamples read(std::span<const CodePlace> places, std::span<const CodeLine> lines) const;

  /// Of the signal's handler: this thread stands at `at`; of its stack, from `stack` on, what lies
  /// below `stackEnd` may be read.
  void note(uint64_t at, const uint64_t *stack, const uint64_t *stackEnd);

  static constexpr long intervalNanoseconds = 499'000; ///< not in step with anybody's milliseconds

private:
  struct Timer {
    timer_t id;
    timespec left; ///< until it strikes, counted while timers run
  };
  /// A thread's, which ends with it.
  struct OwnTimer;
  static thread_local OwnTimer own;

  bool giveTimer() noexcept;
  void setTimers(bool run);
  void fail(int error) noexcept;
  bool isCode(uint64_t at) const { return at - begin < bytes; }

  std::unique_lock<std::mutex> turn;
  uint64_t begin;
  size_t bytes;
  uint64_t number; ///< of this sampler in the process
  /// By byte of the code: of instructions, and of calls by where they return to.
  std::unique_ptr<std::atomic<uint32_t>[]> inside, called;
  std::atomic<uint64_t> unknown = 0;
  std::atomic<int> failure = 0; ///< the first errno of a timer that was not to be had

  // Under one mutex for all samplers, as threads end when they like.
  std::vector<Timer> timers;
  uint64_t timersSoFar = 0;
  bool areRunning = false;
};

} // namespace nereid::runtime::cpu
