// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cpu/CodeSampler.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <ucontext.h>
#include <unistd.h>

namespace nereid::runtime::cpu {
namespace {

std::mutex oneAtATime;
std::atomic<uint64_t> samplersSoFar = 0;
/// What looks at this thread, and whose timer it has. The handler reads the first.
thread_local std::atomic<CodeSampler *> watching = nullptr;
thread_local uint64_t timerOf = 0;

void handle(int, siginfo_t *, void *context) {
  CodeSampler *sampler = watching.load(std::memory_order_relaxed);
  if (!sampler)
    return;
  const greg_t *registers = static_cast<const ucontext_t *>(context)->uc_mcontext.gregs;
  sampler->note(static_cast<uint64_t>(registers[REG_RIP]),
                reinterpret_cast<const uint64_t *>(registers[REG_RSP]));
}

/// Stays when it is there: a timer's last signal may come late, and would end the process.
void installHandler() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action = {};
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigemptyset(&action.sa_mask);
    if (sigaction(SIGPROF, &action, nullptr) != 0)
      throw std::system_error(errno, std::generic_category(), "sigaction for the profile's timer");
  });
}

} // namespace

CodeSampler::CodeSampler(const void *begin, size_t bytes)
    : turn(oneAtATime), begin(reinterpret_cast<uint64_t>(begin)), bytes(bytes),
      number(++samplersSoFar), own(new std::atomic<uint32_t>[bytes]()),
      called(new std::atomic<uint32_t>[bytes]()) {
  installHandler();
}

CodeSampler::~CodeSampler() {
  for (timer_t timer : timers)
    timer_delete(timer);
}

void CodeSampler::startTimer() {
  if (timerOf == number)
    return;
  sigevent event = {};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGPROF;
  event._sigev_un._tid = gettid();
  timer_t timer;
  itimerspec every = {{0, intervalNanoseconds}, {0, intervalNanoseconds}};
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0)
    throw std::system_error(errno, std::generic_category(), "timer_create for a profile");
  if (timer_settime(timer, 0, &every, nullptr) != 0) {
    int error = errno;
    timer_delete(timer);
    throw std::system_error(error, std::generic_category(), "timer_settime for a profile");
  }
  std::lock_guard lock(timersMutex);
  timers.push_back(timer);
  timerOf = number;
}

CodeSampler::Watch::Watch(CodeSampler *sampler) : before(watching.load(std::memory_order_relaxed)) {
  if (sampler)
    sampler->startTimer();
  watching.store(sampler, std::memory_order_relaxed);
}

CodeSampler::Watch::~Watch() { watching.store(before, std::memory_order_relaxed); }

/// Functions of other libraries keep no frame pointers: whom they return to is the first word on
/// the stack that points into the code. An older word may lie there, which is rare and no worse than
/// the line of a call before.
void CodeSampler::note(uint64_t at, const uint64_t *stack) {
  if (isCode(at)) {
    own[at - begin].fetch_add(1, std::memory_order_relaxed);
    return;
  }
  constexpr int mostWords = 256;
  for (int word = 0; word < mostWords; ++word)
    if (isCode(stack[word])) {
      called[stack[word] - begin].fetch_add(1, std::memory_order_relaxed);
      return;
    }
  unknown.fetch_add(1, std::memory_order_relaxed);
}

LineSamples CodeSampler::read(std::span<const CodePlace> places,
                              std::span<const CodeLine> lines) const {
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
    if (uint32_t count = own[offset])
      placeAt(offset).own += count;
    if (uint32_t count = called[offset])
      placeAt(offset ? offset - 1 : 0).called += count; // the call, and not what follows it
  }
  return samples;
}

} // namespace nereid::runtime::cpu
