// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/CachedCompile.h"

#include "driver/CacheKey.h"
#include "driver/RemoteCache.h"

namespace nereid::jit {

/// What the cache has for a request under its key, if it is whole and answers this very request.
/// Its text may have lain elsewhere when it was compiled: the path is that of the request.
static std::optional<runtime::Artifact> fetch(const std::string &key,
                                              const driver::KernelRequest &request,
                                              const runtime::DiskCache &cache) {
  std::optional<std::vector<uint8_t>> bytes = cache.find(key);
  if (!bytes)
    return std::nullopt;
  try {
    runtime::Artifact artifact = runtime::deserialize(*bytes);
    if (artifact.key != key)
      return std::nullopt;
    artifact.source = request.source->file.name();
    return artifact;
  } catch (const runtime::ArtifactError &) {
    return std::nullopt; // compiled afresh, it replaces what is there
  }
}

static std::unique_ptr<runtime::Executable>
loadIfWhole(const runtime::Artifact &artifact, const LoadArtifact &load, const KeepArtifact &keep) {
  try {
    return load(artifact, keep);
  } catch (const runtime::ArtifactError &) {
    return nullptr;
  }
}

static runtime::Artifact compileFor(const std::string &key, const driver::KernelRequest &request,
                                    const backend::CompileOptions &options) {
  Dump quiet;
  runtime::Artifact artifact = driver::compile(request, options, quiet);
  artifact.key = key;
  return artifact;
}

static void store(const runtime::Artifact &artifact, const runtime::DiskCache *cache) {
  if (cache)
    cache->store(artifact.key, runtime::serialize(artifact));
}

std::unique_ptr<runtime::Executable> compileOrFetch(const driver::KernelRequest &request,
                                                    const backend::CompileOptions &options,
                                                    const runtime::DiskCache *cache,
                                                    const LoadArtifact &load) {
  KeepArtifact keep = [&](const runtime::Artifact &artifact) { store(artifact, cache); };
  std::string key;
  if (cache) {
    key = driver::cacheKey(request, options);
    if (std::optional<runtime::Artifact> found = fetch(key, request, *cache))
      if (auto executable = loadIfWhole(*found, load, keep)) {
        executable->wasKept = true;
        return executable;
      }
  }
  runtime::Artifact artifact = compileFor(key, request, options);
  keep(artifact);
  return load(artifact, keep);
}

runtime::Artifact compileOrFetch(const driver::KernelRequest &request,
                                 const backend::CompileOptions &options,
                                 const runtime::DiskCache *cache) {
  std::string key;
  if (cache) {
    key = driver::cacheKey(request, options);
    if (std::optional<runtime::Artifact> found = fetch(key, request, *cache))
      return *std::move(found);
  }
  runtime::Artifact artifact = compileFor(key, request, options);
  store(artifact, cache);
  return artifact;
}

backend::CompileOptions plainOptions(backend::CompileOptions options) {
  options.usesBoxes = false;
  std::erase_if(options.policy, [](const auto &row) { return row.first == "assumed_bytes"; });
  return options;
}

std::optional<runtime::DiskCache> openDiskCache(const DeviceOptions &options) {
  auto found = runtime::DiskCache::optionsFromEnvironment();
  if (!options.usesDiskCache || !found)
    return std::nullopt;
  found->next = driver::RemoteCache::ofProcess();
  return runtime::DiskCache(*std::move(found));
}

} // namespace nereid::jit
