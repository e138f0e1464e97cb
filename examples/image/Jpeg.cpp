// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Codec.h"

#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include <jpeglib.h>

namespace nereid::examples {
namespace {

/// libjpeg's own handler ends the process on an error and draws on after a warning, such as a file
/// cut short. This one jumps back to the caller for both.
struct ErrorHandler : jpeg_error_mgr {
  ErrorHandler() {
    jpeg_std_error(this);
    error_exit = jumpBack;
    emit_message = [](j_common_ptr codec, int level) {
      if (level < 0)
        jumpBack(codec);
    };
  }
  static void jumpBack(j_common_ptr codec) {
    auto *handler = static_cast<ErrorHandler *>(codec->err);
    handler->format_message(codec, handler->text);
    std::longjmp(handler->caller, 1);
  }

  std::jmp_buf caller;
  char text[JMSG_LENGTH_MAX] = "";
};

struct Decoder : jpeg_decompress_struct {
  Decoder() : jpeg_decompress_struct() { err = &handler; }
  ~Decoder() { jpeg_destroy_decompress(this); }
  ErrorHandler handler;
};

struct Encoder : jpeg_compress_struct {
  Encoder() : jpeg_compress_struct() { err = &handler; }
  ~Encoder() {
    jpeg_destroy_compress(this);
    std::free(memory);
  }
  ErrorHandler handler;
  unsigned char *memory = nullptr;
  unsigned long size = 0;
};

// A jump must not skip a destructor: the next three functions hold nothing that has one.

bool readHeader(Decoder &decoder, const uint8_t *file, size_t size) {
  if (setjmp(decoder.handler.caller))
    return false;
  jpeg_create_decompress(&decoder);
  jpeg_mem_src(&decoder, file, size);
  jpeg_read_header(&decoder, TRUE);
  decoder.out_color_space = JCS_RGB;
  return true;
}

bool readRows(Decoder &decoder, uint8_t *samples) {
  if (setjmp(decoder.handler.caller))
    return false;
  jpeg_start_decompress(&decoder);
  while (decoder.output_scanline < decoder.output_height) {
    JSAMPROW row = samples + size_t(decoder.output_scanline) * decoder.output_width * 3;
    jpeg_read_scanlines(&decoder, &row, 1);
  }
  jpeg_finish_decompress(&decoder);
  return true;
}

bool writeRows(Encoder &encoder, const Image &image) {
  if (setjmp(encoder.handler.caller)) {
    encoder.memory = nullptr; // libjpeg may have freed it already; at worst, this leaks
    return false;
  }
  jpeg_create_compress(&encoder);
  jpeg_mem_dest(&encoder, &encoder.memory, &encoder.size);
  encoder.image_width = JDIMENSION(image.width);
  encoder.image_height = JDIMENSION(image.height);
  encoder.input_components = int(image.channels);
  encoder.in_color_space = image.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&encoder);
  jpeg_set_quality(&encoder, 95, TRUE);
  jpeg_start_compress(&encoder, TRUE);
  while (encoder.next_scanline < encoder.image_height) {
    size_t start = size_t(encoder.next_scanline) * size_t(image.width * image.channels);
    JSAMPROW row = const_cast<uint8_t *>(image.samples.data() + start);
    jpeg_write_scanlines(&encoder, &row, 1);
  }
  jpeg_finish_compress(&encoder);
  return true;
}

void require(bool succeeded, const ErrorHandler &handler) {
  if (!succeeded)
    throw std::runtime_error(std::string("libjpeg: ") + handler.text);
}

} // namespace

Image decodeJpeg(const Bytes &file) {
  Decoder decoder;
  require(readHeader(decoder, file.data(), file.size()), decoder.handler);
  int64_t width = decoder.image_width, height = decoder.image_height;
  if (width * height > maxPixels)
    throw std::runtime_error("the picture is too large");
  Image image{width, height, 3, Bytes(size_t(width * height * 3))};
  require(readRows(decoder, image.samples.data()), decoder.handler);
  return image;
}

Bytes encodeJpeg(const Image &image) {
  if (std::max(image.width, image.height) > JPEG_MAX_DIMENSION)
    throw std::runtime_error("a JPEG picture has at most " + std::to_string(JPEG_MAX_DIMENSION) +
                             " rows and columns");
  Encoder encoder;
  require(writeRows(encoder, image), encoder.handler);
  return Bytes(encoder.memory, encoder.memory + encoder.size);
}

} // namespace nereid::examples
