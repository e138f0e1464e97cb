// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CheckSettings.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

namespace nereid::command {
namespace {

using Json = nlohmann::ordered_json;

Json placeJson(const Place &place) {
  return {{"file", place.file}, {"line", place.line}, {"column", place.column}};
}

Json findingJson(const Finding &finding) {
  Json json = {{"id", finding.id},
               {"severity", finding.isWarning ? "warning" : "error"},
               {"text", finding.text},
               {"place", placeJson(finding.place)},
               {"count", finding.count}};
  if (finding.thread)
    json["thread"] = {finding.thread->x, finding.thread->y, finding.thread->z};
  if (finding.program)
    json["program"] = {finding.program->x, finding.program->y, finding.program->z};
  if (finding.lane >= 0)
    json["lane"] = finding.lane;
  if (!finding.array.empty()) {
    json["array"] = finding.array;
    json["index"] = finding.index;
  }
  json["calls"] = Json::array();
  for (const Place &call : finding.calls)
    json["calls"].push_back(placeJson(call));
  json["notes"] = Json::array();
  for (const Finding::Note &note : finding.notes) {
    Json entry = {{"text", note.text}};
    if (note.place.line)
      entry["place"] = placeJson(note.place);
    json["notes"].push_back(std::move(entry));
  }
  return json;
}

} // namespace

std::string toJson(const std::vector<Finding> &findings, const std::string &error) {
  Json json = {{"findings", Json::array()}};
  if (!error.empty())
    json["error"] = error;
  for (const Finding &finding : findings)
    json["findings"].push_back(findingJson(finding));
  return json.dump(2, ' ', /*ensure_ascii=*/true, nlohmann::json::error_handler_t::replace) + '\n';
}

void CheckSettings::addTo(CLI::App &command) {
  command
      .add_option("--find", finds,
                  "With --device check, also: nonfinite (where an infinity or NaN begins), orders "
                  "(whether results depend on the order of programs), promises (a false "
                  "multiple_of is an error)")
      ->delimiter(',')
      ->type_size(1)
      ->allow_extra_args(false)
      ->check(CLI::IsMember({"nonfinite", "orders", "promises"}));
  command.add_option("--ignore", ignored, "With --device check, kinds of findings to leave out")
      ->delimiter(',')
      ->type_size(1)
      ->allow_extra_args(false);
  command.add_option("--most-findings", mostFindings, "Findings to list (default: 100)")
      ->check(CLI::Range(1, 1'000'000));
  command
      .add_option("--break", breaks,
                  "FILE:LINE[,pid=X[:Y[:Z]]][,tid=X[:Y[:Z]]]: with --device check, stop there, and "
                  "ask")
      ->type_size(1)
      ->allow_extra_args(false);
  command.add_option("--report", report, "How findings are written: text or json")
      ->check(CLI::IsMember({"text", "json"}));
}

bool CheckSettings::isAsked() const {
  return !finds.empty() || !ignored.empty() || !breaks.empty() || mostFindings;
}

std::vector<BreakRequest> CheckSettings::breakRequests() const {
  std::vector<BreakRequest> requests;
  for (const std::string &text : breaks)
    requests.push_back(parseBreak(text));
  return requests;
}

CheckOptions CheckSettings::read(uint64_t seed, std::function<void(const Finding &)> warn,
                                 Prompt &prompt) const {
  auto has = [&](const char *name) {
    return std::find(finds.begin(), finds.end(), name) != finds.end();
  };
  CheckOptions options{.refusesBrokenPromises = has("promises"),
                       .findsNonFinite = has("nonfinite"),
                       .comparesOrders = has("orders"),
                       .seed = has("orders") ? seed : 0,
                       .mostFindings = mostFindings,
                       .warn = std::move(warn),
                       .ignored = ignored};
  for (const BreakRequest &request : breakRequests())
    options.breakpoints.push_back(request.place);
  if (!breaks.empty())
    options.stopped = [&prompt](const Stop &stop) { return prompt.stop(stop); };
  return options;
}

} // namespace nereid::command
