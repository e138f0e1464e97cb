// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Canvas.h"
#include "Chart.h"
#include "FormatText.h"
#include "files/PendingFile.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace nereid::command {
namespace {

// Okabe and Ito's, which people tell apart who see few colours, without black and yellow.
constexpr Rgb palette[] = {{0, 114, 178},   {213, 94, 0},  {0, 158, 115},
                           {204, 121, 167}, {230, 159, 0}, {86, 180, 233}};
constexpr Rgb black{0, 0, 0}, grey{110, 110, 110}, faint{225, 225, 225};

/// The least of 1, 2 and 5 times a power of ten that is not below.
double roundUp(double value) {
  double power = std::pow(10, std::floor(std::log10(value)));
  for (double factor : {1.0, 2.0, 5.0})
    if (factor * power >= value * (1 - 1e-9))
      return factor * power;
  return 10 * power;
}

/// "2^20" for powers of two that are long otherwise.
std::string valueText(int64_t value) {
  bool isPower = value >= 4096 && std::has_single_bit(static_cast<uint64_t>(value));
  return isPower ? "2^" + std::to_string(std::countr_zero(static_cast<uint64_t>(value)))
                 : std::to_string(value);
}

class Drawing {
public:
  Drawing(const Chart &chart, Canvas &canvas) : chart(chart), canvas(canvas) {
    double longest = 0;
    for (const Curve &curve : chart.curves)
      longest = std::max(longest, canvas.textWidth(curve.name));
    right = canvas.width() - std::min(longest + 60, canvas.width() / 2);
    bottom = canvas.height() - 60;
    for (const Curve &curve : chart.curves)
      for (size_t i = 0; i < curve.points.size(); ++i)
        if (curve.points[i].failure.empty())
          most = std::max(most, curve.points[i].rate);
    for (const Ceiling &ceiling : chart.ceilings)
      most = std::max(most, ceiling.rate);
    step = roundUp(std::max(most, 1e-9) / 8);
    top_ = std::ceil(std::max(most, 1e-9) * 1.04 / step) * step;
    auto [least, greatest] = std::minmax_element(chart.values.begin(), chart.values.end());
    first = scale(*least);
    last = scale(*greatest);
  }

  void draw() {
    rates();
    values();
    canvas.line({{left, top}, {left, bottom}, {right, bottom}}, black, 1, false);
    for (const Ceiling &ceiling : chart.ceilings)
      draw(ceiling);
    for (size_t i = 0; i < chart.curves.size(); ++i)
      draw(chart.curves[i], palette[i % std::size(palette)], i);
    canvas.text({left, top - 22}, chart.title + "  (" + chart.target + ")", Anchor::Start);
    canvas.text({(left + right) / 2, bottom + 46}, chart.variable, Anchor::Middle);
    canvas.text({22, (top + bottom) / 2}, chart.unit, Anchor::Middle, true);
  }

private:
  double scale(int64_t value) const {
    auto number = static_cast<double>(value);
    return chart.isLogarithmic ? std::log2(number) : number;
  }
  double xOf(int64_t value) const {
    double share = last > first ? (scale(value) - first) / (last - first) : 0.5;
    return left + 12 + share * (right - left - 24);
  }
  double yOf(double rate) const { return bottom - rate / top_ * (bottom - top); }

  void rates() {
    int decimals = step >= 1 ? 0 : static_cast<int>(std::ceil(-std::log10(step) - 1e-9));
    for (int i = 0; i * step <= top_ * (1 + 1e-9); ++i) {
      double y = yOf(i * step);
      canvas.line({{left, y}, {right, y}}, faint, 1, false);
      canvas.text({left - 8, y + 4}, formatText("%.*f", decimals, i * step), Anchor::End);
    }
  }
  /// Labels as many as there is room for.
  void values() {
    double used = -INFINITY;
    for (int64_t value : chart.values) {
      double x = xOf(value), half = canvas.textWidth(valueText(value)) / 2;
      if (x - half < used + 10)
        continue;
      canvas.line({{x, bottom}, {x, bottom + 5}}, black, 1, false);
      canvas.text({x, bottom + 22}, valueText(value), Anchor::Middle);
      used = x + half;
    }
  }
  void draw(const Ceiling &ceiling) {
    double y = yOf(ceiling.rate);
    canvas.line({{left, y}, {right, y}}, grey, 1.5, true);
    canvas.text({right - 6, y - 6}, ceiling.name, Anchor::End);
  }
  void draw(const Curve &curve, Rgb color, size_t place) {
    std::vector<Dot> middle, high, low;
    auto finish = [&] { // at a point that is missing, too
      std::vector<Dot> band = high;
      band.insert(band.end(), low.rbegin(), low.rend());
      if (middle.size() > 1) {
        canvas.area(band, color, 0.15);
        canvas.line(middle, color, 2, false);
      }
      for (Dot dot : middle)
        canvas.disc(dot, 3, color);
      middle.clear(), high.clear(), low.clear();
    };
    for (size_t i = 0; i < curve.points.size(); ++i) {
      const Point &point = curve.points[i];
      if (!point.failure.empty()) {
        finish();
        continue;
      }
      double x = xOf(chart.values[i]), amount = point.rate * point.timing.median;
      auto rateAt = [&](double time) { return std::min(time > 0 ? amount / time : 0, top_); };
      middle.push_back({x, yOf(point.rate)});
      high.push_back({x, yOf(rateAt(point.timing.low))});
      low.push_back({x, yOf(rateAt(point.timing.high))});
    }
    finish();
    double y = top + 8 + 20 * static_cast<double>(place);
    canvas.line({{right + 14, y}, {right + 38, y}}, color, 2, false);
    canvas.disc({right + 26, y}, 3, color);
    canvas.text({right + 44, y + 4}, curve.name, Anchor::Start);
  }

  static constexpr double left = 84, top = 48;
  const Chart &chart;
  Canvas &canvas;
  double right, bottom, most = 0, step, top_, first, last;
};

std::string endOf(const std::string &path) {
  size_t dot = path.rfind('.');
  return dot == std::string::npos ? "" : path.substr(dot);
}

std::string toPicture(const Chart &chart, std::unique_ptr<Canvas> canvas) {
  draw(chart, *canvas);
  return canvas->bytes();
}

} // namespace

void draw(const Chart &chart, Canvas &canvas) { Drawing(chart, canvas).draw(); }

void requireChartPath(const std::string &path) {
  std::string end = endOf(path);
  if (end != ".csv" && end != ".json" && end != ".svg" && end != ".png")
    throw Error(Error::Kind::Usage,
                "cannot write '" + path + "': the name ends in .csv, .json, .svg or .png");
  files::requireWritable(path);
}

void writeChart(const Chart &chart, const std::string &path) {
  constexpr unsigned width = 1000, height = 560;
  requireChartPath(path);
  std::string end = endOf(path);
  std::string bytes = end == ".csv"    ? toCsv(chart)
                      : end == ".json" ? toJson(chart)
                      : end == ".svg"  ? toPicture(chart, makeSvgCanvas(width, height))
                                       : toPicture(chart, makePngCanvas(width, height));
  files::PendingFile file(path);
  file.write(bytes.data(), bytes.size());
  file.finish();
  file.commit();
}

} // namespace nereid::command
