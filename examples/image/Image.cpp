// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Image.h"

#include "Codec.h"

#include "nereid/nereid.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

namespace nereid::examples {
namespace {

struct Codec {
  Image (*decode)(const Bytes &);
  Bytes (*encode)(const Image &);
};

Codec codecFor(const std::string &path) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return char(std::tolower(c)); });
  if (extension == ".jpg" || extension == ".jpeg")
    return {decodeJpeg, encodeJpeg};
  if (extension == ".png")
    return {decodePng, encodePng};
  throw Error(Error::Kind::Usage,
              "'" + path + "': a picture's name must end in .jpg, .jpeg or .png");
}

[[noreturn]] void failEnvironment(const std::string &call, const std::string &path,
                                  const std::string &reason) {
  throw Error(Error::Kind::Environment, call + " '" + path + "': " + reason);
}

struct CloseFile {
  void operator()(std::FILE *file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

Bytes readFile(const std::string &path) {
  File file(std::fopen(path.c_str(), "rb"));
  if (!file)
    failEnvironment("fopen", path, std::strerror(errno));
  Bytes bytes;
  uint8_t block[1 << 16];
  while (size_t count = std::fread(block, 1, sizeof(block), file.get()))
    bytes.insert(bytes.end(), block, block + count);
  if (std::ferror(file.get()))
    failEnvironment("fread", path, std::strerror(errno));
  return bytes;
}

void writeFile(const std::string &path, const Bytes &bytes) {
  std::FILE *file = std::fopen(path.c_str(), "wb");
  if (!file)
    failEnvironment("fopen", path, std::strerror(errno));
  bool complete = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  complete &= std::fclose(file) == 0;
  if (complete)
    return;
  std::string reason = std::strerror(errno);
  std::error_code ignored;
  if (std::filesystem::is_regular_file(path, ignored))
    std::filesystem::remove(path, ignored);
  failEnvironment("fwrite", path, reason);
}

} // namespace

Image readImage(const std::string &path) {
  Codec codec = codecFor(path);
  Bytes bytes = readFile(path);
  try {
    return codec.decode(bytes);
  } catch (const std::exception &reason) {
    failEnvironment("decoding", path, reason.what());
  }
}

void writeImage(const std::string &path, const Image &image) {
  Codec codec = codecFor(path);
  bool fits = image.width > 0 && image.height > 0 && (image.channels == 1 || image.channels == 3) &&
              image.samples.size() == size_t(image.width * image.height * image.channels);
  if (!fits)
    throw Error(Error::Kind::Usage, "'" + path +
                                        "': the picture is empty, its number of samples is not "
                                        "width * height * channels, or channels not 1 or 3");
  Bytes bytes;
  try {
    bytes = codec.encode(image);
  } catch (const std::exception &reason) {
    failEnvironment("encoding", path, reason.what());
  }
  writeFile(path, bytes);
}

} // namespace nereid::examples
