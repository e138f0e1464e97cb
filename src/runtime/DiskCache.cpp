// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/DiskCache.h"

#include "files/OwnDirectory.h"
#include "files/TransferAll.h"
#include "nereid/error.h"
#include "support/EnvironmentVariables.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <mutex>
#include <random>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

namespace nereid::runtime {
namespace {

namespace fs = std::filesystem;

/// A file being written carries this until it is whole, which takes milliseconds; one that is older
/// than some minutes was left behind by a process that died.
constexpr const char *unfinished = ".part-";
constexpr int64_t mostNanosecondsOfWriting = int64_t(300) * 1'000'000'000;

class FileDescriptor {
public:
  explicit FileDescriptor(int number) : number(number) {}
  ~FileDescriptor() {
    if (number >= 0)
      close(number);
  }
  FileDescriptor(const FileDescriptor &) = delete;
  FileDescriptor &operator=(const FileDescriptor &) = delete;
  explicit operator bool() const { return number >= 0; }
  operator int() const { return number; }

private:
  int number;
};

/// Nobody but this user can have put there what is there.
bool isOursAlone(const struct stat &status) {
  return status.st_uid == geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

int64_t nanoseconds(const timespec &time) { return time.tv_sec * 1'000'000'000 + time.tv_nsec; }

bool readAll(int file, std::span<uint8_t> bytes) {
  return files::transferAll(bytes.size(), [&](size_t done) {
    return read(file, bytes.data() + done, bytes.size() - done);
  });
}

bool writeAll(int file, std::span<const uint8_t> bytes) {
  return files::transferAll(bytes.size(), [&](size_t done) {
    return write(file, bytes.data() + done, bytes.size() - done);
  });
}

/// That nothing is kept costs time in each process, so whoever waits is told, once for each reason.
void sayNothingIsKept(const std::string &directory, const std::string &reason) {
  static std::mutex mutex;
  static auto &said = *new std::set<std::string>();
  std::string text = directory + " keeps nothing: " + reason;
  std::lock_guard lock(mutex);
  if (said.insert(text).second)
    std::fprintf(stderr,
                 "warning: cache: %s (NEREID_CACHE_DIR names another, NEREID_CACHE=off none)\n",
                 printable(text).c_str());
}

/// Calls `see` with what each process that writes has unfinished, or has left behind.
template <typename F> void forEachUnfinished(const std::string &directory, F see) {
  std::error_code error;
  for (fs::directory_iterator next(directory, error), end; !error && next != end;
       next.increment(error)) {
    struct stat status;
    if (next->path().filename().string().find(unfinished) != std::string::npos &&
        lstat(next->path().c_str(), &status) == 0 && S_ISREG(status.st_mode))
      see(next->path(), status);
  }
}

} // namespace

std::optional<DiskCache::Options> DiskCache::optionsFromEnvironment() {
  Options options;
  const char *choice = readFilledVariable(KnownVariable::NEREID_CACHE);
  if (choice && std::strcmp(choice, "off") == 0)
    return std::nullopt;
  if (const char *directory = readFilledVariable(KnownVariable::NEREID_CACHE_DIR))
    options.directory = directory;
  // A relative path is to be ignored, says the XDG Base Directory Specification.
  else if (const char *cache = readFilledVariable(KnownVariable::XDG_CACHE_HOME);
           cache && *cache == '/')
    options.directory = std::string(cache) + "/nereid";
  else if (const char *home = readFilledVariable(KnownVariable::HOME))
    options.directory = std::string(home) + "/.cache/nereid";
  else
    return std::nullopt;
  options.mostBytes = readNumber(KnownVariable::NEREID_CACHE_SIZE) << 20;
  return options;
}

std::string DiskCache::pathOf(const std::string &key) const {
  return options.directory + '/' + key + options.suffix;
}

std::string DiskCache::problem() const {
  struct stat status;
  if (stat(options.directory.c_str(), &status) != 0)
    return errno == ENOENT ? "" : std::strerror(errno);
  if (!S_ISDIR(status.st_mode))
    return "it is no directory";
  return isOursAlone(status) ? "" : "another user owns it or can write to it";
}

bool DiskCache::isReady() const {
  std::string reason = problem();
  if (reason.empty())
    reason = files::makeOwnDirectory(options.directory);
  if (!reason.empty())
    sayNothingIsKept(options.directory, reason);
  return reason.empty();
}

std::unique_ptr<files::DirectoryLock> DiskCache::lock() const {
  if (!isReady())
    return nullptr;
  try {
    return std::make_unique<files::DirectoryLock>(options.directory);
  } catch (const Error &error) {
    sayNothingIsKept(options.directory, error.what());
    return nullptr;
  }
}

std::optional<std::vector<uint8_t>> DiskCache::find(const std::string &key) const {
  if (auto bytes = readEntry(key, /*marks=*/true))
    return bytes;
  auto bytes = findNext(key);
  if (bytes)
    keep(key, *bytes);
  return bytes;
}

std::optional<std::vector<uint8_t>> DiskCache::findNext(const std::string &key) const {
  return options.next ? options.next->find(key + options.suffix) : std::nullopt;
}

std::optional<std::vector<uint8_t>> DiskCache::peek(const std::string &key) const {
  return readEntry(key, /*marks=*/false);
}

std::optional<std::vector<uint8_t>> DiskCache::readEntry(const std::string &key, bool marks) const {
  FileDescriptor file(open(pathOf(key).c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  struct stat status;
  if (!file || fstat(file, &status) != 0 || !S_ISREG(status.st_mode) || !isOursAlone(status) ||
      !problem().empty() || static_cast<uint64_t>(status.st_size) > largestEntry)
    return std::nullopt;
  std::vector<uint8_t> bytes(static_cast<size_t>(status.st_size));
  if (!readAll(file, bytes))
    return std::nullopt;
  if (marks)
    futimens(file, nullptr);
  return bytes;
}

void DiskCache::store(const std::string &key, std::span<const uint8_t> bytes) const {
  keep(key, bytes);
  if (options.next)
    options.next->store(key + options.suffix, bytes);
}

void DiskCache::update(const std::string &key, const NextCache::Change &change) const {
  std::vector<uint8_t> last = change(readEntry(key, /*marks=*/false));
  if (options.next)
    options.next->update(key + options.suffix,
                         [&](const auto &there) { return last = change(there); });
  keep(key, last);
}

void DiskCache::keep(const std::string &key, std::span<const uint8_t> bytes) const {
  if (bytes.size() > std::min(options.mostBytes, largestEntry) || !isReady())
    return;
  std::string temporary = options.directory + '/' + key + unfinished + "XXXXXX";
  FileDescriptor file(mkostemp(temporary.data(), O_CLOEXEC)); // readable by this user alone
  if (!file)
    return sayNothingIsKept(options.directory, std::strerror(errno));
  bool isWhole = writeAll(file, bytes) && rename(temporary.c_str(), pathOf(key).c_str()) == 0;
  if (!isWhole) {
    sayNothingIsKept(options.directory, std::strerror(errno));
    unlink(temporary.c_str());
  } else if (isTimeToShrink(bytes.size())) {
    shrink();
  }
}

/// To look at all entries takes milliseconds where there are thousands, so most stores do not: the
/// probability is that of one look in each 32nd of the limit, whichever process stores it.
bool DiskCache::isTimeToShrink(uint64_t storedBytes) const {
  uint64_t between = options.mostBytes / 32;
  return std::random_device()() % (between + 1) <= storedBytes;
}

void DiskCache::remove(const std::string &key) const { unlink(pathOf(key).c_str()); }

std::vector<DiskCache::Entry> DiskCache::entries() const {
  std::vector<Entry> found;
  std::error_code error;
  for (fs::directory_iterator next(options.directory, error), end; !error && next != end;
       next.increment(error)) {
    std::string name = next->path().filename();
    struct stat status;
    if (lstat(next->path().c_str(), &status) != 0 || !S_ISREG(status.st_mode))
      continue;
    if (name.ends_with(options.suffix))
      found.push_back({name.substr(0, name.size() - options.suffix.size()),
                       static_cast<uint64_t>(status.st_size), nanoseconds(status.st_mtim)});
  }
  std::sort(found.begin(), found.end(),
            [](const Entry &a, const Entry &b) { return a.lastUsed > b.lastUsed; });
  return found;
}

size_t DiskCache::clear() const {
  size_t count = 0;
  for (const Entry &entry : entries())
    count += unlink(pathOf(entry.key).c_str()) == 0;
  // Who is writing one just now keeps nothing of it.
  forEachUnfinished(options.directory,
                    [](const fs::path &path, const struct stat &) { unlink(path.c_str()); });
  return count;
}

/// Removes what dead processes left, and what is over the limit, down to nine tenths of it, so that
/// not every store has to.
void DiskCache::shrink() const {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  uint64_t total = 0;
  forEachUnfinished(options.directory, [&](const fs::path &path, const struct stat &status) {
    if (nanoseconds(now) - nanoseconds(status.st_mtim) > mostNanosecondsOfWriting)
      unlink(path.c_str());
    else
      total += static_cast<uint64_t>(status.st_size);
  });
  std::vector<Entry> all = entries();
  for (const Entry &entry : all)
    total += entry.bytes;
  if (total <= options.mostBytes)
    return;
  for (; !all.empty() && total > options.mostBytes / 10 * 9; all.pop_back()) {
    remove(all.back().key);
    total -= all.back().bytes;
  }
}

} // namespace nereid::runtime
