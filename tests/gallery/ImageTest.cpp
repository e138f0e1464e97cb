// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/Image.h"

#include "nereid/nereid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

using namespace nereid;
using namespace nereid::examples;

namespace {

const std::string photo = NEREID_SOURCE_DIR "/examples/data/grace_hopper.jpg";

/// A directory of its own for each test.
class ImageTest : public testing::Test {
protected:
  ImageTest() {
    std::string pattern = testing::TempDir() + "nereid-image-XXXXXX";
    directory = mkdtemp(pattern.data());
  }
  ~ImageTest() override { std::filesystem::remove_all(directory); }
  std::string path(const std::string &name) const { return directory / name; }

  std::filesystem::path directory;
};

std::string contents(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void writeContents(const std::string &path, const std::string &text) {
  std::ofstream(path, std::ios::binary) << text;
}

Image gradient(int64_t width, int64_t height, int64_t channels) {
  Image image{width, height, channels, {}};
  for (int64_t i = 0; i < width * height * channels; ++i)
    image.samples.push_back(uint8_t(i * 251 / (width * height * channels)));
  return image;
}

Error::Kind kindOfFailure(const std::string &path) {
  try {
    readImage(path);
  } catch (const Error &error) {
    EXPECT_NE(std::string(error.what()).find(path), std::string::npos) << error.what();
    return error.kind();
  }
  ADD_FAILURE() << path << " was read";
  return Error::Kind::Source;
}

TEST_F(ImageTest, readsThePhotograph) {
  Image image = readImage(photo);
  EXPECT_EQ(image.width, 512);
  EXPECT_EQ(image.height, 600);
  EXPECT_EQ(image.channels, 3);
  EXPECT_EQ(image.samples.size(), 3u * 512 * 600);
}

TEST_F(ImageTest, pngKeepsEverySample) {
  for (auto [width, height] : {std::pair(1, 1), std::pair(7, 3), std::pair(300, 2)}) {
    Image image = gradient(width, height, 3);
    writeImage(path("colour.png"), image);
    EXPECT_EQ(readImage(path("colour.png")).samples, image.samples);
  }
}

TEST_F(ImageTest, greyReadsBackAsThreeEqualChannels) {
  Image image = gradient(13, 5, 1);
  writeImage(path("grey.png"), image);
  Image read = readImage(path("grey.png"));
  ASSERT_EQ(read.samples.size(), 3 * image.samples.size());
  for (size_t i = 0; i < read.samples.size(); ++i)
    EXPECT_EQ(read.samples[i], image.samples[i / 3]);
}

TEST_F(ImageTest, jpegIsCloseToWhatWasWritten) {
  for (int64_t channels : {1, 3}) {
    Image image{16, 16, channels, std::vector<uint8_t>(size_t(256 * channels), 90)};
    writeImage(path("flat.JPEG"), image);
    for (uint8_t sample : readImage(path("flat.JPEG")).samples)
      EXPECT_NEAR(sample, 90, 2);
  }
}

TEST_F(ImageTest, refusesFilesCutShort) {
  writeImage(path("whole.png"), readImage(photo));
  for (const std::string &whole : {photo, path("whole.png")}) {
    std::string text = contents(whole);
    std::string part = path("part" + std::filesystem::path(whole).extension().string());
    for (size_t size = 0; size + 2 < text.size(); size += text.size() / 53) {
      writeContents(part, text.substr(0, size));
      EXPECT_EQ(kindOfFailure(part), Error::Kind::Environment);
    }
  }
}

TEST_F(ImageTest, survivesDamagedFiles) {
  writeImage(path("whole.png"), gradient(64, 64, 3));
  std::mt19937_64 random(7);
  for (const std::string &whole : {photo, path("whole.png")}) {
    std::string text = contents(whole);
    std::string part = path("damaged" + std::filesystem::path(whole).extension().string());
    for (int round = 0; round < 60; ++round) {
      std::string damaged = text;
      for (int i = 0; i < 4; ++i)
        damaged[random() % (i % 2 ? text.size() : std::min<size_t>(text.size(), 700))] =
            char(random());
      writeContents(part, damaged);
      try {
        Image image = readImage(part);
        EXPECT_EQ(image.samples.size(), size_t(image.width * image.height * 3));
      } catch (const Error &error) {
        EXPECT_EQ(error.kind(), Error::Kind::Environment);
      }
    }
  }
}

TEST_F(ImageTest, namesWhatIsWrong) {
  EXPECT_EQ(kindOfFailure(path("missing.png")), Error::Kind::Environment);
  EXPECT_EQ(kindOfFailure(path("picture.bmp")), Error::Kind::Usage);
  std::filesystem::create_directory(path("directory.jpg"));
  EXPECT_EQ(kindOfFailure(path("directory.jpg")), Error::Kind::Environment);
  writeContents(path("text.png"), "this is no picture");
  EXPECT_EQ(kindOfFailure(path("text.png")), Error::Kind::Environment);
}

TEST_F(ImageTest, writesNothingThatIsNoPicture) {
  Image image = gradient(4, 4, 3);
  image.samples.pop_back();
  EXPECT_THROW(writeImage(path("short.png"), image), Error);
  EXPECT_THROW(writeImage(path("empty.png"), Image()), Error);
  EXPECT_THROW(writeImage(path("no-such-directory/x.png"), gradient(4, 4, 3)), Error);
  Image wide{70000, 1, 1, std::vector<uint8_t>(70000)}; // wider than a JPEG can be
  EXPECT_THROW(writeImage(path("wide.jpg"), wide), Error);
  EXPECT_TRUE(std::filesystem::is_empty(directory));
}

/// The weights of the kernel, in double: what is cut to an integer there may be cut one lower or
/// higher where it is nearly one.
TEST_F(ImageTest, theGreyscaleExampleWritesTheGreyPhotograph) {
  std::string picture = path("grey.png"), command = GREYSCALE " " + photo + " " + picture;
  ASSERT_EQ(std::system(command.c_str()), 0);
  Image colours = readImage(photo), grey = readImage(picture);
  ASSERT_EQ(grey.samples.size(), colours.samples.size()); // PNGs are read as colours
  int64_t different = 0;
  for (size_t i = 0; i < grey.samples.size(); i += 3) {
    const uint8_t *colour = &colours.samples[i];
    double expected = 0.2989 * colour[0] + 0.5870 * colour[1] + 0.1140 * colour[2];
    bool isNearInteger = std::abs(expected - std::round(expected)) < 1e-4;
    ASSERT_NEAR(grey.samples[i], std::trunc(expected), isNearInteger) << i / 3;
    different += grey.samples[i] != colour[0];
  }
  EXPECT_GT(different, 100'000); // it is no picture that was grey before
}

} // namespace
