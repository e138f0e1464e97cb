// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The records that are kept between processes: one file for each subject. Whatever goes wrong costs
// the records and nothing else.
#pragma once

#include "files/DirectoryLock.h"
#include "nereid/tune.h"
#include "runtime/DiskCache.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace nereid::tuning {

/// While it lives, nobody else tries candidates of its subject, on this machine and on those that
/// share a server with it.
class Turn {
public:
  Turn(std::string directory, std::unique_ptr<files::DirectoryLock> lock)
      : directory(std::move(directory)), lock(std::move(lock)) {}
  ~Turn();
  Turn(const Turn &) = delete;
  Turn &operator=(const Turn &) = delete;

  /// False if another machine has it.
  bool claim(const std::shared_ptr<runtime::NextCache> &server, const std::string &name,
             std::chrono::milliseconds most);

private:
  std::string directory; // of nothing but the lock
  std::unique_ptr<files::DirectoryLock> lock;
  std::shared_ptr<runtime::NextCache> server; // null: nothing is claimed there
  std::string name, owner;
};

class RecordStore {
public:
  /// As the environment says; nothing if the cache is off.
  static std::optional<RecordStore> open();

  TuningRecords find(const TuningSubject &subject) const;
  /// All records must be of one subject. What is there already stays, unless they know better.
  void add(const TuningSubject &subject, const TuningRecords &records) const;
  /// The right to try candidates of a subject; nothing if somebody has it and keeps it for more
  /// than half a second. On a server it ends after `most`, so that who dies keeps nobody out. Where
  /// no lock can be had, everybody has the right, and `isPossible` is made false.
  std::unique_ptr<Turn> takeTurn(const TuningSubject &subject, std::chrono::milliseconds most,
                                 bool &isPossible) const;
  TuningRecords all() const;
  size_t clear() const { return files.clear(); }

private:
  explicit RecordStore(runtime::DiskCache files) : files(std::move(files)) {}

  runtime::DiskCache files;
};

/// Adds each of the records to those of its subject.
void addAll(const RecordStore &store, const TuningRecords &records);

} // namespace nereid::tuning
