// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/CachedCompile.h"

#include "driver/CacheKey.h"
#include "driver/RemoteCache.h"

namespace nereid::jit {

static std::unique_ptr<runtime::Executable> fetch(const std::string &key,
                                                  const runtime::DiskCache &cache,
                                                  const LoadArtifact &load,
                                                  const KeepArtifact &keep) {
  std::optional<std::vector<uint8_t>> bytes = cache.find(key);
  if (!bytes)
    return nullptr;
  try {
    runtime::Artifact artifact = runtime::deserialize(*bytes);
    return artifact.key == key ? load(artifact, keep) : nullptr;
  } catch (const runtime::ArtifactError &) {
    return nullptr; // compiled afresh, it replaces what is there
  }
}

std::unique_ptr<runtime::Executable> compileOrFetch(const driver::KernelRequest &request,
                                                    const backend::CompileOptions &options,
                                                    const runtime::DiskCache *cache,
                                                    const LoadArtifact &load) {
  KeepArtifact keep = [&](const runtime::Artifact &artifact) {
    if (cache)
      cache->store(artifact.key, runtime::serialize(artifact));
  };
  std::string key;
  if (cache) {
    key = driver::cacheKey(request, options);
    if (auto executable = fetch(key, *cache, load, keep))
      return executable;
  }
  Dump quiet;
  runtime::Artifact artifact = driver::compile(request, options, quiet);
  artifact.key = key;
  keep(artifact);
  return load(artifact, keep);
}

std::optional<runtime::DiskCache> openDiskCache(const DeviceOptions &options) {
  auto found = runtime::DiskCache::optionsFromEnvironment();
  if (!options.usesDiskCache || !found)
    return std::nullopt;
  found->next = driver::RemoteCache::ofProcess();
  return runtime::DiskCache(*std::move(found));
}

} // namespace nereid::jit
