// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "nereid/cache.h"
#include "capi/Error.h"
#include "capi/Handles.h"

#include <algorithm>

using namespace nereid;

static const DiskCache &cacheOf(const nereid_cache *cache) {
  return capi::require(cache, "cache")->cache;
}

nereid_status nereid_cache_open(nereid_cache **cache, nereid_error **error) {
  if (cache)
    *cache = nullptr;
  return capi::guard(error, [&] {
    capi::require(cache, "place for a handle");
    if (std::optional<DiskCache> found = DiskCache::open())
      *cache = new nereid_cache{*found, found->problem()};
  });
}

const char *nereid_cache_directory(const nereid_cache *cache) {
  return cache ? cache->cache.directory().c_str() : nullptr;
}

uint64_t nereid_cache_most_bytes(const nereid_cache *cache) {
  return cache ? cache->cache.mostBytes() : 0;
}

const char *nereid_cache_problem(const nereid_cache *cache) {
  return cache ? cache->problem.c_str() : nullptr;
}

nereid_status nereid_cache_entries(const nereid_cache *cache, nereid_cache_callback callback,
                                   void *user, nereid_error **error) {
  return capi::guard(error, [&] {
    capi::require(callback, "callback");
    for (const DiskCache::Entry &entry : cacheOf(cache).entries()) {
      auto sinceEpoch = std::chrono::floor<std::chrono::seconds>(entry.lastUsed.time_since_epoch());
      callback(user, entry.key.c_str(), entry.bytes, sinceEpoch.count());
    }
  });
}

nereid_status nereid_cache_load(const nereid_cache *cache, const char *key,
                                nereid_artifact **artifact, nereid_error **error) {
  return capi::guardMaking(artifact, error, [&] {
    std::string wanted = capi::require(key, "key");
    std::vector<DiskCache::Entry> entries = cacheOf(cache).entries();
    auto found = std::ranges::find(entries, wanted, &DiskCache::Entry::key);
    if (found == entries.end())
      throw Error(Error::Kind::Usage, "the cache in " + cacheOf(cache).directory() +
                                          " has no kernel with the key '" + wanted + "'");
    return cacheOf(cache).load(*found);
  });
}

nereid_status nereid_cache_clear(const nereid_cache *cache, size_t *removed, nereid_error **error) {
  return capi::guard(error, [&] {
    size_t count = cacheOf(cache).clear();
    if (removed)
      *removed = count;
  });
}

void nereid_cache_release(nereid_cache *cache) { delete cache; }
