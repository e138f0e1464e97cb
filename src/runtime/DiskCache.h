// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files by key, kept between processes. Whatever goes wrong costs the cache and nothing else.
#pragma once

#include "files/DirectoryLock.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace nereid::runtime {

/// Where a cache looks for what it has not, and what gets all that it is given. Any thread may ask.
/// Fails by giving nothing.
class NextCache {
public:
  /// What is to be stored, made of what there is.
  using Change =
      std::function<std::vector<uint8_t>(const std::optional<std::vector<uint8_t>> &there)>;

  virtual ~NextCache() = default;
  /// By the names of files: "f00d.nrd".
  virtual std::optional<std::vector<uint8_t>> find(const std::string &name) = 0;
  virtual void store(const std::string &name, std::span<const uint8_t> bytes) = 0;
  /// Stores what `change` makes of what is there. It is asked again where somebody else was faster,
  /// so that nothing is lost of two who do so at once.
  virtual void update(const std::string &name, const Change &change) = 0;
  /// False if somebody else has claimed the name. A claim ends by itself after so long; where none
  /// can be made, everybody has it.
  virtual bool claim(const std::string &name, const std::string &owner,
                     std::chrono::milliseconds most) = 0;
  virtual void release(const std::string &name, const std::string &owner) = 0;
};

/// What is larger is no entry: not kept, and not read, whatever a file claims to be.
constexpr uint64_t largestEntry = uint64_t(64) << 20;

/// A directory of entries, one file each. Safe for many processes at once: an entry appears whole
/// or not at all. Only files that this user owns and nobody else can write are read, in a directory
/// of which the same is true.
class DiskCache {
public:
  struct Options {
    std::string directory; // made when the first entry is stored, for this user alone
    /// Beyond about this many bytes the entries used least recently go: before it is looked for
    /// them, a 32nd more may have come, seldom a few of them.
    uint64_t mostBytes = uint64_t(1) << 30;
    /// How the names of its files end.
    std::string suffix = ".nrd";
    std::shared_ptr<NextCache> next = {}; // may be null
  };
  /// As the environment says: NEREID_CACHE_DIR, or else nereid in XDG_CACHE_HOME, or else in
  /// ~/.cache; NEREID_CACHE_SIZE, in MiB. Nothing if NEREID_CACHE is "off" or no directory is
  /// known.
  static std::optional<Options> optionsFromEnvironment();

  explicit DiskCache(Options options) : options(std::move(options)) {}

  /// The bytes stored under `key`, which is a name for a file. Marks the entry as used. What only
  /// the next cache has is kept from then on.
  std::optional<std::vector<uint8_t>> find(const std::string &key) const;
  /// What the next cache has, whatever is here.
  std::optional<std::vector<uint8_t>> findNext(const std::string &key) const;
  /// What is here, without marking it.
  std::optional<std::vector<uint8_t>> peek(const std::string &key) const;
  void store(const std::string &key, std::span<const uint8_t> bytes) const;
  /// Stores what `change` makes of what is here and then, if there is a next cache, of what is
  /// there, which it may be asked for several times: here stays what it made last. Of processes
  /// that do so at once, each must hold the lock().
  void update(const std::string &key, const NextCache::Change &change) const;
  void remove(const std::string &key) const;

  struct Entry {
    std::string key;
    uint64_t bytes;
    int64_t lastUsed; // nanoseconds since 1970
  };
  /// Used most recently first.
  std::vector<Entry> entries() const;
  /// How many there were. What processes left unfinished goes as well.
  size_t clear() const;
  /// For who reads an entry and then stores what it made of it. Nothing if there is no directory to
  /// keep anything in, or somebody holds it for too long.
  std::unique_ptr<files::DirectoryLock> lock() const;
  /// Why nothing is kept: the directory belongs to another user, say. Empty if all is well.
  std::string problem() const;
  /// May be null.
  const std::shared_ptr<NextCache> &next() const { return options.next; }
  const std::string &directory() const { return options.directory; }
  uint64_t mostBytes() const { return options.mostBytes; }

private:
  std::string pathOf(const std::string &key) const;
  std::optional<std::vector<uint8_t>> readEntry(const std::string &key, bool marks) const;
  void keep(const std::string &key, std::span<const uint8_t> bytes) const;
  /// There is a directory to write to; says why not, once.
  bool isReady() const;
  bool isTimeToShrink(uint64_t storedBytes) const;
  void shrink() const;

  Options options;
};

} // namespace nereid::runtime
