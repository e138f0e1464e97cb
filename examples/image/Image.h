// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nereid::examples {

/// A picture of 8-bit samples: rows from top to bottom, the channels of a pixel side by side.
struct Image {
  int64_t width = 0, height = 0;
  int64_t channels = 3; ///< 3: red, green, blue; 1: grey
  std::vector<uint8_t> samples;
};

/// Reads a .jpg, .jpeg or .png file as red, green and blue. Throws Error if the file cannot be
/// read, is damaged or cut short.
Image readImage(const std::string &path);

/// Writes a .jpg, .jpeg or .png file. Throws Error, and leaves no regular file of that name, if the
/// picture cannot be written.
void writeImage(const std::string &path, const Image &image);

} // namespace nereid::examples
