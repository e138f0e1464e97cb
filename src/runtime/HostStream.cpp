// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/HostStream.h"

#include "nereid/error.h"
#include "runtime/BlockSignals.h"
#include "runtime/Forks.h"
#include "runtime/cpu/OpenMpTeam.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <pthread.h>
#include <system_error>
#include <thread>
#include <utility>
#include <variant>

namespace nereid::runtime {
namespace {

/// What only another process can bring about is not waited for.
void refuseElsewhere(uint64_t process, const char *what) {
  if (process != forks())
    throw Error(Error::Kind::Usage,
                std::string(what) + " of the process that this one was forked from, whose thread "
                                    "is not here: open a stream after the fork");
}

class HostEvent final : public Event {
public:
  bool isDone() const override { return isReached.load(std::memory_order_acquire); }

  FailurePtr wait() const override {
    if (!isDone())
      refuseElsewhere(process, "this event is");
    isReached.wait(false, std::memory_order_acquire);
    return failure;
  }

  double millisecondsSince(const Event &earlier) const override {
    auto duration = time - static_cast<const HostEvent &>(earlier).time;
    return std::chrono::duration<double, std::milli>(duration).count();
  }

  void reach(FailurePtr before) {
    failure = std::move(before);
    time = std::chrono::steady_clock::now();
    isReached.store(true, std::memory_order_release);
    isReached.notify_all();
  }

private:
  const uint64_t process = forks();
  // Written before the event is reached, and never again.
  FailurePtr failure;
  std::chrono::steady_clock::time_point time;
  std::atomic<bool> isReached = false;
};

struct CopyFromHost {
  std::shared_ptr<Memory> to;
  const void *from;
  size_t bytes;
};
struct CopyToHost {
  void *to;
  std::shared_ptr<const Memory> from;
  size_t bytes;
};
struct Record {
  std::shared_ptr<HostEvent> event;
};
struct Wait {
  std::shared_ptr<const Event> event;
};
using Work = std::variant<std::monostate, QueuedLaunch, CopyFromHost, CopyToHost, Record, Wait>;

/// What the thread of a stream and those who queue share.
class WorkQueue {
public:
  void push(Work work) {
    requireOwnProcess();
    {
      std::unique_lock lock(mutex);
      waitUntil(lock, [&] { return pushed - done < capacity; });
      ring[pushed % capacity] = std::move(work);
      ++pushed;
    }
    added.notify_one();
  }

  bool isIdle() const {
    requireOwnProcess();
    std::lock_guard lock(mutex);
    return done == pushed;
  }

  FailurePtr synchronize() {
    requireOwnProcess();
    std::unique_lock lock(mutex);
    waitUntil(lock, [&, until = pushed] { return done >= until; });
    return std::exchange(failure, nullptr);
  }

  void stop() {
    {
      std::lock_guard lock(mutex);
      isStopping = true;
    }
    added.notify_one();
  }

  /// Whether its thread is in this process, and its lock held by nobody elsewhere.
  bool isHere() const { return process == forks(); }
  /// Whether this thread does the queue's work, or prints for it.
  bool isWithin() const { return current == this; }

  /// The thread's life: all work, until there is none left and none to come.
  void work() {
    pthread_setname_np(pthread_self(), "nereid-stream");
    cpu::OpenMpTeam::keepOff();
    Within scope(this);
    std::unique_lock lock(mutex);
    while (true) {
      added.wait(lock, [&] { return done != pushed || isStopping; });
      if (done == pushed)
        return;
      Work &next = ring[done % capacity]; // this thread's until `done` counts it
      FailurePtr before = failure;
      lock.unlock();
      FailurePtr after = attempt(next, before);
      next = std::monostate(); // what it kept goes before anybody is told
      lock.lock();
      if (after && !failure)
        failure = std::move(after);
      ++done;
      progressed.notify_all();
    }
  }

private:
  void requireOwnProcess() const { refuseElsewhere(process, "this stream is"); }

  static constexpr size_t capacity = 1024;

  /// Marks what this thread is doing.
  struct Within {
    explicit Within(const WorkQueue *queue) : enclosing(std::exchange(current, queue)) {}
    ~Within() { current = enclosing; }
    const WorkQueue *enclosing;
  };

  template <typename Condition>
  void waitUntil(std::unique_lock<std::mutex> &lock, Condition condition) {
    if (isWithin() && !condition())
      throw Error(Error::Kind::Usage, "what prints for a stream cannot wait for the same stream");
    progressed.wait(lock, condition);
  }

  /// What fails now, or null. `before` is what had failed already.
  FailurePtr attempt(Work &work, const FailurePtr &before) {
    try {
      return std::visit([&](auto &piece) { return run(piece, before); }, work);
    } catch (...) {
      return std::make_shared<Failure>(Failure{std::current_exception(), describe(work)});
    }
  }

  FailurePtr run(QueuedLaunch &launch, const FailurePtr &before) {
    ++launches;
    PrintSink print = [this, &launch](std::string_view lines) {
      Within scope(this);
      launch.print(lines);
    };
    if (!before)
      launch.executable->launch(launch.grid, launch.arguments, launch.print ? &print : nullptr);
    return nullptr;
  }

  FailurePtr run(CopyFromHost &copy, const FailurePtr &before) {
    if (!before)
      copy.to->copyFromHost(copy.from, copy.bytes);
    return nullptr;
  }

  FailurePtr run(CopyToHost &copy, const FailurePtr &before) {
    if (!before)
      copy.from->copyToHost(copy.to, copy.bytes);
    return nullptr;
  }

  FailurePtr run(Record &record, const FailurePtr &before) {
    record.event->reach(before);
    return nullptr;
  }

  FailurePtr run(Wait &wait, const FailurePtr &) { return wait.event->wait(); }

  FailurePtr run(std::monostate, const FailurePtr &) { return nullptr; }

  std::string describe(const Work &work) const {
    const auto *launch = std::get_if<QueuedLaunch>(&work);
    if (!launch)
      return "a copy of the stream, after " + std::to_string(launches) + " launches";
    auto [x, y, z] = launch->grid;
    return "launch " + std::to_string(launches) + " of the stream, kernel '" +
           std::string(launch->kernel) + "' over a grid of (" + std::to_string(x) + ", " +
           std::to_string(y) + ", " + std::to_string(z) + ")";
  }

  static thread_local const WorkQueue *current;

  const uint64_t process = forks();
  mutable std::mutex mutex;
  std::condition_variable added, progressed;
  std::unique_ptr<Work[]> ring = std::make_unique<Work[]>(capacity);
  /// Pieces of work since the beginning: all, and those that are done.
  uint64_t pushed = 0, done = 0;
  FailurePtr failure; // not told yet
  bool isStopping = false;
  uint64_t launches = 0; // the thread's own
};

thread_local const WorkQueue *WorkQueue::current = nullptr;

class HostStream final : public Stream {
public:
  HostStream() {
    BlockSignals block;
    try {
      thread = std::thread([queue = queue] { queue->work(); });
    } catch (const std::system_error &error) {
      throw Error(Error::Kind::Environment,
                  std::string("cannot make a thread for a stream: ") + error.code().message());
    }
  }

  /// The last handle may go where the stream's own work runs, in a print sink or with what it
  /// holds: the thread then ends by itself. In a process that was forked off there is none to end,
  /// and what it was doing is left as it is.
  ~HostStream() override {
    if (!queue->isHere()) {
      thread.detach();
      new std::shared_ptr<WorkQueue>(std::move(queue));
      return;
    }
    queue->stop();
    if (queue->isWithin())
      thread.detach();
    else
      thread.join();
  }

  void launch(QueuedLaunch launch) override { queue->push(std::move(launch)); }
  void copyFromHost(std::shared_ptr<Memory> to, const void *from, size_t bytes) override {
    queue->push(CopyFromHost{std::move(to), from, bytes});
  }
  void copyToHost(void *to, std::shared_ptr<const Memory> from, size_t bytes) override {
    queue->push(CopyToHost{to, std::move(from), bytes});
  }
  std::shared_ptr<const Event> record() override {
    auto event = std::make_shared<HostEvent>();
    queue->push(Record{event});
    return event;
  }
  void wait(std::shared_ptr<const Event> event) override { queue->push(Wait{std::move(event)}); }
  bool isIdle() const override { return queue->isIdle(); }
  FailurePtr synchronize() override { return queue->synchronize(); }

private:
  std::shared_ptr<WorkQueue> queue = std::make_shared<WorkQueue>();
  std::thread thread;
};

} // namespace

std::unique_ptr<Stream> openHostStream() {
  try {
    return std::make_unique<HostStream>();
  } catch (const std::system_error &error) {
    throw Error(Error::Kind::Environment,
                std::string("a stream gets no thread: ") + error.code().message());
  }
}

} // namespace nereid::runtime
