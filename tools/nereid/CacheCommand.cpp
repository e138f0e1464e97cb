// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Commands.h"
#include "nereid/nereid.h"
#include "runtime/Artifact.h"
#include "runtime/DiskCache.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <CLI/CLI.hpp>
#include <chrono>

namespace nereid::command {
namespace {

struct CacheSettings {
  bool clears = false, lists = false;
};

std::string age(int64_t lastUsed) {
  using namespace std::chrono;
  int64_t now = duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count();
  auto seconds = static_cast<double>(now - lastUsed) / 1e9;
  static constexpr struct {
    double seconds;
    const char *unit;
  } units[] = {{86400, "days"}, {3600, "hours"}, {60, "minutes"}};
  for (const auto &[length, unit] : units)
    if (seconds >= 2 * length)
      return llvm::formatv("{0:f0} {1} ago", seconds / length, unit);
  return "just now";
}

/// "add for haswell" or why the file is of no use.
std::string describe(const runtime::DiskCache &cache, const std::string &key) {
  std::optional<std::vector<uint8_t>> bytes = cache.peek(key);
  if (!bytes)
    return "not readable, or another user can write to it: not used";
  try {
    runtime::Artifact artifact = runtime::deserialize(*bytes);
    const auto *code = std::get_if<runtime::CpuCode>(&artifact.code);
    return artifact.kernel + (code ? " for " + code->cpu : "") + "  " + artifact.source;
  } catch (const runtime::ArtifactError &error) {
    return std::string(error.what()) + ": not used";
  }
}

void show(const CacheSettings &settings, llvm::raw_ostream &out) {
  auto options = runtime::DiskCache::optionsFromEnvironment();
  if (!options) {
    out << "the cache is off (NEREID_CACHE, or no directory is known)\n";
    return;
  }
  runtime::DiskCache cache(*options);
  std::string problem = cache.problem();
  if (!problem.empty())
    throw Error(Error::Kind::Environment, cache.directory() + " is not used: " + problem);
  if (settings.clears) {
    out << llvm::formatv("{0}: {1} kernels removed\n", cache.directory(), cache.clear());
    return;
  }
  std::vector<runtime::DiskCache::Entry> entries = cache.entries();
  uint64_t total = 0;
  for (const auto &entry : entries)
    total += entry.bytes;
  out << llvm::formatv("{0}: {1} kernels, {2:f1} of {3} MiB\n", cache.directory(), entries.size(),
                       static_cast<double>(total) / (1 << 20), cache.mostBytes() >> 20);
  for (const auto &entry : entries)
    if (settings.lists)
      out << llvm::formatv("{0}  {1,8} bytes  {2,-14} {3}\n", entry.key.substr(0, 12), entry.bytes,
                           age(entry.lastUsed), describe(cache, entry.key));
}

} // namespace

void addCacheCommand(CLI::App &app) {
  auto *command = app.add_subcommand("cache", "Show or clear the compiled kernels kept on disk");
  auto settings = std::make_shared<CacheSettings>();
  command->add_flag("--clear", settings->clears, "Remove them all");
  command->add_flag("--list", settings->lists, "Name each, used most recently first");
  command->footer(R"help(
Environment
    NEREID_CACHE=off       nothing is kept and nothing that was kept is used
    NEREID_CACHE_DIR       the directory (default: nereid in XDG_CACHE_HOME or ~/.cache)
    NEREID_CACHE_SIZE      its limit in MiB (default: 1024); what was used least recently goes)help");
  command->callback([settings] { show(*settings, llvm::outs()); });
}

} // namespace nereid::command
