// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

namespace nereid {

/// A way to end a launch early, for the launches that this thread makes while it lives. Executors
/// ask between programs and in loops, from any of their threads; what has run stays done.
class Interruption {
public:
  /// `poll` says whether to end; it is called on this thread only, some thirty times a second. It
  /// must stay.
  explicit Interruption(const std::function<bool()> &poll);
  ~Interruption();
  Interruption(const Interruption &) = delete;
  Interruption &operator=(const Interruption &) = delete;

  /// That of the calling thread; null if there is none.
  static Interruption *current();

  /// Whether to end. Cheap.
  bool isRequested();

private:
  const std::function<bool()> &poll;
  Interruption *outer;
  std::thread::id owner = std::this_thread::get_id();
  std::chrono::steady_clock::time_point next = {};
  std::atomic<bool> isOn = false;
};

} // namespace nereid
