// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <csignal>
#include <pthread.h>

namespace nereid::runtime {

/// The host's signal handlers should run on the host's threads, so ours start with all blocked, but
/// for those that a thread brings on itself: blocked, they end the process past any handler.
class BlockSignals {
public:
  BlockSignals() {
    sigset_t all;
    sigfillset(&all);
    for (int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP})
      sigdelset(&all, own);
    pthread_sigmask(SIG_SETMASK, &all, &previous);
  }
  ~BlockSignals() { pthread_sigmask(SIG_SETMASK, &previous, nullptr); }
  BlockSignals(const BlockSignals &) = delete;
  BlockSignals &operator=(const BlockSignals &) = delete;

private:
  sigset_t previous;
};

} // namespace nereid::runtime
