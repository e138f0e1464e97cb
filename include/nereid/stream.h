// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work that goes on while the host does.
#pragma once

#include "nereid/Export.h"

#include <memory>
#include <utility>

namespace nereid {

namespace detail {
struct EventState;
struct StreamState;
} // namespace detail

/// A point in a stream's work.
class NEREID_API Event {
public:
  bool isDone() const;
  /// Returns when the work before it is done. Throws what failed of it, each time.
  void wait() const;
  /// How long after `earlier`, whose device must be of the same kind, this event came. Waits for
  /// both.
  double millisecondsSince(const Event &earlier) const;

private:
  friend struct detail::EventState;
  explicit Event(std::shared_ptr<const detail::EventState> state) : state(std::move(state)) {}
  std::shared_ptr<const detail::EventState> state;
};

/// Launches (LaunchOptions::stream) and copies that a device does in the order in which they were
/// given, while the host goes on. Arrays and kernels stay alive until the work that uses them is
/// done. What is given no stream is done at once and waits for none.
///
/// Streams go on side by side. On the cpu device a launch has all threads to itself, so launches of
/// several streams take turns, while copies and waits of one stream and the launches of another
/// overlap. An event can be waited for only once it is recorded, so streams never wait in a circle.
///
/// Once a launch fails (the checked device finds a mistake, a print sink throws), what follows it
/// in the stream is skipped, until synchronize() has thrown the Error, which names the launch. What
/// a sink threw is nested in it (std::rethrow_if_nested). A sink must not wait for its device.
///
/// GPUs wait for each other's events without the host. What a kernel has stored in another GPU's
/// memory is there for what waits for an event behind it; kernels that run side by side on two GPUs
/// see each other's stores by atomics of the scope of the system alone (tl.atomic_*, sem, "sys").
///
/// On a GPU, a stream that is told to wait for an event of the host waits in that call, and so does
/// the launch of a kernel that prints, for its end.
///
/// Up to 1024 pieces of work wait; who gives another waits for room. The last handle waits for all
/// work when it goes, and what failed then is lost.
class NEREID_API Stream {
public:
  /// Waits for all work given so far. Throws what failed of it, once.
  void synchronize() const;
  bool isIdle() const;
  /// On a GPU the CUstream that it is, for other libraries; otherwise null.
  void *handle() const;
  /// The end of the work given so far.
  Event record() const;
  /// Work given from now on starts after the event, which may be of any device. What failed before
  /// the event has failed here, too.
  void wait(const Event &event) const;

private:
  friend struct detail::StreamState;
  explicit Stream(std::shared_ptr<detail::StreamState> state) : state(std::move(state)) {}
  std::shared_ptr<detail::StreamState> state;
};

} // namespace nereid
