// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What programs and the library share with the system: locks, directories, names, texts.
#include "files/DirectoryLock.h"
#include "files/OwnDirectory.h"
#include "files/PendingFile.h"
#include "nereid/error.h"

#include "TemporaryDirectory.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace nereid::files {
namespace {

using Means = DirectoryLock::Means;

class LockTest : public testing::TestWithParam<Means> {
protected:
  test::TemporaryDirectory directory;
};
INSTANTIATE_TEST_SUITE_P(EachMeans, LockTest, testing::Values(Means::Any, Means::FileThere));

TEST_P(LockTest, WhoAddsInStepsLosesNothing) {
  constexpr int threads = 6, turns = 50;
  std::string path = directory.path("count");
  auto add = [&] {
    for (int turn = 0; turn < turns; ++turn) {
      DirectoryLock lock(directory.path(""), GetParam(), std::chrono::minutes(1));
      int count = 0;
      std::ifstream(path) >> count;
      std::ofstream(path) << count + 1;
    }
  };
  {
    std::vector<std::jthread> all;
    for (int i = 0; i < threads; ++i)
      all.emplace_back(add);
  }
  int count = 0;
  std::ifstream(path) >> count;
  EXPECT_EQ(count, threads * turns);
  for (const auto &file : std::filesystem::directory_iterator(directory.path("")))
    EXPECT_EQ(file.path().filename(), "count"); // no lock is left
}

TEST_P(LockTest, WhoWaitsForTooLongIsTold) {
  DirectoryLock held(directory.path(""), GetParam());
  EXPECT_THROW(DirectoryLock(directory.path(""), GetParam(), std::chrono::milliseconds(20)), Error);
}

TEST(Lock, OfADeadProcessKeepsNobodyOut) {
  test::TemporaryDirectory directory;
  for (const char *name : {".nereid.lock", ".nereid.held"}) {
    std::ofstream(directory.path(name)) << "";
    timespec times[2] = {{time(nullptr) - 60, 0}, {time(nullptr) - 60, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, directory.path(name).c_str(), times, 0), 0);
  }
  DirectoryLock first(directory.path(""), Means::Any), second(directory.path(""), Means::FileThere);
}

TEST(Lock, NeedsADirectory) { EXPECT_THROW(DirectoryLock("/nowhere/at/all"), Error); }

TEST(OwnDirectory, IsForItsUserAloneWhateverTheUmask) {
  test::TemporaryDirectory directory;
  mode_t before = umask(0);
  EXPECT_EQ(makeOwnDirectory(directory.path("a/b/c")), "");
  umask(before);
  for (const char *part : {"a", "a/b", "a/b/c"}) {
    struct stat status;
    ASSERT_EQ(stat(directory.path(part).c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0700u) << part;
  }
  EXPECT_EQ(makeOwnDirectory(directory.path("a/b/c")), "");
  std::ofstream(directory.path("file")) << "x";
  EXPECT_NE(makeOwnDirectory(directory.path("file")), "");
  EXPECT_NE(makeOwnDirectory(directory.path("file/below")), "");
}

TEST(PendingFile, NamesMayBeAsLongAsTheSystemAllows) {
  test::TemporaryDirectory directory;
  std::string longest = directory.path(std::string(255, 'n'));
  PendingFile file(longest);
  file.write("x", 1);
  file.finish();
  file.commit();
  EXPECT_TRUE(std::filesystem::exists(longest));
  for (size_t length : {256u, 5000u}) {
    std::string tooLong = directory.path(std::string(length, 'n'));
    EXPECT_THROW(requireWritable(tooLong), Error);
    EXPECT_THROW(PendingFile(tooLong.c_str()), Error);
  }
}

TEST(Printable, ShowsWhatATerminalWouldObey) {
  EXPECT_EQ(printable("plain text, \t tabs\nlines\r\nand \xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80"),
            "plain text, \t tabs\nlines\r\nand \xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80");
  EXPECT_EQ(printable("\x1b[2J\a\b\x7f"), "\\x1b[2J\\x07\\x08\\x7f");
  EXPECT_EQ(printable("one\rother"), "one\\rother");
  EXPECT_EQ(printable("\xc2\x9b"
                      "2J"),
            "\\x9b2J"); // C1's CSI, as UTF-8
  EXPECT_EQ(printable("\x9b"
                      "2J"),
            "\\x9b2J"); // and as a byte
  EXPECT_EQ(printable("a\xe2\x80\xae"
                      "b\xe2\x81\xa6\xd8\x9c"),
            "a\\u202eb\\u2066\\u061c");
  // No UTF-8: cut short, too long for what it says, a surrogate, beyond the last character.
  EXPECT_EQ(printable("\xe2\x82"), "\\xe2\\x82");
  EXPECT_EQ(printable("\xc0\x9b"), "\\xc0\\x9b");
  EXPECT_EQ(printable("\xe0\x80\x9b"), "\\xe0\\x80\\x9b");
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(printable(printable("\x1b\r")), "\\x1b\\r");
}

TEST(Printable, IsWhatErrorsSay) {
  EXPECT_STREQ(Error(Error::Kind::Usage, "no '\x1b]0;x\a'").what(), "no '\\x1b]0;x\\x07'");
}

} // namespace
} // namespace nereid::files
