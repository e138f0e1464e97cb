// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compiled kernels that are kept on disk for the next process (docs/cache.md): what is there,
// and how to be rid of it. Devices use them without being asked.
#pragma once

#include "nereid/compile.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nereid {

/// A directory of compiled kernels. Other processes may use it at the same time.
class NEREID_API DiskCache {
public:
  /// The one that devices use, as the environment says (NEREID_CACHE, NEREID_CACHE_DIR,
  /// NEREID_CACHE_SIZE). Nothing if the cache is off or no directory is known.
  static std::optional<DiskCache> open();

  const std::string &directory() const;
  /// Beyond this many bytes the kernels used least recently go.
  uint64_t mostBytes() const;
  /// Why nothing is kept, "another user owns it or can write to it"; empty if all is well.
  std::string problem() const;

  struct Entry {
    std::string key;
    uint64_t bytes;
    std::chrono::system_clock::time_point lastUsed;
  };
  /// Used most recently first.
  std::vector<Entry> entries() const;
  /// Does not count as use. Throws Error(Environment) that says why devices do not use it either.
  Artifact load(const Entry &entry) const;
  /// Removes all; how many there were.
  size_t clear() const;

private:
  struct State;
  explicit DiskCache(std::shared_ptr<const State> state) : state(std::move(state)) {}
  std::shared_ptr<const State> state;
};

} // namespace nereid
