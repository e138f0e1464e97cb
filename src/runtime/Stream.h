// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work of a device in the order in which it was queued, on request asynchronous.
#pragma once

#include "runtime/Executable.h"
#include "runtime/Memory.h"

#include <exception>
#include <functional>
#include <memory>
#include <string>

namespace nereid::runtime {

/// A launch that will run later.
struct QueuedLaunch {
  /// Keeps everything else alive, until the launch is done.
  std::shared_ptr<const void> owner;
  Executable *executable = nullptr; // of the stream's device
  std::span<const ArgumentSlot> arguments;
  std::string_view kernel; // its name
  GridExtent grid;
  PrintSink print; // empty: standard output
};

/// Work that did not end well.
struct Failure {
  std::exception_ptr cause;
  /// "launch 2 of the stream, kernel 'add' over a grid of (4, 1, 1)"; empty if the cause names it
  std::string work;
};
using FailurePtr = std::shared_ptr<const Failure>; // null: all is well

/// A point in the work of a stream.
class Event {
public:
  virtual ~Event() = default;
  virtual bool isDone() const = 0;
  /// Returns when the work before it is done, with what failed of it.
  virtual FailurePtr wait() const = 0;
  /// Both are done, and of streams whose devices have memory of one name.
  virtual double millisecondsSince(const Event &earlier) const = 0;
};

/// What a GPU's stream does about the default one, on which programs work that name no stream.
enum class DefaultStream {
  Ignored, ///< they go on side by side
  Ordered, ///< each begins what it is given when the other has done what it was given before
};

/// Work that a stream recorded.
class Graph {
public:
  virtual ~Graph() = default;
};

struct Recorded {
  /// Null if the device has no graphs, or the stream had failed.
  std::shared_ptr<const Graph> graph;
  /// What had failed of the stream, which synchronize() tells as well.
  FailurePtr failure;
};

/// Once work has failed, launches and copies are skipped until synchronize() tells of it. Any
/// thread may call; the destructor returns when all work is done.
class Stream {
public:
  virtual ~Stream() = default;
  /// What other libraries call it (a CUstream); null where it is a thread.
  virtual void *handle() const { return nullptr; }
  virtual void launch(QueuedLaunch launch) = 0;
  /// The host's bytes must stay until the copy is done.
  virtual void copyFromHost(std::shared_ptr<Memory> to, const void *from, size_t bytes) = 0;
  virtual void copyToHost(void *to, std::shared_ptr<const Memory> from, size_t bytes) = 0;
  virtual std::shared_ptr<const Event> record() = 0;
  /// What `work` gives to this stream, which does not run now. Nothing is called if the device has
  /// no graphs, or the stream has failed and would skip the work. No other thread uses the stream
  /// meanwhile.
  virtual Recorded capture(const std::function<void()> &) { return {}; }
  /// One that a stream of this device recorded.
  virtual void launch(std::shared_ptr<const Graph>) {}
  /// What is queued from now on starts after the event, which may be any device's. If work before
  /// the event failed, so has this stream.
  virtual void wait(std::shared_ptr<const Event> event) = 0;
  virtual bool isIdle() const = 0;
  /// Returns when all that was queued before is done, with what failed of it.
  virtual FailurePtr synchronize() = 0;
};

} // namespace nereid::runtime
