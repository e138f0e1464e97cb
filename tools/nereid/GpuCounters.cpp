// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "GpuCounters.h"

#include "FormatText.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace nereid::command {
namespace {

enum class How { Sum, Least };

struct Metric {
  const char *key;
  How how;
  std::vector<std::string> names;
};

std::vector<std::string> wordsOf(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

const std::vector<Metric> &metrics() {
  static const std::vector<Metric> list = {
#define COUNTER(key, name, how, metrics) {#key, How::how, wordsOf(metrics)},
#include "nereid/gpu_counters.def"
  };
  return list;
}

/// The cells of a line of CSV that stands in quotes; a quote within is doubled.
std::vector<std::string> cellsOf(std::string_view line) {
  std::vector<std::string> cells(1);
  bool isQuoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && isQuoted && line.substr(i + 1).starts_with('"'))
      cells.back() += line[i++];
    else if (line[i] == '"')
      isQuoted = !isQuoted;
    else if (line[i] == ',' && !isQuoted)
      cells.emplace_back();
    else if (line[i] != '\r')
      cells.back() += line[i];
  }
  return cells;
}

/// What one of ncu's units is in bytes or microseconds; others are numbers.
double scaleOf(std::string_view unit) {
  static constexpr std::pair<std::string_view, double> scales[] = {
      {"Kbyte", 1e3}, {"Mbyte", 1e6},   {"Gbyte", 1e9}, {"Tbyte", 1e12}, {"nsecond", 1e-3},
      {"ns", 1e-3},   {"msecond", 1e3}, {"ms", 1e3},    {"second", 1e6}, {"s", 1e6},
  };
  for (auto [name, scale] : scales)
    if (unit == name)
      return scale;
  return 1;
}

/// "16,777,216"; nothing for "n/a".
std::optional<double> numberOf(std::string text) {
  std::erase(text, ',');
  double value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size())
    return {};
  return value;
}

/// The last line that tells of an error, or the last one.
std::string complaintIn(std::string_view output) {
  std::string last, complaint;
  for (size_t begin = 0; begin < output.size();) {
    const size_t end = std::min(output.find('\n', begin), output.size());
    const std::string line(output.substr(begin, end - begin));
    if (line.find_first_not_of(" \r") != line.npos) {
      last = line;
      // ncu's own "the application returned an error" says less than what the application said.
      if (line.find("error: ") != line.npos || (complaint.empty() && line.starts_with("==ERROR==")))
        complaint = line;
    }
    begin = end + 1;
  }
  return complaint.empty() ? last : complaint;
}

/// All that a program prints, and how it has ended; nothing if it cannot be begun.
std::optional<std::pair<std::string, int>> outputOf(std::vector<std::string> words) {
  int ends[2];
  if (pipe(ends))
    return {};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  posix_spawn_file_actions_addclose(&actions, ends[1]);
  std::vector<char *> pointers;
  for (std::string &word : words)
    pointers.push_back(word.data());
  pointers.push_back(nullptr);
  pid_t process = 0;
  const int failure =
      posix_spawnp(&process, pointers[0], &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text;
  char part[4096];
  for (ssize_t size = 0; !failure; text.append(part, static_cast<size_t>(size))) {
    size = read(ends[0], part, sizeof part);
    if (size < 0 && errno == EINTR)
      size = 0;
    else if (size <= 0)
      break;
  }
  close(ends[0]);
  if (failure)
    return {};
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return std::pair(std::move(text), status);
}

std::string selfPath() {
  char path[4096];
  const ssize_t size = readlink("/proc/self/exe", path, sizeof path);
  return {path, size > 0 ? static_cast<size_t>(size) : 0};
}

std::string numberText(const std::optional<double> &value) {
  if (!value)
    return "-";
  if (*value < 1000 && *value != std::floor(*value))
    return formatText("%.1f", *value);
  std::string digits = formatText("%.0f", *value), text;
  for (size_t i = 0; i < digits.size(); ++i)
    text += (i && (digits.size() - i) % 3 == 0 ? "," : "") + digits.substr(i, 1);
  return text;
}

} // namespace

NcuReport readNcu(std::string_view output) {
  NcuReport report;
  std::vector<std::vector<std::string>> lines; // names, units, values
  bool isTable = false;
  for (size_t begin = 0; begin < output.size() && lines.size() < 3;) {
    const size_t end = std::min(output.find('\n', begin), output.size());
    const std::string_view line = output.substr(begin, end - begin);
    isTable |= line.starts_with("\"ID\"");
    if (isTable && line.starts_with('"'))
      lines.push_back(cellsOf(line));
    begin = end + 1;
  }
  if (output.find("ERR_NVGPUCTRPERM") != output.npos)
    report.whyNot = "the driver lets administrators alone read a GPU's counters "
                    "(ERR_NVGPUCTRPERM); without --counters a profile needs no permission";
  else if (lines.size() < 3)
    report.whyNot = "ncu has counted nothing: " + complaintIn(output);
  if (!report.whyNot.empty())
    return report;
  for (size_t i = 0; i < std::min({lines[0].size(), lines[1].size(), lines[2].size()}); ++i)
    if (std::optional<double> value = numberOf(lines[2][i]))
      report.values[lines[0][i]] = *value * scaleOf(lines[1][i]);
  return report;
}

NcuReport countByNcu(const std::vector<std::string> &runWords) {
  std::string names;
  for (const Metric &metric : metrics())
    for (const std::string &name : metric.names)
      names += (names.empty() ? "" : ",") + name;
  // The GPU's clock as it is: at ncu's base clock times would be others.
  std::vector<std::string> words = {
      "ncu",       "--csv", "--page",   "raw", "--clock-control", "none", "--launch-count", "1",
      "--metrics", names,   selfPath(), "run"};
  words.insert(words.end(), runWords.begin(), runWords.end());
  auto output = outputOf(std::move(words));
  if (!output)
    return {{},
            "PATH has no ncu (NVIDIA Nsight Compute), which reads a GPU's counters; without "
            "--counters a profile needs none"};
  return readNcu(output->first);
}

std::vector<CountedOnGpu::Row> rowsOf(const Analysis *analysis, const NcuReport &report) {
  std::vector<CountedOnGpu::Row> rows;
  const std::vector<HardwareCounter> predicted =
      analysis ? hardwareCounters(*analysis) : hardwareCounters({});
  for (size_t i = 0; i < metrics().size(); ++i) {
    CountedOnGpu::Row row{predicted[i].key, predicted[i].name, {}, {}};
    if (analysis)
      row.predicted = predicted[i].predicted;
    for (const std::string &name : metrics()[i].names)
      if (auto found = report.values.find(name); found != report.values.end())
        row.counted = !row.counted                     ? found->second
                      : metrics()[i].how == How::Least ? std::min(*row.counted, found->second)
                                                       : *row.counted + found->second;
    if (row.predicted || row.counted)
      rows.push_back(std::move(row));
  }
  return rows;
}

std::string toText(const CountedOnGpu &counted) {
  std::string text = formatText("%s on %s: one launch, as predicted and as ncu counts it\n",
                                counted.kernel.c_str(), counted.device.c_str());
  text += formatText("  %18s  %18s  %5s\n", "predicted", "counted", "ratio");
  for (const CountedOnGpu::Row &row : counted.rows) {
    if (!row.predicted.value_or(0) && !row.counted.value_or(0))
      continue;
    const bool hasRatio = row.predicted && row.counted && *row.counted > 0;
    text += formatText("  %18s  %18s  %5s  %s\n", numberText(row.predicted).c_str(),
                       numberText(row.counted).c_str(),
                       hasRatio ? formatText("%.2f", *row.predicted / *row.counted).c_str() : "",
                       row.name.c_str());
  }
  if (!counted.notCounted.empty())
    text += "not counted: " + counted.notCounted + '\n';
  if (!counted.notPredicted.empty())
    text += "not predicted: " + counted.notPredicted + '\n';
  return text;
}

std::string toJson(const CountedOnGpu &counted) {
  using Json = nlohmann::ordered_json;
  Json json = {{"kernel", counted.kernel},
               {"device", counted.device},
               {"grid", {counted.grid.x, counted.grid.y, counted.grid.z}},
               {"counters", Json::object()},
               {"not_counted", counted.notCounted},
               {"not_predicted", counted.notPredicted}};
  auto orNull = [](const std::optional<double> &value) { return value ? Json(*value) : Json(); };
  for (const CountedOnGpu::Row &row : counted.rows)
    json["counters"][row.key] = {
        {"name", row.name}, {"predicted", orNull(row.predicted)}, {"counted", orNull(row.counted)}};
  return json.dump(1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace) + '\n';
}

} // namespace nereid::command
