// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Order on a device: work of one stream runs one after the other, streams run side by side.
#pragma once

#include "runtime/Stream.h"
#include "runtime/cuda/Context.h"

#include <optional>

namespace nereid::runtime::cuda {

class Event;

class Stream {
public:
  /// A stream that waits for no other, not even the default one, unless that is to be ordered.
  explicit Stream(const std::shared_ptr<Context> &context,
                  DefaultStream beside = DefaultStream::Ignored);
  /// One that somebody else made in this context, and keeps; null is the default stream.
  Stream(const std::shared_ptr<Context> &context, CUstream borrowed);

  CUstream handle() const { return stream; }
  Context &context() const { return *context_; }
  const std::shared_ptr<Context> &sharedContext() const { return context_; }

  /// Waits until all work has ended. An error in a kernel is thrown here.
  void synchronize() const;
  bool isDone() const;
  /// Whether what it gets becomes part of a graph, and runs when the graph does. Such a stream can
  /// be neither waited for nor asked whether it is done.
  bool isCapturing() const;
  /// What comes later in this stream waits until the event has happened. Returns at once.
  void wait(const Event &event) const;

private:
  std::shared_ptr<Context> context_;
  CUstream stream;
  std::optional<Handle<CUstream, &Driver::streamDestroy>> owned;
};

/// A place in a stream. Before it is recorded, it counts as happened.
class Event {
public:
  enum class Timing { Off, On };
  explicit Event(const std::shared_ptr<Context> &context, Timing timing = Timing::Off);

  CUevent handle() const { return event.get(); }
  /// Happens when what the stream has got so far has ended.
  void record(const Stream &stream) const;
  void synchronize() const;
  bool isDone() const;
  /// On the device, between two events that have happened and whose timing is on.
  float millisecondsSince(const Event &earlier) const;

private:
  Handle<CUevent, &Driver::eventDestroy> event;
};

} // namespace nereid::runtime::cuda
