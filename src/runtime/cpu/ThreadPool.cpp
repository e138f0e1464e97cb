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
/// for at most a sixteenth of a thread's share, 6 percent), few enough that the counter stays
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

} // namespace

struct ThreadPool::State {
  explicit State(unsigned threads)
      : cores(usableCores()), threads(threads ? threads : defaultThreads(cores)) {}
  ~State();

  void runInParallel(uint64_t count, uint64_t scratchBytes, const Work &work,
                     const std::function<void()> &whileWaiting);
  void startWorkers();
  void keepWorkersOffThisCore();
  void wakeWorkers(uint64_t wanted);
  void workerLoop();
  void helpWithChunks();
  void takeChunks(void *scratch);

  const uint64_t process = forks();
  const cpu_set_t cores;
  const unsigned threads;
  std::vector<std::thread> workers;
  int avoidedCore = -1;
  std::mutex turn;

  // The launch in progress. Written only while the gate is closed and empty.
  const Work *work = nullptr;
  uint64_t count = 0, chunk = 1, scratchBytes = 0;

  alignas(cacheLine) std::atomic<uint64_t> next = 0;
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
      workers.emplace_back([this] { workerLoop(); });
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

void ThreadPool::State::workerLoop() {
  pthread_setname_np(pthread_self(), "nereid-worker");
  while (true) {
    // Read before everything else, so that no launch or stop after it goes unnoticed.
    int seen = generation.load(std::memory_order_acquire);
    if (isStopping.load(std::memory_order_acquire))
      return;
    if (gate.tryEnter()) {
      helpWithChunks();
      gate.leave();
    }
    auto hasChanged = [&] { return generation.load(std::memory_order_acquire) != seen; };
    if (!spinUntil(hasChanged))
      generation.wait(seen, std::memory_order_acquire);
  }
}

void ThreadPool::State::takeChunks(void *scratch) {
  while (true) {
    uint64_t begin = next.fetch_add(chunk, std::memory_order_relaxed);
    if (begin >= count)
      return;
    (*work)(begin, std::min(begin + chunk, count), scratch);
  }
}

/// A worker without memory for its scratch leaves the work to the others.
void ThreadPool::State::helpWithChunks() {
  if (next.load(std::memory_order_relaxed) >= count)
    return;
  void *scratch = nullptr;
  try {
    scratch = threadScratch(scratchBytes);
  } catch (const std::bad_alloc &) {
    return;
  }
  takeChunks(scratch);
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
  next.store(0, std::memory_order_relaxed);
  keepWorkersOffThisCore();
  gate.open();
  wakeWorkers((count + chunk - 1) / chunk - 1);
  takeChunks(scratch);
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
