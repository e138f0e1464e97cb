// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Codec.h"

#include <cstring>
#include <png.h>
#include <stdexcept>

namespace nereid::examples {
namespace {

/// libpng's simple interface reports an error as a return value and a message.
struct PngImage : png_image {
  PngImage() : png_image() { version = PNG_IMAGE_VERSION; }
  ~PngImage() { png_image_free(this); }
  PngImage(const PngImage &) = delete;
  PngImage &operator=(const PngImage &) = delete;

  void require(int succeeded) const {
    if (!succeeded)
      throw std::runtime_error(std::string("libpng: ") + message);
  }
};

} // namespace

Image decodePng(const Bytes &file) {
  PngImage png;
  png.require(png_image_begin_read_from_memory(&png, file.data(), file.size()));
  if (int64_t(png.width) * png.height > maxPixels)
    throw std::runtime_error("the picture is too large");
  png.format = PNG_FORMAT_RGB;
  Image image{png.width, png.height, 3, Bytes(PNG_IMAGE_SIZE(png))};
  png.require(png_image_finish_read(&png, nullptr, image.samples.data(), 0, nullptr));
  return image;
}

Bytes encodePng(const Image &image) {
  PngImage png;
  png.width = png_uint_32(image.width);
  png.height = png_uint_32(image.height);
  png.format = image.channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(png);
  Bytes file(size);
  png.require(
      png_image_write_to_memory(&png, file.data(), &size, 0, image.samples.data(), 0, nullptr));
  file.resize(size);
  return file;
}

} // namespace nereid::examples
