// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/WrittenBytes.h"

#include <algorithm>
#include <bit>

namespace nereid::check {

void WrittenBytes::markAll() {
  std::lock_guard lock(mutex);
  bits.clear();
}

void WrittenBytes::unmarkAll() {
  std::lock_guard lock(mutex);
  bits.assign((size + 63) / 64, 0);
}

bool WrittenBytes::isComplete() const {
  std::lock_guard lock(mutex);
  return bits.empty();
}

/// Calls `f` with each word that holds bits of the range, and the mask of those.
template <typename F> static void forEachWord(size_t begin, size_t end, F f) {
  while (begin < end) {
    size_t word = begin / 64, last = std::min(end, (word + 1) * 64);
    uint64_t mask = ~uint64_t(0) << (begin % 64);
    if (last % 64)
      mask &= ~uint64_t(0) >> (64 - last % 64);
    if (!f(word, mask))
      return;
    begin = last;
  }
}

void WrittenBytes::mark(size_t offset, size_t bytes) {
  std::lock_guard lock(mutex);
  if (bits.empty())
    return;
  forEachWord(offset, std::min(size, offset + bytes), [&](size_t word, uint64_t mask) {
    bits[word] |= mask;
    return true;
  });
}

size_t WrittenBytes::findUnwritten(size_t offset, size_t bytes) const {
  std::lock_guard lock(mutex);
  size_t end = std::min(size, offset + bytes), found = offset + bytes;
  if (!bits.empty())
    forEachWord(offset, end, [&](size_t word, uint64_t mask) {
      uint64_t missing = mask & ~bits[word];
      if (missing)
        found = word * 64 + size_t(std::countr_zero(missing));
      return !missing;
    });
  return found;
}

void WrittenBytes::settle() {
  std::lock_guard lock(mutex);
  bool isAll = true;
  forEachWord(0, size, [&](size_t word, uint64_t mask) {
    return isAll = !bits.empty() && (bits[word] & mask) == mask;
  });
  if (isAll)
    bits.clear();
}

} // namespace nereid::check
