// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The records that are kept between processes: one file for each subject. Whatever goes wrong costs
// the records and nothing else.
#pragma once

#include "nereid/tune.h"
#include "runtime/DiskCache.h"

#include <optional>

namespace nereid::tuning {

class RecordStore {
public:
  /// As the environment says; nothing if the cache is off.
  static std::optional<RecordStore> open();

  TuningRecords find(const TuningSubject &subject) const;
  /// All records must be of one subject. What is there already stays, unless they know better.
  void add(const TuningSubject &subject, const TuningRecords &records) const;
  TuningRecords all() const;
  size_t clear() const { return files.clear(); }

private:
  explicit RecordStore(runtime::DiskCache files) : files(std::move(files)) {}

  runtime::DiskCache files;
};

/// Adds each of the records to those of its subject.
void addAll(const RecordStore &store, const TuningRecords &records);

} // namespace nereid::tuning
