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

class CodeSampler {
public:
  /// Of `bytes` bytes of code from `begin` on, which must outlive this. One at a time in a process;
  /// others wait.
  CodeSampler(const void *begin, size_t bytes);
  ~CodeSampler();
  CodeSampler(const CodeSampler &) = delete;
  CodeSampler &operator=(const CodeSampler &) = delete;

  /// While it lives, its thread is looked at. Throws std::system_error if the system has no timer
  /// for it. Of a null sampler it does nothing.
  class Watch {
  public:
    explicit Watch(CodeSampler *sampler);
    ~Watch();
    Watch(const Watch &) = delete;
    Watch &operator=(const Watch &) = delete;

  private:
    CodeSampler *before;
  };

  /// What was counted, by place. No thread may be watched meanwhile.
  LineSamples read(std::span<const CodePlace> places, std::span<const CodeLine> lines) const;

  /// Of the signal's handler: this thread stands at `at`, its stack ends at `stack`.
  void note(uint64_t at, const uint64_t *stack);

  static constexpr long intervalNanoseconds = 499'000; ///< not in step with anybody's milliseconds

private:
  void startTimer();
  bool isCode(uint64_t at) const { return at - begin < bytes; }

  std::unique_lock<std::mutex> turn;
  uint64_t begin;
  size_t bytes;
  uint64_t number; ///< of this sampler in the process
  /// By byte of the code: of instructions, and of calls by where they return to.
  std::unique_ptr<std::atomic<uint32_t>[]> own, called;
  std::atomic<uint64_t> unknown = 0;
  std::mutex timersMutex;
  std::vector<timer_t> timers;
};

} // namespace nereid::runtime::cpu
