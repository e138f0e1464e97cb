// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// greyscale INPUT OUTPUT: greys a picture (.jpg or .png).
#include "image/Image.h"

#include "nereid/nereid.h"

#include <cstdio>

using nereid::examples::Image;

/// The kernel wants all red samples, then all green ones, then all blue ones.
static std::vector<uint8_t> planesOf(const Image &image) {
  size_t pixels = size_t(image.width * image.height);
  std::vector<uint8_t> planes(3 * pixels);
  for (size_t i = 0; i < 3 * pixels; ++i)
    planes[i % 3 * pixels + i / 3] = image.samples[i];
  return planes;
}

static Image greyOf(const Image &image) {
  int64_t height = image.height, width = image.width;
  nereid::Device device = nereid::Device::open("cpu");
  nereid::Array colours = device.array(planesOf(image), {3, height, width});
  nereid::Array grey = device.empty(nereid::DType::UInt8, {height, width});

  auto module = nereid::Module::load(NEREID_SOURCE_DIR "/kernels/practitioner.py");
  module.kernel("rgb2grey_k")
      .launch(device, {nereid::cdiv(height, 32), nereid::cdiv(width, 32)},
              {{"x_ptr", colours},
               {"out_ptr", grey},
               {"h", height},
               {"w", width},
               {"bs0", 32},
               {"bs1", 32}});
  return {width, height, 1, grey.toVector<uint8_t>()};
}

int main(int argc, char **argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s INPUT OUTPUT (.jpg or .png)\n", argv[0]);
    return 1;
  }
  try {
    nereid::examples::writeImage(argv[2], greyOf(nereid::examples::readImage(argv[1])));
    return 0;
  } catch (const nereid::Error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
