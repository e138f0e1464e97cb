// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cpu/ThreadPool.h"

#include "runtime/BlockSignals.h"
#include "runtime/Forks.h"
#include "runtime/cpu/OpenMpTeam.h"
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
/// About 3 microseconds, in which threads that wait for work at a barrier have left it.
constexpr int arrivalRounds = 100;
constexpr size_t cacheLine = 64;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

template <typename Condition> bool spinUntil(Condition condition, int most = spinRounds) {
  for (int round = 0; round < most; ++round) {
    if (condition())
      return true;
    pause();
  }
  return false;
}

/// Nothing wakes a thread that has to look up meanwhile: it does not sleep at first, then shortly.
template <typename Condition>
void lookUpUntil(Condition condition, const std::function<void()> &lookUp) {
  for (int round = 0; !condition(); ++round) {
    lookUp();
    if (round < spinRounds)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
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

/// Where one worker is asked into launches, on a line of its own: workers do not wait for one
/// another to enter or to leave, and of those that are still waking up the launching thread takes
/// back what it has asked.
class alignas(cacheLine) Seat {
public:
  // The launching thread's. Behind all calls of `offer` comes a fence, then `wake`.
  void offer() { state.store(offered, std::memory_order_release); }
  void wake() {
    if (isAsleep.load(std::memory_order_relaxed))
      state.notify_one();
  }
  /// Whether the worker is not in the launch; if it has not come, it does not any more.
  bool isLeft() {
    int seen = state.load(std::memory_order_acquire);
    if (seen == offered && state.compare_exchange_strong(seen, empty, std::memory_order_acquire))
      return true;
    return seen == empty;
  }
  void waitUntilLeft() { state.wait(taken, std::memory_order_acquire); }
  void stop() {
    state.store(closed, std::memory_order_seq_cst);
    state.notify_one();
  }

  // The worker's.
  bool isStopped() const { return state.load(std::memory_order_acquire) == closed; }
  bool tryEnter() {
    int seen = offered;
    return state.load(std::memory_order_relaxed) == offered &&
           state.compare_exchange_strong(seen, taken, std::memory_order_acquire);
  }
  void leave() {
    state.exchange(empty, std::memory_order_acq_rel); // before it is seen whether anybody waits
    state.notify_one();
  }
  void waitForOffer() {
    if (spinUntil([&] { return state.load(std::memory_order_relaxed) != empty; }))
      return;
    isAsleep.store(true, std::memory_order_seq_cst);
    std::atomic_thread_fence(std::memory_order_seq_cst); // who offers now sees that, or is seen
    state.wait(empty, std::memory_order_acquire);
    isAsleep.store(false, std::memory_order_relaxed);
  }

private:
  static constexpr int empty = 0, offered = 1, taken = 2, closed = 3;
  std::atomic<int> state = empty;
  /// Read in each launch, and seldom written.
  alignas(cacheLine) std::atomic<bool> isAsleep = false;
};

/// A run of programs that one thread begins with, in order, chunk by chunk. Who has done its own
/// goes on with what is left of others'. So each thread has the same programs, and their memory in
/// its caches, from launch to launch, and neighbours, which often share factors or rows, run on one
/// core.
class alignas(cacheLine) Share {
public:
  void assign(uint64_t newBegin, uint64_t newEnd) {
    next.store(newBegin, std::memory_order_relaxed);
    begin = newBegin;
    end = newEnd;
    done.store(0, std::memory_order_relaxed);
  }
  /// Whether somebody has taken of it, or nobody has to.
  bool isBegun() const { return begin == end || next.load(std::memory_order_relaxed) > begin; }
  /// Programs that its thread is through with, of whatever shares.
  void addDone(uint64_t programs) {
    done.store(done.load(std::memory_order_relaxed) + programs, std::memory_order_release);
  }
  uint64_t countDone() const { return done.load(std::memory_order_acquire); }
  struct Chunk {
    uint64_t begin, end;
    bool isLast;
  };
  /// An empty chunk if nothing is left.
  Chunk take(uint64_t most) {
    if (next.load(std::memory_order_relaxed) >= end)
      return {end, end, false};
    uint64_t first = std::min(next.fetch_add(most, std::memory_order_relaxed), end);
    uint64_t after = std::min(first + most, end);
    return {first, after, first < end && after == end};
  }

private:
  std::atomic<uint64_t> next = 0;
  uint64_t begin = 0, end = 0;
  std::atomic<uint64_t> done = 0;
};

} // namespace

struct ThreadPool::State {
  explicit State(unsigned threads)
      : cores(usableCores()), isChosen(threads > 0),
        threads(threads ? threads : defaultThreads(cores)), shares(this->threads),
        seats(this->threads) {}
  ~State();

  const OpenMpTeam *findTeam() const;
  void runBorrowing(const OpenMpTeam &team, void *scratch,
                    const std::function<void()> &whileWaiting);
  void runOnWorkers(void *scratch, const std::function<void()> &whileWaiting);
  void startWorkers();
  void keepWorkersOffThisCore();
  void askWorkers();
  void waitForWorkers(const std::function<void()> &whileWaiting);
  void workerLoop(size_t self);
  void helpWithChunks(size_t self);
  void takeChunks(size_t self, void *scratch);
  bool areBegun() const;
  bool areDone() const;
  void begin(uint64_t count, uint64_t scratchBytes, const Work &work, size_t sharers,
             bool hasBriefShares);

  const uint64_t process = forks();
  const cpu_set_t cores;
  /// By who made the pool; else it has one thread per core.
  const bool isChosen;
  const unsigned threads;
  std::vector<std::thread> workers;
  int avoidedCore = -1;
  std::mutex turn;

  /// The launching thread's is the first.
  std::vector<Share> shares;
  /// A worker's has the number of its share; the launching thread needs none.
  std::vector<Seat> seats;

  // The launch in progress, on a line of its own, which comes to each thread once. Written only
  // while no worker is in one.
  alignas(cacheLine) const Work *work = nullptr;
  uint64_t count = 0, chunk = 1, scratchBytes = 0;
  /// How many workers are asked for, the first ones; and how many shares there are.
  size_t asked = 0, sharers = 0;
  /// How many of them have something left.
  std::atomic<unsigned> openShares = 0;
  /// Whether all of them come at once, so that nobody has to take over what another begins with:
  /// what its caches hold would follow.
  bool areAwake = false;
};

ThreadPool::State::~State() {
  for (Seat &seat : seats)
    seat.stop();
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

void ThreadPool::State::askWorkers() {
  for (size_t i = 1; i <= asked; ++i)
    seats[i].offer();
  std::atomic_thread_fence(
      std::memory_order_seq_cst); // who goes to sleep now is seen, or sees that
  for (size_t i = 1; i <= asked; ++i)
    seats[i].wake();
}

void ThreadPool::State::waitForWorkers(const std::function<void()> &whileWaiting) {
  size_t first = 1;
  auto areLeft = [&] {
    while (first <= asked && seats[first].isLeft())
      ++first;
    return first > asked;
  };
  if (spinUntil(areLeft))
    return;
  if (whileWaiting)
    lookUpUntil(areLeft, whileWaiting);
  while (!areLeft())
    seats[first].waitUntilLeft();
}

void ThreadPool::State::workerLoop(size_t self) {
  pthread_setname_np(pthread_self(), "nereid-worker");
  for (Seat &seat = seats[self]; !seat.isStopped(); seat.waitForOffer())
    if (seat.tryEnter()) {
      helpWithChunks(self);
      seat.leave();
    }
}

/// Where nobody has more than one chunk, workers leave those of others to the launching thread, and
/// nothing is counted: each look at what is left would hold up who comes to it.
void ThreadPool::State::takeChunks(size_t self, void *scratch) {
  const bool isSmall = count <= chunk * sharers;
  for (size_t i = 0; i < (isSmall && self > 0 ? 1 : sharers); ++i) {
    if (i == 1 && areAwake)
      spinUntil([&] { return areBegun(); }, arrivalRounds);
    Share &share = shares[(self + i) % sharers];
    while (openShares.load(std::memory_order_relaxed) > 0) {
      Share::Chunk taken = share.take(chunk);
      if (taken.begin == taken.end)
        break;
      if (taken.isLast && !isSmall)
        openShares.fetch_sub(1, std::memory_order_relaxed);
      (*work)(taken.begin, taken.end, scratch);
      shares[self].addDone(taken.end - taken.begin);
    }
  }
}

bool ThreadPool::State::areBegun() const {
  return std::all_of(shares.begin(), shares.begin() + sharers,
                     [](const Share &share) { return share.isBegun(); });
}

bool ThreadPool::State::areDone() const {
  uint64_t done = 0;
  for (size_t i = 0; i < sharers; ++i)
    done += shares[i].countDone();
  return done == count;
}

void ThreadPool::State::begin(uint64_t newCount, uint64_t newScratchBytes, const Work &newWork,
                              size_t newSharers, bool hasBriefShares) {
  work = &newWork;
  count = newCount;
  scratchBytes = newScratchBytes;
  sharers = newSharers;
  areAwake = false;
  chunk = hasBriefShares ? (count + sharers - 1) / sharers
                         : std::max<uint64_t>(1, count / (sharers * chunksPerThread));
  unsigned open = 0;
  uint64_t begin = 0;
  for (size_t i = 0; i < sharers; ++i) {
    uint64_t left = sharers - i, end = begin + (count - begin + left - 1) / left;
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

void ThreadPool::State::runOnWorkers(void *scratch, const std::function<void()> &whileWaiting) {
  if (workers.empty())
    startWorkers();
  keepWorkersOffThisCore();
  asked = std::min<uint64_t>(workers.size(), std::min<uint64_t>(sharers, count) - 1);
  askWorkers();
  takeChunks(0, scratch);
  waitForWorkers(whileWaiting);
}

/// None for more threads than the host has in its own regions: libgomp would end them there, and
/// start them anew here.
const OpenMpTeam *ThreadPool::State::findTeam() const {
  const OpenMpTeam *team = OpenMpTeam::find();
  if (!team || team->isWithinRegion())
    return team;
  bool isTooSmall = isChosen && threads > team->threads();
  return !isTooSmall && team->tryToBorrow() ? team : nullptr;
}

/// The team is as large as PyTorch's own even where fewer take part: libgomp ends threads that a
/// region has no use for, and starts them anew for the next.
void ThreadPool::State::runBorrowing(const OpenMpTeam &team, void *scratch,
                                     const std::function<void()> &whileWaiting) {
  areAwake = true;
  team.run(std::max<unsigned>(sharers, team.threads()), [&](unsigned self) {
    if (self >= sharers)
      return;
    if (self > 0)
      return helpWithChunks(self);
    takeChunks(0, scratch);
    auto isOver = [&] { return areDone(); };
    if (whileWaiting && !spinUntil(isOver)) // behind this the thread sleeps until all have come
      lookUpUntil(isOver, whileWaiting);
  });
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
                     const std::function<void()> &whileWaiting, bool hasBriefShares) {
  if (count == 0)
    return;
  State &own = stateOfThisProcess();
  const OpenMpTeam *team = count > 1 && own.threads > 1 ? own.findTeam() : nullptr;
  unsigned sharers = !team                    ? own.threads
                     : team->isWithinRegion() ? 1
                                              : std::min(own.threads, team->threads());
  void *scratch = threadScratch(scratchBytes);
  if (count == 1 || sharers == 1)
    return work(0, count, scratch);
  std::lock_guard lock(own.turn);
  own.begin(count, scratchBytes, work, sharers, hasBriefShares);
  if (team)
    own.runBorrowing(*team, scratch, whileWaiting);
  else
    own.runOnWorkers(scratch, whileWaiting);
}

} // namespace nereid::runtime::cpu
