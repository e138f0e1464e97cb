// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/ShadowMemory.h"

#include <bit>
#include <new>
#include <sys/mman.h>

namespace nereid::check {

static ShadowMemory::Number *reserve(size_t bytes) {
  void *address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED)
    throw std::bad_alloc();
  return static_cast<ShadowMemory::Number *>(address);
}

ShadowMemory::Zeros::Zeros(uint64_t count)
    : numbers(reserve(count * sizeof(Number))), bytes(count * sizeof(Number)) {}

ShadowMemory::Zeros::~Zeros() { munmap(numbers, bytes); }

// An access may begin or end in the middle of an element, hence two more.
ShadowMemory::Region::Region(uint64_t bytes, unsigned shift)
    : shift(shift), chunkCount(((bytes >> shift) + 2) / chunkElements + 1), chunks(chunkCount),
      elements(((bytes >> shift) + 2 + chunkElements) / chunkElements * chunkElements) {}

void ShadowMemory::Region::spellOut(uint64_t chunk) const {
  std::fill_n(elements.numbers + chunk * chunkElements, chunkElements, chunks.numbers[chunk]);
  chunks.numbers[chunk] = none;
}

/// Gives the chunk one number if all of its elements have the same.
void ShadowMemory::Region::join(uint64_t chunk) const {
  const Number *own = elements.numbers + chunk * chunkElements;
  if (std::all_of(own, own + chunkElements, [own](Number number) { return number == *own; }))
    chunks.numbers[chunk] = *own;
}

ShadowMemory::ShadowMemory(const interpret::RunEvent &run) : views(run.memory.count()) {
  std::vector<uint64_t> order;
  for (uint64_t number = 1; number < run.memory.count(); ++number)
    if (run.memory.array(number).extentBytes)
      order.push_back(number);
  auto begin = [&](uint64_t number) {
    return reinterpret_cast<uint64_t>(run.memory.array(number).base);
  };
  std::sort(order.begin(), order.end(),
            [&](uint64_t a, uint64_t b) { return begin(a) < begin(b); });
  for (size_t i = 0; i < order.size();) {
    uint64_t start = begin(order[i]), end = start, bytes = run.smallestCast;
    size_t next = i;
    do {
      const auto &array = run.memory.array(order[next]);
      end = std::max(end, begin(order[next]) + array.extentBytes);
      bytes = std::min(bytes, array.elementBytes);
    } while (++next < order.size() && begin(order[next]) < end);
    auto shift = unsigned(std::bit_width(std::bit_floor(std::max<uint64_t>(bytes, 1))) - 1);
    regions.push_back(std::make_unique<Region>(end - start, shift));
    for (; i < next; ++i)
      views[order[i]] = {regions.back().get(), begin(order[i]) - start};
  }
}

} // namespace nereid::check
