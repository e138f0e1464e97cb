// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cpu/CodeSampler.h"

#include "nereid/error.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <new>
#include <system_error>
#include <ucontext.h>
#include <unistd.h>

namespace nereid::runtime::cpu {
namespace {

std::mutex oneAtATime;
std::atomic<uint64_t> samplersSoFar = 0;
std::mutex timersMutex;
CodeSampler *aliveSampler = nullptr; ///< under timersMutex

/// What looks at this thread, and up to where its stack may be read. The handler reads them.
constinit thread_local std::atomic<CodeSampler *> watching = nullptr;
constinit thread_local std::atomic<const uint64_t *> endOfStack = nullptr;

/// Its address is what our timers' signals carry.
char tokenOfTimers;
/// The action that was there before.
struct sigaction actionBefore;

void handOn(int signal, siginfo_t *info, void *context) {
  if (actionBefore.sa_flags & SA_SIGINFO)
    actionBefore.sa_sigaction(signal, info, context);
  else if (actionBefore.sa_handler != SIG_DFL && actionBefore.sa_handler != SIG_IGN)
    actionBefore.sa_handler(signal); // the default would end the process
}

/// Others' signals reach threads that have no variables of ours yet, and a handler must not make
/// them: those are touched only where a timer of ours is.
void handleProfSignal(int signal, siginfo_t *info, void *context) {
  if (info->si_code != SI_TIMER || info->si_value.sival_ptr != &tokenOfTimers)
    return handOn(signal, info, context);
  CodeSampler *sampler = watching.load(std::memory_order_relaxed);
  if (!sampler)
    return;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  const greg_t *registers = static_cast<const ucontext_t *>(context)->uc_mcontext.gregs;
  sampler->note(static_cast<uint64_t>(registers[REG_RIP]),
                reinterpret_cast<const uint64_t *>(registers[REG_RSP]),
                endOfStack.load(std::memory_order_relaxed));
}

void takeSignal() {
  struct sigaction action = {};
  sigaction(SIGPROF, nullptr, &actionBefore); // there when the first signal comes
  action.sa_sigaction = handleProfSignal;
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  action.sa_mask = actionBefore.sa_mask;
  if (sigaction(SIGPROF, &action, nullptr) != 0)
    throw Error(Error::Kind::Environment,
                "cannot profile: sigaction of SIGPROF: " + std::generic_category().message(errno));
}

/// Who has set an action meanwhile keeps it. A timer's last signal may wait for a thread, and would
/// end the process where the default is to come back: to ignore it drops what waits.
void giveSignalBack() {
  struct sigaction ignore = {}, now = {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPROF, &ignore, &now);
  bool isOurs = (now.sa_flags & SA_SIGINFO) && now.sa_sigaction == handleProfSignal;
  sigaction(SIGPROF, isOurs ? &actionBefore : &now, nullptr);
}

sigset_t profSignal() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGPROF);
  return set;
}

void lookAt(CodeSampler *sampler, const uint64_t *stackEnd) {
  endOfStack.store(stackEnd, std::memory_order_relaxed);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  watching.store(sampler, std::memory_order_relaxed);
}

} // namespace

struct CodeSampler::OwnTimer {
  uint64_t sampler = 0;
  timer_t id = nullptr;

  /// Threads of one launch alone (of grids that wait for one another) would leave a timer each.
  ~OwnTimer() {
    std::lock_guard lock(timersMutex);
    if (!aliveSampler || aliveSampler->number != sampler)
      return;
    timer_delete(id);
    std::erase_if(aliveSampler->timers, [&](const Timer &timer) { return timer.id == id; });
  }
};
thread_local CodeSampler::OwnTimer CodeSampler::own;

CodeSampler::CodeSampler(const void *begin, size_t bytes)
    : turn(oneAtATime), begin(reinterpret_cast<uint64_t>(begin)), bytes(bytes),
      number(++samplersSoFar), inside(new std::atomic<uint32_t>[bytes]()),
      called(new std::atomic<uint32_t>[bytes]()) {
  takeSignal();
  std::lock_guard lock(timersMutex);
  aliveSampler = this;
}

CodeSampler::~CodeSampler() {
  {
    std::lock_guard lock(timersMutex);
    aliveSampler = nullptr;
    for (const Timer &timer : timers)
      timer_delete(timer.id);
  }
  giveSignalBack();
}

void CodeSampler::fail(int error) noexcept {
  int none = 0;
  failure.compare_exchange_strong(none, error);
}

void CodeSampler::requireTimers() const {
  if (int error = failure)
    throw Error(Error::Kind::Environment,
                "cannot profile on device 'cpu': the system has no timer for a thread "
                "(timer_create: " +
                    std::generic_category().message(error) +
                    "); each takes one of the signals that may wait, 'ulimit -i' says how many");
}

/// Whether this thread has one. It strikes first somewhere in the interval, evenly: a thread, or a
/// launch, that is shorter would never be seen at its end.
bool CodeSampler::giveTimer() noexcept {
  if (own.sampler == number)
    return true;
  if (failure.load(std::memory_order_relaxed))
    return false;
  try {
    std::lock_guard lock(timersMutex);
    timers.reserve(timers.size() + 1);
    sigevent event = {};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGPROF;
    event.sigev_value.sival_ptr = &tokenOfTimers;
    event._sigev_un._tid = gettid();
    Timer timer = {};
    if (timer_create(CLOCK_MONOTONIC, &event, &timer.id) != 0) {
      fail(errno);
      return false;
    }
    constexpr uint64_t million = 1'000'000, goldenMillionths = 618'034;
    uint64_t share = ++timersSoFar * goldenMillionths % million;
    timer.left.tv_nsec = static_cast<long>(1 + share * intervalNanoseconds / million);
    itimerspec every = {{0, intervalNanoseconds}, timer.left};
    if (areRunning)
      timer_settime(timer.id, 0, &every, nullptr);
    timers.push_back(timer);
    own.sampler = number; // each by itself: a whole one would end, and its timer with it
    own.id = timer.id;
    return true;
  } catch (const std::bad_alloc &) {
    fail(ENOMEM);
  } catch (const std::system_error &error) {
    fail(error.code().value());
  }
  return false;
}

/// They go on where they were stopped: begun anew they would never strike in short launches.
void CodeSampler::setTimers(bool run) {
  std::lock_guard lock(timersMutex);
  areRunning = run;
  for (Timer &timer : timers) {
    itimerspec next = {}, before = {};
    if (run)
      next = {{0, intervalNanoseconds}, timer.left};
    timer_settime(timer.id, 0, &next, &before);
    if (run)
      continue;
    timer.left = before.it_value;
    timer.left.tv_nsec = std::max(timer.left.tv_nsec, 1L); // 0 would stop it
  }
}

/// The pool's threads start with signals blocked, and keep them so for others'. What has struck
/// while it was blocked comes before anybody watches.
void CodeSampler::Watch::begin(const uint64_t *stackEnd) noexcept {
  if (!sampler->giveTimer()) {
    sampler = nullptr;
    return;
  }
  sigset_t prof = profSignal(), previous;
  pthread_sigmask(SIG_UNBLOCK, &prof, &previous);
  wasBlocked = sigismember(&previous, SIGPROF);
  lookAt(sampler, stackEnd);
}

void CodeSampler::Watch::end() noexcept {
  watching.store(nullptr, std::memory_order_relaxed);
  if (!wasBlocked)
    return;
  sigset_t prof = profSignal();
  pthread_sigmask(SIG_BLOCK, &prof, nullptr);
}

CodeSampler::LookAway::LookAway()
    : sampler(watching.load(std::memory_order_relaxed)),
      stackEnd(endOfStack.load(std::memory_order_relaxed)) {
  watching.store(nullptr, std::memory_order_relaxed);
}

CodeSampler::LookAway::~LookAway() { lookAt(sampler, stackEnd); }

/// Functions of other libraries keep no frame pointers: whom they return to is the first word on
/// the stack that points into the code. An older word may lie there, which is rare and no worse
/// than the line of a call before.
__attribute__((no_sanitize("address"))) // it reads between variables
void CodeSampler::note(uint64_t at, const uint64_t *stack, const uint64_t *stackEnd) {
  if (isCode(at)) {
    inside[at - begin].fetch_add(1, std::memory_order_relaxed);
    return;
  }
  constexpr int mostWords = 256;
  for (int word = 0; word < mostWords && stack + word < stackEnd; ++word)
    if (isCode(stack[word])) {
      called[stack[word] - begin].fetch_add(1, std::memory_order_relaxed);
      return;
    }
  unknown.fetch_add(1, std::memory_order_relaxed);
}

LineSamples CodeSampler::read(std::span<const CodePlace> places,
                              std::span<const CodeLine> lines) const {
  requireTimers();
  LineSamples samples;
  samples.places.assign(places.begin(), places.end());
  samples.counts.resize(places.size() + 1);
  samples.unknown = unknown;
  samples.interval = intervalNanoseconds * 1e-9;
  auto placeAt = [&](uint64_t offset) -> LineSamples::Count & {
    auto isBefore = [](uint64_t at, const CodeLine &line) { return at < line.offset; };
    auto after = std::upper_bound(lines.begin(), lines.end(), offset, isBefore);
    unsigned place = after == lines.begin() ? 0 : std::prev(after)->place;
    return samples.counts[place < samples.counts.size() ? place : 0];
  };
  for (size_t offset = 0; offset < bytes; ++offset) {
    if (uint32_t count = inside[offset])
      placeAt(offset).own += count;
    if (uint32_t count = called[offset])
      placeAt(offset ? offset - 1 : 0).called += count; // the call, and not what follows it
  }
  return samples;
}

} // namespace nereid::runtime::cpu
