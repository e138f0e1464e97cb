// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Canvas.h"
#include "FormatText.h"

namespace nereid::command {
namespace {

std::string hex(Rgb color) {
  return formatText("#%02x%02x%02x", color.red, color.green, color.blue);
}

std::string pointsOf(const std::vector<Dot> &dots) {
  std::string text;
  for (Dot dot : dots)
    text += formatText(text.empty() ? "%.2f,%.2f" : " %.2f,%.2f", dot.x, dot.y);
  return text;
}

std::string escaped(const std::string &text) {
  std::string all;
  for (char c : text)
    switch (c) {
    case '<':
      all += "&lt;";
      break;
    case '>':
      all += "&gt;";
      break;
    case '&':
      all += "&amp;";
      break;
    default:
      all += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
  return all;
}

class SvgCanvas final : public Canvas {
public:
  SvgCanvas(double width, double height) : width_(width), height_(height) {}
  double width() const override { return width_; }
  double height() const override { return height_; }

  void line(const std::vector<Dot> &dots, Rgb color, double thickness, bool isDashed) override {
    body +=
        formatText("<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"%g\"%s/>\n",
                   pointsOf(dots).c_str(), hex(color).c_str(), thickness,
                   isDashed ? " stroke-dasharray=\"7 5\"" : "");
  }
  void area(const std::vector<Dot> &dots, Rgb color, double opacity) override {
    body += formatText("<polygon points=\"%s\" fill=\"%s\" fill-opacity=\"%g\"/>\n",
                       pointsOf(dots).c_str(), hex(color).c_str(), opacity);
  }
  void disc(Dot center, double radius, Rgb color) override {
    body += formatText("<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%g\" fill=\"%s\"/>\n", center.x,
                       center.y, radius, hex(color).c_str());
  }
  void text(Dot place, const std::string &text, Anchor anchor, bool isUpward) override {
    const char *anchors[] = {"start", "middle", "end"};
    std::string turn =
        isUpward ? formatText(" transform=\"rotate(-90 %.2f %.2f)\"", place.x, place.y) : "";
    body +=
        formatText("<text x=\"%.2f\" y=\"%.2f\" text-anchor=\"%s\"%s>%s</text>\n", place.x, place.y,
                   anchors[static_cast<int>(anchor)], turn.c_str(), escaped(text).c_str());
  }
  double textWidth(const std::string &text) const override {
    return 0.7 * fontSize * static_cast<double>(text.size()); // of capitals in a wide sans-serif
  }
  std::string bytes() const override {
    return formatText("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" "
                      "viewBox=\"0 0 %g %g\" font-family=\"Verdana, DejaVu Sans, sans-serif\" "
                      "font-size=\"%g\">\n"
                      "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
                      width_, height_, width_, height_, fontSize) +
           body + "</svg>\n";
  }

private:
  static constexpr double fontSize = 13;
  double width_, height_;
  std::string body;
};

} // namespace

std::unique_ptr<Canvas> makeSvgCanvas(double width, double height) {
  return std::make_unique<SvgCanvas>(width, height);
}

} // namespace nereid::command
