// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <chrono>
#include <string>

namespace nereid::files {

/// While it lives, nobody else has one for this directory: no process, and no thread of this one.
/// Who changes a file in steps (reads, adds, replaces) takes it for the directory of that file.
/// What a process that dies leaves behind keeps nobody out.
class DirectoryLock {
public:
  enum class Means {
    Any,      ///< flock, or what follows where the file system has none
    FileThere ///< a file that nobody else could make; one that is older than `patience` is a dead
              ///< one's
  };
  static constexpr std::chrono::seconds patience{10};

  /// Waits. Throws Error(Environment) if no file can be made there, or if `most` has passed.
  explicit DirectoryLock(const std::string &directory, Means means = Means::Any,
                         std::chrono::milliseconds most = patience);
  ~DirectoryLock();
  DirectoryLock(const DirectoryLock &) = delete;
  DirectoryLock &operator=(const DirectoryLock &) = delete;

private:
  enum class Outcome { Held, Busy, NoLocks };
  Outcome tryFlock();
  Outcome tryFileThere();
  [[noreturn]] void fail(const std::string &reason) const;

  std::string directory, path;
  int file = -1;
};

} // namespace nereid::files
