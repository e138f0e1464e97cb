// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "files/DirectoryLock.h"
#include "files/PendingFile.h"
#include "nereid/tune.h"
#include "tune/Fields.h"
#include "tune/RecordStore.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <tuple>

namespace nereid {
namespace {

using tuning::Json;

constexpr const char *format = "nereid tuning records";
constexpr int formatVersion = 1;

auto identity(const TuningRecord &record) {
  const TuningSubject &subject = record.subject;
  return std::tie(subject.kernel, subject.digest, subject.target, subject.key, record.compiler,
                  record.configuration);
}

/// Whether `record` tells more than `other`. All that may differ counts, so that no two records
/// that do are alike.
bool isBetter(const TuningRecord &record, const TuningRecord &other) {
  auto order = [](const TuningRecord &of) {
    return std::make_tuple(of.failure.empty(), of.timing.calls, -of.timing.median, -of.timing.low,
                           -of.timing.high, of.failure);
  };
  return order(record) > order(other);
}

Json toJson(const TuningRecord &record) {
  Json json = {{"kernel", record.subject.kernel}, {"key", record.subject.key},
               {"target", record.subject.target}, {"configuration", record.configuration},
               {"digest", record.subject.digest}, {"compiler", record.compiler}};
  if (!record.failure.empty()) {
    json["failure"] = record.failure;
    return json;
  }
  json["median_ms"] = record.timing.median;
  json["low_ms"] = record.timing.low;
  json["high_ms"] = record.timing.high;
  json["calls"] = record.timing.calls;
  return json;
}

TuningRecord toRecord(const Json &json) {
  TuningRecord record;
  auto read = [&]<typename T>(const char *key, T &into) { into = tuning::fieldOf<T>(json, key); };
  read("kernel", record.subject.kernel);
  read("key", record.subject.key);
  read("target", record.subject.target);
  read("digest", record.subject.digest);
  read("compiler", record.compiler);
  read("configuration", record.configuration);
  if (json.contains("failure")) {
    read("failure", record.failure);
    return record;
  }
  read("median_ms", record.timing.median);
  read("low_ms", record.timing.low);
  read("high_ms", record.timing.high);
  read("calls", record.timing.calls);
  return record;
}

} // namespace

void TuningRecords::add(TuningRecord record) {
  auto less = [](const TuningRecord &a, const TuningRecord &b) {
    return identity(a) < identity(b);
  };
  auto place = std::lower_bound(records.begin(), records.end(), record, less);
  if (place == records.end() || identity(*place) != identity(record))
    records.insert(place, std::move(record));
  else if (isBetter(record, *place))
    *place = std::move(record);
}

void TuningRecords::add(const TuningRecords &others) {
  for (const TuningRecord &record : others.records)
    add(record);
}

std::string TuningRecords::text() const {
  Json list = Json::array();
  for (const TuningRecord &record : records)
    list.push_back(toJson(record));
  Json json = {{"format", format}, {"version", formatVersion}, {"records", std::move(list)}};
  return json.dump(1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace) + '\n';
}

TuningRecords TuningRecords::fromText(std::string_view text, const std::string &name) {
  auto damaged = [&](const std::string &why) {
    return Error(Error::Kind::Environment, name + " holds no tuning records: " + why);
  };
  Json json;
  size_t number = 0; // of a record
  try {
    json = Json::parse(text);
    if (tuning::field(json, "format") != format)
      throw Error(Error::Kind::Environment, name + " holds no tuning records");
    if (tuning::field(json, "version") != formatVersion)
      throw Error(Error::Kind::Environment,
                  name + " holds tuning records of another version of Nereid");
    TuningRecords records;
    for (const Json &record : tuning::arrayField(json, "records")) {
      records.add(toRecord(record));
      ++number;
    }
    return records;
  } catch (const tuning::FieldMistake &mistake) {
    std::string why = tuning::describe(json, mistake);
    size_t line = why.starts_with("/records/") ? tuning::lineOfElement(text, "records", number) : 0;
    throw damaged(line ? "in line " + std::to_string(line) + ", " + why : why);
  } catch (const Json::exception &error) {
    throw damaged(tuning::describe(error));
  }
}

TuningRecords TuningRecords::load(const std::string &path) {
  std::error_code error;
  if (std::filesystem::is_character_file(path, error)) // /dev/full and /dev/zero never end
    throw Error(Error::Kind::Environment, path + " is a device and holds no tuning records");
  // A file may claim any size, and a pipe says none.
  auto refuseIfLarger = [&](uintmax_t bytes) {
    if (bytes > runtime::largestEntry)
      throw Error(Error::Kind::Environment, path + " is larger than " +
                                                std::to_string(runtime::largestEntry >> 20) +
                                                " MiB and holds no tuning records");
  };
  if (uintmax_t bytes = std::filesystem::file_size(path, error); !error)
    refuseIfLarger(bytes);
  std::ifstream file(path, std::ios::binary);
  std::string text;
  for (char chunk[1 << 16]; file.read(chunk, sizeof(chunk)) || file.gcount() > 0;) {
    text.append(chunk, static_cast<size_t>(file.gcount()));
    refuseIfLarger(text.size());
  }
  if (!file.eof()) // it could not be opened, or is a directory
    throw Error(Error::Kind::Environment, "cannot read tuning records from " + path);
  return fromText(text, path);
}

void TuningRecords::save(const std::string &path) const {
  std::string all = text();
  files::PendingFile file(path);
  file.write(all.data(), all.size());
  file.finish();
  file.commit();
}

void TuningRecords::addTo(const std::string &path) const {
  files::requireWritable(path);
  std::filesystem::path place = files::followLinks(path);
  files::DirectoryLock lock(place.parent_path());
  TuningRecords all = std::filesystem::exists(place) ? load(path) : TuningRecords();
  all.add(*this);
  all.save(path);
}

TuningRecords TuningRecords::kept() {
  std::optional<tuning::RecordStore> store = tuning::RecordStore::open();
  return store ? store->all() : TuningRecords();
}

void TuningRecords::keep() const {
  if (std::optional<tuning::RecordStore> store = tuning::RecordStore::open())
    tuning::addAll(*store, *this);
}

size_t TuningRecords::clearKept() {
  std::optional<tuning::RecordStore> store = tuning::RecordStore::open();
  return store ? store->clear() : 0;
}

} // namespace nereid
