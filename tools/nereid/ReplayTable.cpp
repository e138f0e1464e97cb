// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ReplayTable.h"

#include "FormatText.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

namespace nereid::command {
namespace {

using Json = nlohmann::ordered_json;

std::string headOf(const std::string &text) { return text.substr(0, text.find('\n')); }

/// Of those who launched it when it was recorded; empty if nobody timed it.
std::string recordedTime(const RecordedLaunch &launch, const char *who) {
  for (const auto &[name, milliseconds] : launch.milliseconds)
    if (name == who)
      return formatText("%.1f", milliseconds * 1e3);
  return "-";
}

struct Group {
  std::string kernel;
  std::vector<const ReplayedLaunch *> launches;
  double milliseconds = 0;
};

std::vector<Group> grouped(const std::vector<ReplayedLaunch> &launches) {
  std::map<std::string, size_t> places;
  std::vector<Group> groups;
  for (const ReplayedLaunch &launch : launches) {
    auto [entry, isNew] = places.try_emplace(launch.recorded.kernel, groups.size());
    if (isNew)
      groups.push_back({launch.recorded.kernel, {}, 0});
    Group &group = groups[entry->second];
    group.launches.push_back(&launch);
    group.milliseconds += launch.totalMilliseconds();
  }
  // The heaviest first; of equal ones in the order in which the program came to them.
  std::sort(groups.begin(), groups.end(), [](const Group &a, const Group &b) {
    return std::pair(-a.milliseconds, a.launches.front()->number) <
           std::pair(-b.milliseconds, b.launches.front()->number);
  });
  for (Group &group : groups)
    std::sort(group.launches.begin(), group.launches.end(), [](auto *a, auto *b) {
      return std::pair(-a->totalMilliseconds(), a->number) <
             std::pair(-b->totalMilliseconds(), b->number);
    });
  return groups;
}

constexpr const char *indent = "                                                       ";

std::string remarkLines(const ReplayedLaunch &launch) {
  std::string lines, last;
  size_t shown = 0;
  for (const Remark &remark : launch.remarks) {
    std::string line = headOf(remark.report);
    if (line == last || line.empty())
      continue;
    constexpr size_t most = 6;
    if (++shown > most)
      break;
    lines += indent + line + '\n';
    last = line;
  }
  return lines;
}

std::string rowOf(const ReplayedLaunch &launch, double all) {
  const RecordedLaunch &recorded = launch.recorded;
  std::string what = "  #" + std::to_string(launch.number) + " " + gridText(recorded.grid);
  if (!recorded.described.empty())
    what += formatText(", %zu arrays drawn anew", recorded.described.size());
  std::string time = launch.measured ? formatText("%.1f", launch.measured->median() * 1e3) : "-";
  std::string share = all > 0 ? formatText("%.1f%%", 100 * launch.totalMilliseconds() / all) : "-";
  if (!launch.failure.empty())
    what += ": " + headOf(launch.failure);
  return formatText("%12s %7s %7llu %11s %11s  ", time.c_str(), share.c_str(),
                    static_cast<unsigned long long>(recorded.calls),
                    recordedTime(recorded, "nereid").c_str(),
                    recordedTime(recorded, "triton").c_str()) +
         what + '\n';
}

Json toJson(const Remark &remark) {
  return {{"id", remark.id},
          {"text", remark.text},
          {"accepted", remark.accepted},
          {"file", remark.place.file},
          {"line", remark.place.line}};
}

Json toJson(const ReplayedLaunch &launch) {
  const RecordedLaunch &recorded = launch.recorded;
  Json json = {{"launch", launch.number},
               {"kernel", recorded.kernel},
               {"grid", {recorded.grid.x, recorded.grid.y, recorded.grid.z}},
               {"calls", recorded.calls},
               {"bytes", recorded.bytes},
               {"described", recorded.described},
               {"recorded_ms", Json::object()}};
  for (const auto &[who, milliseconds] : recorded.milliseconds)
    json["recorded_ms"][who] = milliseconds;
  if (!launch.failure.empty())
    json["failure"] = launch.failure;
  else
    json["compile_ms"] = launch.compileMilliseconds;
  if (launch.measured) {
    json["median_ms"] = launch.measured->median();
    json["least_ms"] = launch.measured->quantile(0);
    json["spread"] = launch.measured->spread();
    json["turns"] = launch.measured->times().size();
  }
  json["remarks"] = Json::array();
  for (const Remark &remark : launch.remarks)
    json["remarks"].push_back(toJson(remark));
  return json;
}

} // namespace

std::string gridText(Grid grid) {
  return std::to_string(grid.x) + "x" + std::to_string(grid.y) + "x" + std::to_string(grid.z);
}

std::string toTable(const std::vector<ReplayedLaunch> &launches, bool withRemarks) {
  double all = 0;
  size_t failed = 0;
  for (const ReplayedLaunch &launch : launches) {
    all += launch.totalMilliseconds();
    failed += !launch.failure.empty();
  }
  std::string text = formatText("%12s %7s %7s %11s %11s  kernel\n", "median us", "share", "calls",
                                "Nereid then", "Triton then");
  for (const Group &group : grouped(launches)) {
    text += formatText("%12s %7s %7s %11s %11s  ", "",
                       all > 0 ? formatText("%.1f%%", 100 * group.milliseconds / all).c_str() : "-",
                       "", "", "") +
            group.kernel + '\n';
    for (const ReplayedLaunch *launch : group.launches) {
      text += rowOf(*launch, all);
      if (withRemarks)
        text += remarkLines(*launch);
    }
  }
  text += formatText("%zu distinct launches", launches.size());
  if (failed)
    text += formatText(", %zu of which did not run", failed);
  if (all > 0)
    text += formatText("; as often as the program made them they take %.3f ms", all);
  return text + '\n';
}

std::string toDocument(const std::vector<ReplayedLaunch> &launches, const std::string &machine,
                       const std::string &device) {
  Json json = {{"recorded_on", machine}, {"device", device}, {"launches", Json::array()}};
  for (const ReplayedLaunch &launch : launches)
    json["launches"].push_back(toJson(launch));
  return json.dump(1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace) + '\n';
}

} // namespace nereid::command
