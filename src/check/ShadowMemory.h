// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A word beside each element of a kernel's arrays, zero at first.
#pragma once

#include "interpret/Listener.h"

#include <memory>
#include <vector>

namespace nereid::check {

/// Arrays that overlap share their words. An element is as wide as the narrowest access to it that
/// the types of the kernel allow. Memory that nobody touches costs address space only.
class ShadowMemory {
public:
  explicit ShadowMemory(const interpret::RunEvent &run);

  /// The words beside `bytes` bytes of the array with that number.
  std::span<uint32_t> words(uint64_t array, uint64_t offset, uint64_t bytes) const {
    const View &view = views[array];
    uint64_t first = (view.offset + offset) >> view.region->shift;
    uint64_t last = (view.offset + offset + bytes - 1) >> view.region->shift;
    return {view.region->words + first, last - first + 1};
  }
  /// The position in the array of the element that a word stands for.
  uint64_t offsetOf(uint64_t array, const uint32_t *word) const {
    const View &view = views[array];
    uint64_t offset = uint64_t(word - view.region->words) << view.region->shift;
    return offset < view.offset ? 0 : offset - view.offset;
  }

private:
  struct Region {
    Region(uint64_t bytes, unsigned shift);
    ~Region();
    Region(const Region &) = delete;
    Region &operator=(const Region &) = delete;
    uint32_t *words = nullptr;
    size_t mappedBytes = 0;
    unsigned shift; // bytes of an element, as a power of two
  };
  struct View {
    const Region *region = nullptr;
    uint64_t offset = 0;
  };
  std::vector<std::unique_ptr<Region>> regions;
  std::vector<View> views;
};

} // namespace nereid::check
