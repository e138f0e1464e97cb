// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Canvas.h"
#include "nereid/error.h"

#include <agg_conv_dash.h>
#include <agg_conv_stroke.h>
#include <agg_ellipse.h>
#include <agg_embedded_raster_fonts.h>
#include <agg_glyph_raster_bin.h>
#include <agg_path_storage.h>
#include <agg_pixfmt_rgb.h>
#include <agg_rasterizer_scanline_aa.h>
#include <agg_renderer_base.h>
#include <agg_renderer_scanline.h>
#include <agg_scanline_u.h>
#include <png.h>

namespace nereid::command {
namespace {

std::string toAscii(const std::string &text) {
  std::string ascii;
  for (unsigned char c : text)
    if ((c & 0xc0) != 0x80) // once for each character of UTF-8
      ascii += c >= ' ' && c < 0x7f ? static_cast<char>(c) : '?';
  return ascii;
}

agg::rgba8 toAgg(Rgb color, double opacity = 1) {
  return agg::rgba8(color.red, color.green, color.blue, static_cast<unsigned>(opacity * 255 + 0.5));
}

class PngCanvas final : public Canvas {
public:
  PngCanvas(unsigned width, unsigned height)
      : columns(width), rows(height), pixels(size_t(width) * height * 3),
        buffer(pixels.data(), width, height, static_cast<int>(width * 3)), format(buffer),
        renderer(format), glyphs(agg::verdana13) {
    renderer.clear(agg::rgba8(255, 255, 255));
  }
  double width() const override { return columns; }
  double height() const override { return rows; }

  void line(const std::vector<Dot> &dots, Rgb color, double thickness, bool isDashed) override {
    agg::path_storage path = pathOf(dots);
    if (isDashed) {
      agg::conv_dash<agg::path_storage> dashes(path);
      dashes.add_dash(7, 5);
      stroke(dashes, color, thickness);
    } else {
      stroke(path, color, thickness);
    }
  }
  void area(const std::vector<Dot> &dots, Rgb color, double opacity) override {
    agg::path_storage path = pathOf(dots);
    path.close_polygon();
    fill(path, toAgg(color, opacity));
  }
  void disc(Dot center, double radius, Rgb color) override {
    agg::ellipse circle(center.x, center.y, radius, radius);
    fill(circle, toAgg(color));
  }
  void text(Dot place, const std::string &text, Anchor anchor, bool isUpward) override {
    std::string ascii = toAscii(text);
    double before = anchor == Anchor::Start    ? 0
                    : anchor == Anchor::Middle ? textWidth(ascii) / 2
                                               : textWidth(ascii);
    double along = -before; // from `place`, in the direction of reading
    for (char c : ascii) {
      Glyphs::glyph_rect box;
      glyphs.prepare(&box, 0, 0, static_cast<unsigned char>(c), /*flip=*/true);
      for (int row = box.y1; row <= box.y2; ++row) {
        const agg::cover_type *covers = glyphs.span(static_cast<unsigned>(box.y2 - row));
        for (int column = 0; column <= box.x2 - box.x1; ++column) {
          double x = isUpward ? place.x + row : place.x + along + column;
          double y = isUpward ? place.y - along - column : place.y + row;
          if (covers[column])
            renderer.blend_pixel(static_cast<int>(x), static_cast<int>(y), agg::rgba8(0, 0, 0),
                                 covers[column]);
        }
      }
      along += box.dx;
    }
  }
  double textWidth(const std::string &text) const override {
    return glyphs.width(toAscii(text).c_str());
  }
  std::string bytes() const override {
    png_image image = {};
    image.version = PNG_IMAGE_VERSION;
    image.width = columns;
    image.height = rows;
    image.format = PNG_FORMAT_RGB;
    png_alloc_size_t size = 0;
    auto write = [&](void *memory) {
      return png_image_write_to_memory(&image, memory, &size, /*convert_to_8_bit=*/0, pixels.data(),
                                       0, nullptr);
    };
    std::string file;
    if (write(nullptr)) {
      file.resize(size);
      if (write(file.data()))
        return file;
    }
    throw Error(Error::Kind::Environment, std::string("cannot make a picture: ") + image.message);
  }

private:
  using Format = agg::pixfmt_rgb24;
  using Renderer = agg::renderer_base<Format>;
  using Glyphs = agg::glyph_raster_bin<agg::rgba8>;

  static agg::path_storage pathOf(const std::vector<Dot> &dots) {
    agg::path_storage path;
    for (size_t i = 0; i < dots.size(); ++i)
      i ? path.line_to(dots[i].x, dots[i].y) : path.move_to(dots[i].x, dots[i].y);
    return path;
  }
  template <typename Source> void stroke(Source &source, Rgb color, double thickness) {
    agg::conv_stroke<Source> outline(source);
    outline.width(thickness);
    outline.line_join(agg::round_join);
    fill(outline, toAgg(color));
  }
  template <typename Source> void fill(Source &source, agg::rgba8 color) {
    agg::rasterizer_scanline_aa<> rasterizer;
    agg::scanline_u8 scanline;
    rasterizer.add_path(source);
    agg::render_scanlines_aa_solid(rasterizer, scanline, renderer, color);
  }

  unsigned columns, rows;
  std::vector<uint8_t> pixels;
  agg::rendering_buffer buffer;
  Format format;
  Renderer renderer;
  mutable Glyphs glyphs; // which remembers the glyph that it gave last
};

} // namespace

std::unique_ptr<Canvas> makePngCanvas(unsigned width, unsigned height) {
  return std::make_unique<PngCanvas>(width, height);
}

} // namespace nereid::command
