// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Commands.h"
#include "FormatText.h"
#include "nereid/cache.h"

#include <CLI/CLI.hpp>
#include <cinttypes>
#include <cstdio>

namespace nereid::command {
namespace {

struct CacheSettings {
  bool clears = false, lists = false;
};

std::string age(std::chrono::system_clock::time_point lastUsed) {
  std::chrono::duration<double> elapsed = std::chrono::system_clock::now() - lastUsed;
  static constexpr struct {
    double seconds;
    const char *unit;
  } units[] = {{86400, "days"}, {3600, "hours"}, {60, "minutes"}};
  for (const auto &[length, unit] : units)
    if (elapsed.count() >= 2 * length)
      return formatText("%.0f %s ago", elapsed.count() / length, unit);
  return "just now";
}

/// "add for haswell" or why the file is of no use.
std::string describe(const DiskCache &cache, const DiskCache::Entry &entry) {
  try {
    ArtifactInfo info = cache.load(entry).info();
    return info.kernel + (info.cpu.empty() ? "" : " for " + info.cpu) + "  " + info.source;
  } catch (const Error &error) {
    return std::string(error.what()) + ": not used";
  }
}

void show(const CacheSettings &settings) {
  std::optional<DiskCache> cache = DiskCache::open();
  if (!cache) {
    std::puts("the cache is off (NEREID_CACHE, or no directory is known)");
    return;
  }
  const char *directory = cache->directory().c_str();
  if (std::string problem = cache->problem(); !problem.empty())
    throw Error(Error::Kind::Environment, cache->directory() + " is not used: " + problem);
  if (settings.clears) {
    say(stdout, "%s: %zu kernels removed\n", directory, cache->clear());
    return;
  }
  std::vector<DiskCache::Entry> entries = cache->entries();
  uint64_t total = 0;
  for (const DiskCache::Entry &entry : entries)
    total += entry.bytes;
  say(stdout, "%s: %zu kernels, %.1f of %" PRIu64 " MiB\n", directory, entries.size(),
      static_cast<double>(total) / (1 << 20), cache->mostBytes() >> 20);
  for (const DiskCache::Entry &entry : entries)
    if (settings.lists)
      say(stdout, "%.12s  %8" PRIu64 " bytes  %-14s %s\n", entry.key.c_str(), entry.bytes,
          age(entry.lastUsed).c_str(), describe(*cache, entry).c_str());
}

} // namespace

void defineCacheCommand(CLI::App &command) {
  auto settings = std::make_shared<CacheSettings>();
  command.add_flag("--clear", settings->clears, "Remove them all");
  command.add_flag("--list", settings->lists, "Name each, used most recently first");
  command.footer(R"help(
Environment
    NEREID_CACHE=off       nothing is kept and nothing that was kept is used
    NEREID_CACHE_DIR       the directory (default: nereid in XDG_CACHE_HOME or ~/.cache)
    NEREID_CACHE_SIZE      its limit in MiB (default: 1024); what was used least recently goes
    NEREID_REMOTE_CACHE    redis://HOST:PORT or unix:///PATH: a server whose kernels machines share
                           (docs/cache.md says what trust it needs))help");
  command.callback([settings] { show(*settings); });
}

} // namespace nereid::command
