// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace nereid::check {

/// Which bytes of a block of memory somebody has written: a bit for each, until all are. Lives as
/// long as the memory does, across launches. Launches take turns; the host may mark at any time.
class WrittenBytes {
public:
  explicit WrittenBytes(size_t bytes) : size(bytes), bits((bytes + 63) / 64) {}

  /// The host wrote, or may write from now on.
  void markAll();
  /// What is there is nobody's any more.
  void unmarkAll();
  /// While a launch runs: whether there is anything left to watch for.
  bool isComplete() const;
  void mark(size_t offset, size_t bytes);
  /// The first byte of the range that nobody wrote; its end if there is none.
  size_t findUnwritten(size_t offset, size_t bytes) const;
  /// Gives up the bits if they say nothing any more.
  void settle();

private:
  size_t size;
  mutable std::mutex mutex;   // of what the host and a launch may do at once
  std::vector<uint64_t> bits; // empty: all are written
};

} // namespace nereid::check
