// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/DeviceStream.h"

#include "nereid/error.h"
#include "runtime/GridText.h"
#include "runtime/cuda/DeviceMemory.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace nereid::runtime::cuda {
namespace {

/// What went wrong on the device; its text names the kernels that it may be of.
FailurePtr currentFailure() {
  return std::make_shared<Failure>(Failure{std::current_exception(), {}});
}

class DeviceEvent final : public runtime::Event {
public:
  DeviceEvent(const cuda::Stream &stream, FailurePtr before)
      : event(stream.sharedContext(), cuda::Event::Timing::On), before(std::move(before)) {
    event.record(stream);
  }

  bool isDone() const override { return event.isDone(); }
  FailurePtr wait() const override {
    try {
      event.synchronize();
    } catch (const Error &) {
      return currentFailure();
    }
    return before;
  }
  double millisecondsSince(const runtime::Event &earlier) const override {
    return event.millisecondsSince(static_cast<const DeviceEvent &>(earlier).event);
  }

  const cuda::Event event;
  const FailurePtr before; // what had failed of the stream
};

using Owners = std::vector<std::shared_ptr<const void>>;

/// What work on a stream uses, kept until the work is done. One event stands for several pieces,
/// and is used again. A thread adds a piece after it has given it to the driver.
class KeptAlive {
public:
  void add(const Stream &stream, std::shared_ptr<const void> owner) {
    Owners gone; // outlives the lock
    std::lock_guard lock(mutex);
    open.push_back(std::move(owner));
    if (open.size() < piecesPerEvent)
      return;
    OutsideCapture outside(stream.context());
    if (batches.size() == mostBatches)
      batches.front().end.synchronize();
    takeDone(gone);
    Event end = spare.empty() ? Event(stream.sharedContext()) : std::move(spare.back());
    if (!spare.empty())
      spare.pop_back();
    end.record(stream);
    batches.push_back({std::exchange(open, {}), std::move(end)});
  }

  /// Whether this is what came last, and the next event stands for it too: one launch again and
  /// again costs no events.
  bool hasLast(const std::shared_ptr<const void> &owner) {
    std::lock_guard lock(mutex);
    return !open.empty() && open.back() == owner;
  }

  /// What is there now, for the caller to drop when the stream has come by.
  Owners takeAll() {
    std::lock_guard lock(mutex);
    Owners all = std::exchange(open, {});
    while (!batches.empty())
      takeFirst(all);
    return all;
  }

  /// What takeAll() gave, of work that may still run.
  void putBack(Owners all) {
    std::lock_guard lock(mutex);
    open.insert(open.begin(), std::make_move_iterator(all.begin()),
                std::make_move_iterator(all.end()));
  }

private:
  static constexpr size_t piecesPerEvent = 16, mostBatches = 64;
  struct Batch {
    Owners owners;
    Event end;
  };

  void takeFirst(Owners &gone) {
    Batch &first = batches.front();
    std::move(first.owners.begin(), first.owners.end(), std::back_inserter(gone));
    spare.push_back(std::move(first.end));
    batches.pop_front();
  }
  void takeDone(Owners &gone) {
    while (!batches.empty() && batches.front().end.isDone())
      takeFirst(gone);
  }

  std::mutex mutex;
  Owners open; // no event stands for these yet
  std::deque<Batch> batches;
  std::vector<Event> spare;
};

class DeviceGraph final : public runtime::Graph {
public:
  DeviceGraph(const std::shared_ptr<Context> &context, CUgraph recorded, Owners owners)
      : owners(std::move(owners)), graph(context, instantiate(*context, recorded)) {}

  void launch(const Stream &stream) const {
    graph.context().call(graph.context().driver().graphLaunch, graph.get(), stream.handle());
  }

private:
  static CUgraphExec instantiate(Context &context, CUgraph recorded) {
    CUgraphExec made = nullptr;
    context.call(context.driver().graphInstantiate, &made, recorded, 0ull);
    return made;
  }

  Owners owners; // of what the work uses
  Handle<CUgraphExec, &Driver::graphExecDestroy> graph;
};

/// A stream that records, until this goes.
class Capture {
public:
  explicit Capture(const Stream &stream) : stream(stream) {
    stream.context().call(stream.context().driver().streamBeginCapture, stream.handle(),
                          CU_STREAM_CAPTURE_MODE_RELAXED);
  }
  ~Capture() {
    CUgraph unwanted = nullptr;
    if (isOpen)
      stream.context().release(stream.context().driver().streamEndCapture, stream.handle(),
                               &unwanted);
    if (unwanted)
      stream.context().release(stream.context().driver().graphDestroy, unwanted);
  }
  Capture(const Capture &) = delete;
  Capture &operator=(const Capture &) = delete;

  Handle<CUgraph, &Driver::graphDestroy> end() {
    CUgraph graph = nullptr;
    isOpen = false;
    stream.context().call(stream.context().driver().streamEndCapture, stream.handle(), &graph);
    return {stream.sharedContext(), graph};
  }

private:
  const Stream &stream;
  bool isOpen = true;
};

class DeviceStream final : public runtime::Stream {
public:
  explicit DeviceStream(cuda::Stream stream) : stream(std::move(stream)) {}
  ~DeviceStream() override { synchronize(); }

  void *handle() const override { return stream.handle(); }

  void launch(QueuedLaunch launch) override {
    if (hasFailed())
      return;
    std::exception_ptr thrown;
    PrintSink print = [&](std::string_view lines) {
      try {
        if (!thrown)
          launch.print(lines);
      } catch (...) {
        thrown = std::current_exception();
      }
    };
    launch.executable->launchOn(stream.handle(), launch.grid, launch.arguments,
                                launch.print ? &print : nullptr);
    if (thrown)
      failWith({thrown, "kernel '" + std::string(launch.kernel) + "' over a grid of " +
                            gridText(launch.grid)});
    keep(std::move(launch.owner));
  }

  void copyFromHost(std::shared_ptr<Memory> to, const void *from, size_t bytes) override {
    if (hasFailed())
      return;
    copyToDevice(stream, to->data(), from, bytes);
    keep(std::move(to));
  }
  void copyToHost(void *to, std::shared_ptr<const Memory> from, size_t bytes) override {
    if (hasFailed())
      return;
    cuda::copyToHost(stream, to, from->data(), bytes);
    keep(std::move(from));
  }

  std::shared_ptr<const runtime::Event> record() override {
    return std::make_shared<DeviceEvent>(stream, currentFailed());
  }

  Recorded capture(const std::function<void()> &work) override {
    if (FailurePtr before = currentFailed())
      return {nullptr, before};
    if (stream.isCapturing())
      throw Error(Error::Kind::Usage, "the stream is recorded already");
    Capture recording(stream);
    struct Keeping { // what the graph uses, instead of what this stream does
      std::optional<Owners> &owners;
      explicit Keeping(std::optional<Owners> &owners) : owners(owners) { owners.emplace(); }
      ~Keeping() { owners.reset(); }
    } keeping(recorded);
    work();
    auto graph = recording.end();
    if (FailurePtr meanwhile = currentFailed()) // some of the work was skipped
      return {nullptr, meanwhile};
    return {
        std::make_shared<DeviceGraph>(stream.sharedContext(), graph.get(), *std::move(recorded)),
        nullptr};
  }

  void launch(std::shared_ptr<const runtime::Graph> graph) override {
    if (hasFailed())
      return;
    static_cast<const DeviceGraph &>(*graph).launch(stream);
    keep(std::move(graph));
  }

  /// One of the host has to be waited for here, since no GPU can.
  void wait(std::shared_ptr<const runtime::Event> event) override {
    FailurePtr before;
    if (const auto *ours = dynamic_cast<const DeviceEvent *>(event.get())) {
      stream.wait(ours->event);
      before = ours->before;
    } else {
      before = event->wait();
    }
    if (before)
      failWith(*before);
  }

  bool isIdle() const override { return stream.isDone(); }

  FailurePtr synchronize() override {
    Owners done = kept.takeAll(); // before: others may queue meanwhile
    try {
      stream.synchronize();
    } catch (const Error &) {
      kept.putBack(std::move(done)); // nobody knows whether the work has ended
      return currentFailure();
    }
    std::lock_guard lock(mutex);
    return std::exchange(failure, nullptr);
  }

private:
  FailurePtr currentFailed() const {
    std::lock_guard lock(mutex);
    return failure;
  }
  bool hasFailed() const { return currentFailed() != nullptr; }
  void failWith(Failure what) {
    std::lock_guard lock(mutex);
    if (!failure)
      failure = std::make_shared<Failure>(std::move(what));
  }
  void keep(std::shared_ptr<const void> owner) {
    if (recorded)
      recorded->push_back(std::move(owner));
    else if (!kept.hasLast(owner) && !stream.isCapturing())
      kept.add(stream, std::move(owner));
  }

  cuda::Stream stream;
  KeptAlive kept;
  mutable std::mutex mutex;
  FailurePtr failure;             // of a print sink, not told yet
  std::optional<Owners> recorded; // while it records
};

} // namespace

std::unique_ptr<runtime::Stream> openDeviceStream(const std::shared_ptr<Context> &context,
                                                  DefaultStream beside) {
  return std::make_unique<DeviceStream>(Stream(context, beside));
}

std::unique_ptr<runtime::Stream> borrowDeviceStream(const std::shared_ptr<Context> &context,
                                                    CUstream stream) {
  return std::make_unique<DeviceStream>(Stream(context, stream));
}

} // namespace nereid::runtime::cuda
