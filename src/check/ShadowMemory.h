// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A number beside each element of a kernel's arrays, zero at first.
#pragma once

#include "interpret/events/Listener.h"

#include <algorithm>
#include <memory>
#include <vector>

namespace nereid::check {

/// Arrays that overlap share their numbers. An element is as wide as the narrowest access to it
/// that the types of the kernel allow.
///
/// Programs touch long runs of elements, so a chunk of elements has one number as long as all of
/// them have the same, and one for each only where they differ. Memory that is not needed costs
/// address space only.
class ShadowMemory {
public:
  using Number = uint32_t;
  /// No element has this number.
  static constexpr Number none = ~Number(0);

  explicit ShadowMemory(const interpret::RunEvent &run);

  /// `count` elements next to each other, `step` bytes apart; the first begins `offset` bytes after
  /// the array does.
  struct Elements {
    uint64_t offset, count, step;
  };
  /// Replaces the numbers of the elements that lie in a range of an array, at least in part: calls
  /// `f(before, Elements)` for neighbours that have the same, and gives them what it returns.
  template <typename F> void replace(uint64_t array, uint64_t offset, uint64_t bytes, F f) const {
    const View &view = views[array];
    const Region &region = *view.region;
    uint64_t end = ((view.offset + offset + bytes - 1) >> region.shift) + 1;
    for (uint64_t at = (view.offset + offset) >> region.shift; at < end;) {
      uint64_t last = std::min(end, (at / chunkElements + 1) * chunkElements);
      region.replace(at, last, [&](Number before, uint64_t first, uint64_t count) {
        uint64_t start = std::max(first << region.shift, view.offset) - view.offset;
        return f(before, Elements{start, count, uint64_t(1) << region.shift});
      });
      at = last;
    }
  }

  /// Sets the numbers of an array, which no other overlaps, to zero again.
  void clear(uint64_t array) const {
    if (const Region *region = views[array].region)
      std::fill_n(region->chunks.numbers, region->chunkCount, Number(0));
  }

private:
  static constexpr uint64_t chunkElements = 64;
  /// Zeros that the system gives when they are touched.
  class Zeros {
  public:
    explicit Zeros(uint64_t count);
    ~Zeros();
    Zeros(const Zeros &) = delete;
    Zeros &operator=(const Zeros &) = delete;
    Number *const numbers;

  private:
    size_t bytes;
  };
  struct Region {
    Region(uint64_t bytes, unsigned shift);
    template <typename F> void replace(uint64_t begin, uint64_t end, F f) const;
    template <typename F> void replaceEach(uint64_t begin, uint64_t end, F f) const;
    void spellOut(uint64_t chunk) const;
    void join(uint64_t chunk) const;

    unsigned shift; // bytes of an element, as a power of two
    uint64_t chunkCount;
    Zeros chunks, elements; // of a chunk `none` if its elements have their own
  };
  struct View {
    const Region *region = nullptr;
    uint64_t offset = 0;
  };
  std::vector<std::unique_ptr<Region>> regions;
  std::vector<View> views;
};

/// Elements of one chunk.
template <typename F> void ShadowMemory::Region::replace(uint64_t begin, uint64_t end, F f) const {
  uint64_t chunk = begin / chunkElements;
  Number before = chunks.numbers[chunk];
  if (before == none)
    return replaceEach(begin, end, f);
  Number after = f(before, begin, end - begin);
  if (after == before)
    return;
  if (end - begin == chunkElements) {
    chunks.numbers[chunk] = after;
    return;
  }
  spellOut(chunk);
  std::fill(elements.numbers + begin, elements.numbers + end, after);
}

template <typename F>
void ShadowMemory::Region::replaceEach(uint64_t begin, uint64_t end, F f) const {
  for (uint64_t first = begin; first < end;) {
    Number before = elements.numbers[first];
    uint64_t next = first + 1;
    while (next < end && elements.numbers[next] == before)
      ++next;
    Number after = f(before, first, next - first);
    std::fill(elements.numbers + first, elements.numbers + next, after);
    first = next;
  }
  if (end - begin == chunkElements)
    join(begin / chunkElements);
}

} // namespace nereid::check
