// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Commands.h"
#include "FormatText.h"
#include "Timing.h"
#include "files/PendingFile.h"
#include "nereid/tune.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>

namespace nereid::command {
namespace {

struct RecordsSettings {
  std::vector<std::string> files;
  std::string output;
  bool keeps = false, clears = false;
};

void list(const TuningRecords &records) {
  const TuningSubject *last = nullptr;
  for (const TuningRecord &record : records.all()) {
    const TuningSubject &subject = record.subject;
    if (!last || last->digest != subject.digest || last->target != subject.target ||
        last->key != subject.key)
      say(stdout, "%s  %s  %s  (text %.8s)\n", subject.kernel.c_str(), subject.target.c_str(),
          subject.key.c_str(), subject.digest.c_str());
    last = &subject;
    std::string result = record.failure.empty()
                             ? formatDuration(record.timing.median)
                             : "failed: " + record.failure.substr(0, record.failure.find('\n'));
    say(stdout, "    %-40s %s\n", record.configuration.c_str(), result.c_str());
  }
  std::printf("%zu records\n", records.all().size());
}

/// To a file that is among those that are merged others may add meanwhile.
void writeRecords(const TuningRecords &records, const RecordsSettings &settings) {
  auto isOutput = [&](const std::string &file) {
    std::error_code error;
    return std::filesystem::equivalent(file, settings.output, error);
  };
  if (std::ranges::any_of(settings.files, isOutput))
    records.addTo(settings.output);
  else
    records.save(settings.output);
}

void act(const RecordsSettings &settings) {
  if (!settings.output.empty())
    files::requireWritable(settings.output);
  if (settings.clears) {
    std::printf("%zu files removed\n", TuningRecords::clearKept());
    return;
  }
  TuningRecords records = settings.files.empty() ? TuningRecords::kept() : TuningRecords();
  for (const std::string &file : settings.files)
    records.add(TuningRecords::load(file));
  if (settings.keeps)
    records.keep();
  if (!settings.output.empty())
    writeRecords(records, settings);
  if (settings.keeps || !settings.output.empty())
    std::printf("%zu records\n", records.all().size());
  else
    list(records);
}

} // namespace

void defineRecordsCommand(CLI::App &command) {
  auto settings = std::make_shared<RecordsSettings>();
  command.add_option("files", settings->files,
                     "Records to merge (default: those that are kept on this machine)");
  command.add_option("-o,--output", settings->output, "FILE.json: write them all there");
  command.add_flag("--keep", settings->keeps, "Add them to those that are kept");
  command.add_flag("--clear", settings->clears, "Remove those that are kept");
  command.footer(R"help(
Examples
    nereid records                            list what tuning found on this machine
    nereid records -o tuned.json              take it along
    nereid records a.json b.json -o both.json
    nereid records tuned.json --keep          make it this machine's)help");
  command.callback([settings] { act(*settings); });
}

} // namespace nereid::command
