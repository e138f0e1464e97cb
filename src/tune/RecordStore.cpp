// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/RecordStore.h"

#include "driver/RemoteCache.h"
#include "files/OwnDirectory.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"

#include <map>
#include <random>
#include <thread>
#include <unistd.h>

namespace nereid::tuning {
namespace {

std::string subjectKey(const TuningSubject &subject) {
  llvm::BLAKE3 hash;
  for (const std::string *part : {&subject.kernel, &subject.digest, &subject.target, &subject.key})
    hash.update(std::to_string(part->size()) + ':' + *part);
  return llvm::toHex(hash.final<32>(), /*LowerCase=*/true);
}

/// Nothing if they are damaged.
TuningRecords read(const std::optional<std::vector<uint8_t>> &bytes) {
  if (!bytes)
    return {};
  try {
    return TuningRecords::fromText({reinterpret_cast<const char *>(bytes->data()), bytes->size()});
  } catch (const Error &) {
    return {};
  }
}

TuningRecords onlyOf(const TuningSubject &subject, const TuningRecords &records) {
  TuningRecords own;
  for (const TuningRecord &record : records.all())
    if (subjectKey(record.subject) == subjectKey(subject))
      own.add(record);
  return own;
}

} // namespace

std::optional<RecordStore> RecordStore::open() {
  auto options = runtime::DiskCache::optionsFromEnvironment();
  if (!options)
    return std::nullopt;
  options->directory += "/tuning";
  options->suffix = ".json";
  options->next = driver::RemoteCache::ofProcess();
  return RecordStore(runtime::DiskCache(*std::move(options)));
}

TuningRecords RecordStore::find(const TuningSubject &subject) const {
  std::string key = subjectKey(subject);
  TuningRecords records = read(files.find(key));
  records.add(read(files.findNext(key))); // other machines may have tried other configurations
  return onlyOf(subject, records);
}

void RecordStore::add(const TuningSubject &subject, const TuningRecords &records) const {
  auto lock = files.lock(); // what others add between reading and writing would be lost
  TuningRecords all = records;
  files.update(subjectKey(subject), [&](const std::optional<std::vector<uint8_t>> &there) {
    all.add(onlyOf(subject, read(there)));
    std::string text = all.text();
    return std::vector<uint8_t>(text.begin(), text.end());
  });
}

/// The directory stays where somebody waits for it.
Turn::~Turn() {
  if (server)
    server->release(name, owner);
  lock.reset();
  rmdir(directory.c_str());
}

bool Turn::claim(const std::shared_ptr<runtime::NextCache> &with, const std::string &what,
                 std::chrono::milliseconds most) {
  std::random_device random;
  name = what;
  owner = std::to_string(getpid()) + '-' + std::to_string(random()) + std::to_string(random());
  if (!with->claim(name, owner, most))
    return false;
  server = with;
  return true;
}

std::unique_ptr<Turn> RecordStore::takeTurn(const TuningSubject &subject,
                                            std::chrono::milliseconds most,
                                            bool &isPossible) const {
  constexpr std::chrono::milliseconds pause{500};
  std::string name = "turn-" + subjectKey(subject), directory = files.directory() + '/' + name;
  isPossible = files.problem().empty() && files::makeOwnDirectory(directory).empty();
  if (!isPossible)
    return nullptr;
  std::unique_ptr<Turn> turn;
  try {
    auto lock =
        std::make_unique<files::DirectoryLock>(directory, files::DirectoryLock::Means::Any, pause);
    turn = std::make_unique<Turn>(directory, std::move(lock));
  } catch (const Error &) {
    return nullptr; // or who had it before has just removed the directory
  }
  if (!files.next() || turn->claim(files.next(), name, most))
    return turn;
  turn.reset(); // others of this machine need not wait behind this one
  std::this_thread::sleep_for(pause);
  return nullptr;
}

TuningRecords RecordStore::all() const {
  TuningRecords all;
  for (const runtime::DiskCache::Entry &entry : files.entries())
    all.add(read(files.peek(entry.key)));
  return all;
}

void addAll(const RecordStore &store, const TuningRecords &records) {
  std::map<std::string, TuningRecords> bySubject;
  for (const TuningRecord &record : records.all())
    bySubject[subjectKey(record.subject)].add(record);
  for (const auto &[key, own] : bySubject)
    store.add(own.all().front().subject, own);
}

} // namespace nereid::tuning
