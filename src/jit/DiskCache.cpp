// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/DiskCache.h"

#include "nereid/cache.h"

namespace nereid {

struct DiskCache::State {
  runtime::DiskCache cache;
};

std::optional<DiskCache> DiskCache::open() {
  auto options = runtime::DiskCache::optionsFromEnvironment();
  if (!options)
    return std::nullopt;
  return DiskCache(std::make_shared<State>(runtime::DiskCache(*std::move(options))));
}

const std::string &DiskCache::directory() const { return state->cache.directory(); }
uint64_t DiskCache::mostBytes() const { return state->cache.mostBytes(); }
std::string DiskCache::problem() const { return state->cache.problem(); }
size_t DiskCache::clear() const { return state->cache.clear(); }

std::vector<DiskCache::Entry> DiskCache::entries() const {
  using Clock = std::chrono::system_clock;
  std::vector<Entry> entries;
  for (const runtime::DiskCache::Entry &entry : state->cache.entries()) {
    std::chrono::nanoseconds since1970(entry.lastUsed);
    entries.push_back({entry.key, entry.bytes,
                       Clock::time_point(std::chrono::duration_cast<Clock::duration>(since1970))});
  }
  return entries;
}

Artifact DiskCache::load(const Entry &entry) const {
  constexpr size_t shownDigits = 12;
  std::string name = "kernel " + entry.key.substr(0, shownDigits);
  std::optional<std::vector<uint8_t>> bytes = state->cache.peek(entry.key);
  if (!bytes)
    throw Error(Error::Kind::Environment,
                name + " is too large or not readable, or another user can write to it");
  return Artifact::fromBytes(*bytes, name);
}

} // namespace nereid
