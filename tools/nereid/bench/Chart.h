// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a benchmark found, and the forms in which it is written.
#pragma once

#include "nereid/tune.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nereid::command {

/// One line at one value of the sweep.
struct Point {
  Timing timing;
  double rate = 0;
  bool isNoisy = false;
  /// Why there is none; empty if there is.
  std::string failure;
};

struct Curve {
  std::string name;
  std::vector<Point> points; ///< one for each of Chart::values
};

/// As fast as the machine goes, or as somebody says.
struct Ceiling {
  std::string name;
  double rate;
};

struct Chart {
  std::string title, target;
  std::string variable; ///< what the values are values of
  std::vector<int64_t> values;
  bool isLogarithmic = false;
  std::string unit; ///< of rates: "GB/s", "TFLOP/s"
  std::vector<Curve> curves;
  std::vector<Ceiling> ceilings;
};

/// For people: a row for each value, a column for each curve. "~" marks what the machine was too
/// restless for; reasons of failures follow.
std::string toTable(const Chart &chart);
/// A row for each point: variable, curve, median_ms, low_ms, high_ms, calls, rate, unit, failure.
std::string toCsv(const Chart &chart);
std::string toJson(const Chart &chart);

class Canvas;
/// Draws curves with the band between their quantiles, ceilings as dashed lines, axes and legend.
void draw(const Chart &chart, Canvas &canvas);

/// Writes the chart in the form that the end of the path says: .csv, .json, .svg or .png.
void writeChart(const Chart &chart, const std::string &path);
/// Throws Error(Usage) for a path that ends otherwise, or Error(Environment) where no file can be.
void requireChartPath(const std::string &path);

} // namespace nereid::command
