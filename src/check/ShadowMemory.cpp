// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/ShadowMemory.h"

#include <algorithm>
#include <bit>
#include <new>
#include <sys/mman.h>

namespace nereid::check {

ShadowMemory::Region::Region(uint64_t bytes, unsigned shift)
    : mappedBytes(((bytes >> shift) + 2) * sizeof(uint32_t)), shift(shift) {
  void *address = mmap(nullptr, mappedBytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED)
    throw std::bad_alloc();
  madvise(address, mappedBytes, MADV_HUGEPAGE); // it is a wish; without, it is slower
  words = static_cast<uint32_t *>(address);
}

ShadowMemory::Region::~Region() { munmap(words, mappedBytes); }

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
