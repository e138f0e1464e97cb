// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What charts are drawn on. Coordinates are pixels from the upper left corner.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace nereid::command {

struct Dot {
  double x, y;
};
struct Rgb {
  uint8_t red, green, blue;
};
enum class Anchor { Start, Middle, End };

class Canvas {
public:
  virtual ~Canvas() = default;
  virtual double width() const = 0;
  virtual double height() const = 0;
  virtual void line(const std::vector<Dot> &dots, Rgb color, double thickness, bool isDashed) = 0;
  /// Filled; 0 is invisible, 1 opaque.
  virtual void area(const std::vector<Dot> &dots, Rgb color, double opacity) = 0;
  virtual void disc(Dot center, double radius, Rgb color) = 0;
  /// One line of text whose baseline begins, is centred or ends at `place`. Upward: it reads from
  /// below to above.
  virtual void text(Dot place, const std::string &text, Anchor anchor, bool isUpward = false) = 0;
  /// About as wide as the text will be.
  virtual double textWidth(const std::string &text) const = 0;
  /// The file that holds the drawing.
  virtual std::string bytes() const = 0;
};

std::unique_ptr<Canvas> makeSvgCanvas(double width, double height);
/// Text is ASCII; other characters become question marks.
std::unique_ptr<Canvas> makePngCanvas(unsigned width, unsigned height);

} // namespace nereid::command
