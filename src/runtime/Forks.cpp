// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Forks.h"

#include <atomic>
#include <pthread.h>

namespace nereid::runtime {

uint64_t forks() {
  static std::atomic<uint64_t> count = 0;
  [[maybe_unused]] static const int registered =
      pthread_atfork(nullptr, nullptr, [] { count.fetch_add(1, std::memory_order_relaxed); });
  return count.load(std::memory_order_relaxed);
}

} // namespace nereid::runtime
