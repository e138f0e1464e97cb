// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cpu/ThreadPool.h"

#include "runtime/BlockSignals.h"
#include "runtime/Forks.h"
#include "runtime/cpu/Scratch.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <new>
#include <pthread.h>
#include <sched.h>
#include <system_error>
#include <thread>
#include <vector>

namespace nereid::runtime::cpu {
namespace {

/// Chunks per thread: enough that uneven programs even out (the last chunk makes the others wait
/// for at most a sixteenth of a thread's share, 6 percent), few enough that the counters stay
/// quiet.
constexpr uint64_t chunksPerThread = 16;
/// About 20 microseconds, the time in which back-to-back launches follow each other.
constexpr int spinRounds = 1000;
constexpr size_t cacheLine = 64;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

template <typename Condition> bool spinUntil(Condition condition) {
  for (int round = 0; round < spinRounds; ++round) {
    if (condition())
      return true;
    pause();
  }
  return false;
}

/// The cores that the calling thread may run on; empty if the system does not say.
cpu_set_t usableCores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (sched_getaffinity(0, sizeof(cores), &cores) != 0)
    CPU_ZERO(&cores);
  return cores;
}

unsigned defaultThreads(const cpu_set_t &usable) {
  int cores = CPU_COUNT(&usable);
  return cores > 0 ? static_cast<unsigned>(cores)
                   : std::max(1u, std::thread::hardware_concurrency());
}

/// Who is in a launch. A worker enters only while the gate is open; the launching thread closes it
/// and waits for those inside, never for workers that are still waking up.
class Gate {
public:
  void open() { value.store(openBit, std::memory_order_release); }

  bool tryEnter() {
    int seen = value.load(std::memory_order_acquire);
    while (seen & openBit)
      if (value.compare_exchange_weak(seen, seen + 1, std::memory_order_acquire))
        return true;
    return false;
  }

  void leave() {
    if (value.fetch_sub(1, std::memory_order_acq_rel) == 1)
      value.notify_one();
  }

  void closeAndWait(const std::function<void()> &whileWaiting) {
    value.fetch_and(~openBit, std::memory_order_acq_rel);
    auto isEmpty = [&] { return value.load(std::memory_order_acquire) == 0; };
    if (spinUntil(isEmpty))
      return;
    // Nothing wakes a thread that has to look up meanwhile: it does not sleep at first, then
    // shortly.
    for (int round = 0; whileWaiting && !isEmpty(); ++round) {
      whileWaiting();
      if (round < spinRounds)
        std::this_thread::yield();
      else
        std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    while (int inside = value.load(std::memory_order_acquire))
      value.wait(inside, std::memory_order_acquire);
  }

private:
  static constexpr int openBit = 1 << 30;
  std::atomic<int> value = 0;
};

/// A run of programs that one thread begins with, in order, chunk by chunk. Who has done its own
/// goes on with what is left of others'. So each thread has the same programs, and their memory in
/// its caches, from launch to launch, and neighbours, which often share factors or rows, run on one
/// core.
class alignas(cacheLine) Share {
public:
  void assign(uint64_t begin, uint64_t newEnd) {
    next.store(begin, std::memory_order_relaxed);
    end = newEnd;
  }
  struct Chunk {
    uint64_t begin, end;
    bool isLast;
  };
  /// An empty chunk if nothing is left.
  Chunk take(uint64_t most) {
    if (next.load(std::memory_order_relaxed) >= end)
      return {end, end, false};
    uint64_t begin = std::min(next.fetch_add(most, std::memory_order_relaxed), end);
    uint64_t after = std::min(begin + most, end);
    return {begin, after, begin < end && after == end};
  }

private:
  std::atomic<uint64_t> next = 0;
  uint64_t end = 0;
};

} // namespace

struct ThreadPool::State {
  explicit State(unsigned threads)
      : cores(usableCores()), threads(threads ? threads : defaultThreads(cores)),
        shares(this->threads) {}
  ~State();

  void runInParallel(uint64_t count, uint64_t scratchBytes, const Work &work,
                     const std::function<void()> &whileWaiting);
  void startWorkers();
  void keepWorkersOffThisCore();
  void wakeWorkers(uint64_t wanted);
  void workerLoop(size_t self);
  void helpWithChunks(size_t self);
  void takeChunks(size_t self, void *scratch);
  void shareOut();

  const uint64_t process = forks();
  const cpu_set_t cores;
  const unsigned threads;
  std::vector<std::thread> workers;
  int avoidedCore = -1;
  std::mutex turn;

  // The launch in progress. Written only while the gate is closed and empty.
  const Work *work = nullptr;
  uint64_t count = 0, chunk = 1, scratchBytes = 0;

  /// The launching thread's is the first.
  std::vector<Share> shares;
  /// How many of them have something left.
  alignas(cacheLine) std::atomic<unsigned> openShares = 0;
  alignas(cacheLine) Gate gate;
  /// Counts launches; workers wait for it to change.
  alignas(cacheLine) std::atomic<int> generation = 0;
  std::atomic<bool> isStopping = false;
};

ThreadPool::State::~State() {
  isStopping.store(true, std::memory_order_release);
  generation.fetch_add(1, std::memory_order_release);
  generation.notify_all();
  for (std::thread &worker : workers)
    worker.join();
}

void ThreadPool::State::startWorkers() {
  BlockSignals block;
  try {
    while (workers.size() + 1 < threads)
      workers.emplace_back([this, self = workers.size() + 1] { workerLoop(self); });
  } catch (const std::system_error &) {
    // A limit on threads makes launches slower, not impossible: the launching thread works too.
  }
}

/// Left alone, the scheduler often wakes a worker on the core of the thread that wakes it, where it
/// waits for milliseconds until that one's slice ends while another core is idle.
void ThreadPool::State::keepWorkersOffThisCore() {
  int here = sched_getcpu();
  bool hasRoom = threads <= static_cast<unsigned>(CPU_COUNT(&cores));
  if (here < 0 || here == avoidedCore || !hasRoom || !CPU_ISSET(here, &cores))
    return;
  cpu_set_t elsewhere = cores;
  CPU_CLR(here, &elsewhere);
  for (std::thread &worker : workers)
    pthread_setaffinity_np(worker.native_handle(), sizeof(elsewhere), &elsewhere);
  avoidedCore = here;
}

void ThreadPool::State::wakeWorkers(uint64_t wanted) {
  generation.fetch_add(1, std::memory_order_release);
  if (wanted >= workers.size())
    return generation.notify_all();
  for (uint64_t i = 0; i < wanted; ++i)
    generation.notify_one();
}

void ThreadPool::State::workerLoop(size_t self) {
  pthread_setname_np(pthread_self(), "nereid-worker");
  while (true) {
    // Read before everything else, so that no launch or stop after it goes unnoticed.
    int seen = generation.load(std::memory_order_acquire);
    if (isStopping.load(std::memory_order_acquire))
      return;
    if (gate.tryEnter()) {
      helpWithChunks(self);
      gate.leave();
    }
    auto hasChanged = [&] { return generation.load(std::memory_order_acquire) != seen; };
    if (!spinUntil(hasChanged))
      generation.wait(seen, std::memory_order_acquire);
  }
}

void ThreadPool::State::takeChunks(size_t self, void *scratch) {
  for (size_t i = 0; i < shares.size(); ++i) {
    Share &share = shares[(self + i) % shares.size()];
    while (openShares.load(std::memory_order_relaxed) > 0) {
      Share::Chunk taken = share.take(chunk);
      if (taken.begin == taken.end)
        break;
      if (taken.isLast)
        openShares.fetch_sub(1, std::memory_order_relaxed);
      (*work)(taken.begin, taken.end, scratch);
    }
  }
}

void ThreadPool::State::shareOut() {
  unsigned open = 0;
  uint64_t begin = 0;
  for (size_t i = 0; i < shares.size(); ++i) {
    uint64_t left = shares.size() - i, end = begin + (count - begin + left - 1) / left;
    shares[i].assign(begin, end);
    open += begin < end;
    begin = end;
  }
  openShares.store(open, std::memory_order_relaxed);
}

/// A worker without memory for its scratch leaves the work to the others.
void ThreadPool::State::helpWithChunks(size_t self) {
  if (openShares.load(std::memory_order_relaxed) == 0)
    return;
  void *scratch = nullptr;
  try {
    scratch = threadScratch(scratchBytes);
  } catch (const std::bad_alloc &) {
    return;
  }
  takeChunks(self, scratch);
}

void ThreadPool::State::runInParallel(uint64_t newCount, uint64_t newScratchBytes,
                                      const Work &newWork,
                                      const std::function<void()> &whileWaiting) {
  void *scratch = threadScratch(newScratchBytes);
  std::lock_guard lock(turn);
  if (workers.empty())
    startWorkers();
  work = &newWork;
  count = newCount;
  scratchBytes = newScratchBytes;
  chunk = std::max<uint64_t>(1, count / (threads * chunksPerThread));
  shareOut();
  keepWorkersOffThisCore();
  gate.open();
  wakeWorkers((count + chunk - 1) / chunk - 1);
  takeChunks(0, scratch);
  gate.closeAndWait(whileWaiting);
}

ThreadPool::ThreadPool(unsigned threads) : state(new State(threads)) {}

ThreadPool::~ThreadPool() {
  State *last = state.load();
  if (last->process == forks()) // another process's threads cannot be joined
    delete last;
}

unsigned ThreadPool::threads() const { return state.load(std::memory_order_acquire)->threads; }

/// What the parent had is left as it is: its workers are not here, and a lock may be held for ever.
ThreadPool::State &ThreadPool::stateOfThisProcess() {
  State *seen = state.load(std::memory_order_acquire);
  if (seen->process == forks())
    return *seen;
  auto own = std::make_unique<State>(seen->threads);
  if (state.compare_exchange_strong(seen, own.get(), std::memory_order_acq_rel))
    return *own.release();
  return *seen;
}

void ThreadPool::run(uint64_t count, uint64_t scratchBytes, const Work &work,
                     const std::function<void()> &whileWaiting) {
  if (count == 0)
    return;
  State &own = stateOfThisProcess();
  if (count == 1 || own.threads == 1)
    return work(0, count, threadScratch(scratchBytes));
  own.runInParallel(count, scratchBytes, work, whileWaiting);
}

} // namespace nereid::runtime::cpu
