// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "PredictionTable.h"

#include "FormatText.h"
#include "ReplayTable.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace nereid::command {
namespace {

using Json = nlohmann::ordered_json;

std::string microseconds(double seconds) {
  return seconds > 0 ? formatText("%.1f", seconds * 1e6) : "-";
}

std::string rowOf(const PredictedLaunch &launch) {
  const double measured = launch.measured();
  std::string name = formatText("#%zu %s %s", launch.number, launch.recorded.kernel.c_str(),
                                gridText(launch.recorded.grid).c_str());
  if (!launch.failure.empty())
    return formatText("%12s %12s %6s  %-17s ", "-", microseconds(measured).c_str(), "-", "-") +
           name + ": " + launch.failure.substr(0, launch.failure.find('\n')) + '\n';
  const Analysis &analysis = *launch.analysis;
  std::string ratio = measured > 0 ? formatText("%.2f", analysis.seconds / measured) : "-";
  return formatText("%12s %12s %6s  %-17s ", microseconds(analysis.seconds).c_str(),
                    microseconds(measured).c_str(), ratio.c_str(), analysis.bound.c_str()) +
         name + '\n';
}

/// Shares by which predictions are off, ascending, of the launches that were timed.
std::vector<double> errorsOf(const std::vector<PredictedLaunch> &launches) {
  std::vector<double> errors;
  for (const PredictedLaunch &launch : launches)
    if (launch.analysis && launch.measured() > 0)
      errors.push_back(std::abs(launch.analysis->seconds / launch.measured() - 1));
  std::sort(errors.begin(), errors.end());
  return errors;
}

} // namespace

double PredictedLaunch::measured() const {
  for (const auto &[who, milliseconds] : recorded.milliseconds)
    if (who == "nereid")
      return milliseconds / 1e3;
  return 0;
}

std::string toTable(const std::vector<PredictedLaunch> &launches) {
  std::string text = formatText("%12s %12s %6s  %-17s kernel\n", "predicted us", "Nereid then",
                                "ratio", "bound by");
  for (const PredictedLaunch &launch : launches)
    text += rowOf(launch);
  const std::vector<double> errors = errorsOf(launches);
  if (errors.empty())
    return text + formatText("%zu launches, none of which was timed\n", launches.size());
  auto quantile = [&](size_t percent) { return 100 * errors[(errors.size() - 1) * percent / 100]; };
  return text + formatText("%zu launches; of %zu that were timed predictions are off by %.1f %% at "
                           "the median, %.1f %% at the 90th percentile\n",
                           launches.size(), errors.size(), quantile(50), quantile(90));
}

std::string toDocument(const std::vector<PredictedLaunch> &launches, const std::string &machine) {
  Json json = {{"recorded_on", machine}, {"launches", Json::array()}};
  for (const PredictedLaunch &launch : launches) {
    const RecordedLaunch &recorded = launch.recorded;
    Json entry = {{"launch", launch.number},
                  {"kernel", recorded.kernel},
                  {"grid", {recorded.grid.x, recorded.grid.y, recorded.grid.z}},
                  {"recorded_ms", Json::object()}};
    for (const auto &[who, milliseconds] : recorded.milliseconds)
      entry["recorded_ms"][who] = milliseconds;
    if (launch.analysis) {
      entry["predicted_ms"] = launch.analysis->seconds * 1e3;
      entry["analysis"] = Json::parse(toJson(*launch.analysis));
    } else {
      entry["failure"] = launch.failure;
    }
    json["launches"].push_back(std::move(entry));
  }
  return json.dump(1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace) + '\n';
}

} // namespace nereid::command
