// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Interruption.h"

#include <utility>

namespace nereid {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds betweenPolls(30);

static thread_local Interruption *ofThread = nullptr;

Interruption::Interruption(const std::function<bool()> &poll)
    : poll(poll), outer(std::exchange(ofThread, this)) {}

Interruption::~Interruption() { ofThread = outer; }

Interruption *Interruption::current() { return ofThread; }

bool Interruption::isRequested() {
  if (isOn.load(std::memory_order_relaxed))
    return true;
  if (std::this_thread::get_id() != owner)
    return false;
  Clock::time_point now = Clock::now();
  if (next == Clock::time_point()) // the first question begins the wait
    next = now + betweenPolls;
  if (now < next)
    return false;
  next = now + betweenPolls;
  if (!poll())
    return false;
  isOn.store(true, std::memory_order_relaxed);
  return true;
}

} // namespace nereid
