// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Chart.h"
#include "FormatText.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace nereid::command {
namespace {

/// Four significant digits.
std::string rateText(double rate) {
  int decimals = rate >= 1000 ? 0 : rate >= 100 ? 1 : rate >= 10 ? 2 : rate >= 0.1 ? 3 : 5;
  return formatText("%.*f", decimals, rate);
}

std::string cellText(const Point &point) {
  if (!point.failure.empty())
    return "failed";
  return (point.isNoisy ? "~" : "") + rateText(point.rate);
}

std::string quoted(const std::string &text) {
  std::string all = "\"";
  for (char c : text)
    all += c == '"' ? std::string("\"\"") : std::string{c};
  return all + '"';
}

std::string firstLine(const std::string &text) { return text.substr(0, text.find('\n')); }

std::string notes(const Chart &chart) {
  std::string text;
  for (const Ceiling &ceiling : chart.ceilings)
    text += ceiling.name + ": " + rateText(ceiling.rate) + " " + chart.unit + '\n';
  std::set<std::string> known;
  bool isNoisy = false;
  for (const Curve &curve : chart.curves)
    for (const Point &point : curve.points) {
      isNoisy |= point.isNoisy;
      if (!point.failure.empty() && known.insert(curve.name + point.failure).second)
        text += "note: " + curve.name + " failed: " + firstLine(point.failure) + '\n';
    }
  if (isNoisy)
    text += "note: ~ the machine was busy: the middle three fifths of the launches lie more than a "
            "tenth apart\n";
  return text;
}

} // namespace

std::string toTable(const Chart &chart) {
  std::vector<std::vector<std::string>> columns(1, {chart.variable});
  for (int64_t value : chart.values)
    columns[0].push_back(std::to_string(value));
  for (const Curve &curve : chart.curves) {
    columns.push_back({curve.name});
    for (const Point &point : curve.points)
      columns.back().push_back(cellText(point));
  }
  std::string text = chart.title + ", " + chart.unit + ", " + chart.target + '\n';
  for (size_t row = 0; row <= chart.values.size(); ++row) {
    for (const std::vector<std::string> &column : columns) {
      auto longer = [](const std::string &a, const std::string &b) { return a.size() < b.size(); };
      size_t width = std::max_element(column.begin(), column.end(), longer)->size();
      text += (&column == &columns[0] ? "" : "  ") + std::string(width - column[row].size(), ' ') +
              column[row];
    }
    text += '\n';
  }
  return text + notes(chart);
}

std::string toCsv(const Chart &chart) {
  std::string text = chart.variable + ",curve,median_ms,low_ms,high_ms,calls,rate,unit,failure\n";
  for (size_t i = 0; i < chart.values.size(); ++i)
    for (const Curve &curve : chart.curves) {
      const Point &point = curve.points[i];
      text += std::to_string(chart.values[i]) + ',' + quoted(curve.name) + ',';
      if (point.failure.empty())
        text += formatText("%.9g,%.9g,%.9g,%llu,%.9g,%s,\n", point.timing.median, point.timing.low,
                           point.timing.high, static_cast<unsigned long long>(point.timing.calls),
                           point.rate, chart.unit.c_str());
      else
        text += ",,,,," + chart.unit + ',' + quoted(firstLine(point.failure)) + '\n';
    }
  return text;
}

std::string toJson(const Chart &chart) {
  using Json = nlohmann::ordered_json;
  Json curves = Json::array(), ceilings = Json::array();
  for (const Curve &curve : chart.curves) {
    Json points = Json::array();
    for (size_t i = 0; i < chart.values.size(); ++i) {
      const Point &point = curve.points[i];
      Json json = {{chart.variable, chart.values[i]}};
      if (point.failure.empty())
        json.update({{"median_ms", point.timing.median},
                     {"low_ms", point.timing.low},
                     {"high_ms", point.timing.high},
                     {"calls", point.timing.calls},
                     {"rate", point.rate},
                     {"is_noisy", point.isNoisy}});
      else
        json["failure"] = point.failure;
      points.push_back(std::move(json));
    }
    curves.push_back({{"name", curve.name}, {"points", std::move(points)}});
  }
  for (const Ceiling &ceiling : chart.ceilings)
    ceilings.push_back({{"name", ceiling.name}, {"rate", ceiling.rate}});
  Json json = {{"title", chart.title},       {"target", chart.target}, {"unit", chart.unit},
               {"variable", chart.variable}, {"curves", curves},       {"ceilings", ceilings}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

} // namespace nereid::command
