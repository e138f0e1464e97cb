// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cpu/PartialSums.h"

#include "runtime/cpu/Scratch.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace nereid::runtime::cpu {
namespace {

// What sharing costs, by reckoning: to bring threads to a launch that would have been the launching
// thread's alone, or more of them to one that is not, and to fetch sums from another core.
constexpr double firstEntryNanoseconds = 10'000, entryNanoseconds = 3'000,
                 nanosecondsPerByte = 0.25;

uint64_t aligned(uint64_t bytes) {
  return (bytes + scratchAlignment - 1) / scratchAlignment * scratchAlignment;
}

uint64_t bytesOf(const SharedLoop::Sum &sum) { return sum.elements * byteSize(sum.dtype); }

uint64_t bytesOf(const SharedLoop &loop) {
  uint64_t bytes = 0;
  for (const SharedLoop::Sum &sum : loop.sums)
    bytes += aligned(bytesOf(sum));
  return bytes;
}

template <typename T> void addTo(void *own, const char *other, uint64_t count) {
  auto *to = static_cast<T *>(own);
  auto *from = reinterpret_cast<const T *>(other);
  for (uint64_t i = 0; i < count; ++i)
    to[i] += from[i];
}

/// What a launch of this thread had before: fresh memory would be mapped page by page each time.
thread_local PartialSums::Memory spare;
constexpr uint64_t mostSpareBytes = 16 << 20;

} // namespace

uint64_t chooseParts(const SharedLoop &loop, uint64_t programs, uint64_t rounds, unsigned threads) {
  auto over = [](uint64_t a, uint64_t b) { return (a + b - 1) / b; };
  double round = static_cast<double>(loop.roundNanoseconds);
  double entry = programs == 1 ? firstEntryNanoseconds : entryNanoseconds;
  double meeting = static_cast<double>(bytesOf(loop)) * nanosecondsPerByte;
  // More than a few parts for each thread gain little, and their sums take memory.
  uint64_t best = 1,
           most = programs < threads ? std::min(rounds, over(4 * uint64_t(threads), programs)) : 1;
  double least = static_cast<double>(rounds) * round;
  for (uint64_t parts = 2; parts <= most; ++parts) {
    // Parts of a program meet as in a tournament; a thread may have several, each of which leaves
    // its sums or adds others.
    uint64_t perThread = over(programs * parts, threads);
    double time =
        static_cast<double>(perThread * over(rounds, parts)) * round + entry +
        static_cast<double>(std::max<uint64_t>(std::bit_width(parts - 1), perThread)) * meeting;
    if (time < least) {
      least = time;
      best = parts;
    }
  }
  return best;
}

/// Of a part: whether its neighbour to the left has come, or it has, and sums.
struct PartialSums::Place {
  alignas(scratchAlignment) std::atomic<bool> isAwaited;
  char *sums() { return reinterpret_cast<char *>(this + 1); }
};

void PartialSums::Free::operator()(void *memory) const { std::free(memory); }

PartialSums::PartialSums(const SharedLoop &loop, uint64_t programs, uint64_t parts)
    : loop(loop), parts(parts), placeBytes(sizeof(Place) + bytesOf(loop)),
      memory(std::exchange(spare, {})) {
  uint64_t wanted = programs * parts * placeBytes;
  if (memory.size < wanted) {
    memory = {};
    memory.bytes.reset(static_cast<char *>(std::aligned_alloc(scratchAlignment, wanted)));
    if (!memory.bytes)
      throw std::bad_alloc();
    memory.size = wanted;
  }
  for (uint64_t part = 0; part < programs * parts; ++part)
    new (memory.bytes.get() + part * placeBytes) Place{};
}

PartialSums::~PartialSums() {
  if (spare.size < memory.size && memory.size <= mostSpareBytes)
    spare = std::move(memory);
}

PartialSums::Place *PartialSums::placeOf(uint64_t part) const {
  return std::launder(reinterpret_cast<Place *>(memory.bytes.get() + part * placeBytes));
}

void PartialSums::leave(void *const *own, char *place) const {
  for (const SharedLoop::Sum &sum : loop.sums) {
    std::memcpy(place, *own++, bytesOf(sum));
    place += aligned(bytesOf(sum));
  }
}

void PartialSums::add(void *const *own, const char *place) const {
  for (const SharedLoop::Sum &sum : loop.sums) {
    switch (sum.dtype) {
    case DType::Float32:
      addTo<float>(*own, place, sum.elements);
      break;
    case DType::Float64:
      addTo<double>(*own, place, sum.elements);
      break;
    case DType::Int64:
      addTo<uint64_t>(*own, place, sum.elements);
      break;
    default: // SharedLoop::canAdd
      addTo<uint32_t>(*own, place, sum.elements);
    }
    ++own;
    place += aligned(bytesOf(sum));
  }
}

/// The thread holds the sums of the parts from `at` on, `span` of them or as many as there are.
/// Those of two neighbours become one where the right one lies; who comes second does it.
bool PartialSums::meet(uint64_t part, void *const *own) {
  uint64_t first = part - part % parts, at = part % parts;
  for (uint64_t span = 1; span < parts; span *= 2) {
    uint64_t other = at ^ span;
    if (other >= parts)
      continue;
    std::atomic<bool> &isAwaited = placeOf(first + std::max(at, other))->isAwaited;
    if (!isAwaited.load(std::memory_order_acquire)) {
      leave(own, placeOf(first + at)->sums());
      if (!isAwaited.exchange(true, std::memory_order_acq_rel))
        return false;
    }
    add(own, placeOf(first + other)->sums());
    at = std::min(at, other);
  }
  return true;
}

} // namespace nereid::runtime::cpu
