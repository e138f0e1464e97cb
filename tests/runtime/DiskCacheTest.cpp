// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/DiskCache.h"

#include "EnvironmentVariable.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace nereid::runtime {
namespace {

namespace fs = std::filesystem;

using Bytes = std::vector<uint8_t>;

class DiskCacheTest : public testing::Test {
protected:
  DiskCacheTest() {
    std::string pattern = testing::TempDir() + "nereid-cache-XXXXXX";
    parent = mkdtemp(pattern.data());
    directory = parent + "/kernels";
  }
  ~DiskCacheTest() override {
    fs::permissions(parent, fs::perms::owner_all);
    fs::remove_all(parent);
  }

  DiskCache cache(uint64_t mostBytes = 1 << 20) const { return DiskCache({directory, mostBytes}); }
  std::string pathOf(const std::string &key) const { return directory + "/" + key + ".nrd"; }
  void setAge(const std::string &key, int seconds) const {
    timespec times[2] = {{time(nullptr) - seconds, 0}, {time(nullptr) - seconds, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, pathOf(key).c_str(), times, 0), 0);
  }

  std::string parent, directory;
};

TEST_F(DiskCacheTest, KeepsWhatIsStored) {
  EXPECT_FALSE(cache().find("a"));
  cache().store("a", Bytes{1, 2, 3});
  cache().store("empty", Bytes{});
  EXPECT_EQ(cache().find("a"), (Bytes{1, 2, 3}));
  EXPECT_EQ(cache().find("empty"), Bytes{});
  EXPECT_FALSE(cache().find("b"));
  cache().store("a", Bytes{4});
  EXPECT_EQ(cache().find("a"), Bytes{4});
  EXPECT_EQ(cache().clear(), 2u);
  EXPECT_FALSE(cache().find("a"));
}

TEST_F(DiskCacheTest, IsThisUsersAlone) {
  cache().store("a", Bytes{1});
  struct stat status;
  ASSERT_EQ(stat(directory.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
  ASSERT_EQ(stat(pathOf("a").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST_F(DiskCacheTest, ItsDirectoriesAreMadeForOneUserWhateverTheUmask) {
  mode_t before = umask(0);
  DiskCache({directory + "/tuning", 1000}).store("a", Bytes{1}); // the inner one first
  umask(before);
  for (const std::string &made : {directory, directory + "/tuning"}) {
    struct stat status;
    ASSERT_EQ(stat(made.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0700u) << made;
  }
  cache().store("b", Bytes{2});
  EXPECT_TRUE(cache().find("b"));
}

TEST_F(DiskCacheTest, ThatNothingIsKeptIsSaidOnce) {
  cache().store("a", Bytes{1});
  ASSERT_EQ(chmod(directory.c_str(), 0777), 0);
  testing::internal::CaptureStderr();
  for (int i = 0; i < 3; ++i)
    cache().store("b", Bytes{2});
  std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("keeps nothing: another user"), std::string::npos) << said;
  EXPECT_EQ(said.find("keeps nothing"), said.rfind("keeps nothing")) << said;
}

TEST_F(DiskCacheTest, WhatDeadProcessesLeftGoes) {
  auto leave = [&](const char *name, int seconds) {
    std::string path = directory + "/" + name;
    std::ofstream(path) << std::string(600, 'x');
    timespec times[2] = {{time(nullptr) - seconds, 0}, {time(nullptr) - seconds, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  };
  auto isLeft = [&](const char *name) { return fs::exists(directory + "/" + name); };
  cache().store("a", Bytes{1});
  leave("k.part-dead", 4000);
  leave("k.part-alive", 0);
  for (int i = 0; i < 200 && isLeft("k.part-dead");
       ++i) // a look in about 30 stores, far from the limit
    cache(6400).store("a", Bytes(200));
  EXPECT_FALSE(isLeft("k.part-dead"));
  EXPECT_TRUE(isLeft("k.part-alive"));
  EXPECT_EQ(cache().clear(), 1u);
  EXPECT_FALSE(isLeft("k.part-alive"));
  EXPECT_TRUE(fs::is_empty(directory));
}

TEST_F(DiskCacheTest, AnEntryThatClaimsToBeHugeIsPassedOver) {
  cache().store("a", Bytes{1});
  fs::resize_file(pathOf("a"), uint64_t(64) << 30); // takes no room
  EXPECT_FALSE(cache(uint64_t(1) << 40).find("a"));
  EXPECT_FALSE(cache(uint64_t(1) << 40).peek("a"));
  cache().store("a", Bytes{2});
  EXPECT_EQ(cache().find("a"), Bytes{2});
}

TEST_F(DiskCacheTest, ReadsNothingThatOthersCouldHaveWritten) {
  cache().store("a", Bytes{1});
  ASSERT_EQ(chmod(pathOf("a").c_str(), 0620), 0);
  EXPECT_FALSE(cache().find("a"));
  ASSERT_EQ(chmod(pathOf("a").c_str(), 0600), 0);
  EXPECT_TRUE(cache().find("a"));
  ASSERT_EQ(chmod(directory.c_str(), 0777), 0);
  EXPECT_FALSE(cache().find("a"));
  EXPECT_NE(cache().problem(), "");
  cache().store("b", Bytes{2});
  EXPECT_FALSE(fs::exists(pathOf("b")));
}

TEST_F(DiskCacheTest, FollowsNoLinks) {
  cache().store("a", Bytes{1});
  fs::create_symlink(pathOf("a"), pathOf("b"));
  EXPECT_FALSE(cache().find("b"));
  // Nor does it wait for a pipe, or take a directory for an entry.
  ASSERT_EQ(mkfifo(pathOf("pipe").c_str(), 0600), 0);
  EXPECT_FALSE(cache().find("pipe"));
  fs::create_directory(pathOf("directory"));
  EXPECT_FALSE(cache().find("directory"));
}

TEST_F(DiskCacheTest, AnotherUsersEntryIsNotRead) {
  if (geteuid() != 0)
    GTEST_SKIP() << "only root can give a file away";
  cache().store("a", Bytes{1});
  ASSERT_EQ(chown(pathOf("a").c_str(), 12345, 12345), 0);
  EXPECT_FALSE(cache().find("a"));
}

TEST_F(DiskCacheTest, WhatWasUsedLeastRecentlyGoes) {
  DiskCache small = cache(1000);
  for (int i = 0; i < 9; ++i) {
    std::string key = "k" + std::to_string(i);
    small.store(key, Bytes(100));
    setAge(key, 1000 - i);
  }
  EXPECT_TRUE(small.find("k0")); // the oldest, and now the newest
  small.store("k9", Bytes(100));
  small.store("k10", Bytes(100));
  EXPECT_TRUE(small.peek("k0"));
  EXPECT_FALSE(small.peek("k1"));
  EXPECT_FALSE(small.peek("k2"));
  EXPECT_TRUE(small.peek("k3"));
  EXPECT_TRUE(small.peek("k10"));
  // What is larger than the limit is not kept at all.
  small.store("huge", Bytes(1001));
  EXPECT_FALSE(small.peek("huge"));
  EXPECT_TRUE(small.peek("k10"));
}

TEST_F(DiskCacheTest, TheLimitHoldsAboutWithoutALookAtEachStore) {
  constexpr uint64_t limit = 100'000;
  DiskCache small = cache(limit);
  uint64_t largest = 0, total = 0;
  for (int i = 0; i < 3000; ++i) {
    small.store("k" + std::to_string(i), Bytes(100));
    if (i % 100 != 0)
      continue;
    total = 0;
    for (const DiskCache::Entry &entry : small.entries())
      total += entry.bytes;
    largest = std::max(largest, total);
  }
  EXPECT_GT(largest, limit / 2);
  EXPECT_LT(largest, 2 * limit); // with a probability of e^-32 it is not
}

TEST_F(DiskCacheTest, ADiskThatCannotBeWrittenCostsNothing) {
  // Root may write where the permissions say no, but not into a file as if it were a directory.
  std::ofstream(parent + "/file") << "x";
  DiskCache impossible({parent + "/file/kernels", 1000});
  impossible.store("a", Bytes{1});
  EXPECT_FALSE(impossible.find("a"));
  EXPECT_EQ(impossible.clear(), 0u);
  DiskCache nowhere({"/dev/full/kernels", 1000});
  nowhere.store("a", Bytes{1});
  EXPECT_FALSE(nowhere.find("a"));
}

TEST_F(DiskCacheTest, EntriesAppearWhole) {
  // Writers replace one entry again and again; whoever reads it sees one of them, never a mixture.
  auto write = [&](uint8_t value) {
    for (int i = 0; i < 200; ++i)
      cache().store("a", Bytes(10000, value));
  };
  std::thread first(write, uint8_t(1)), second(write, uint8_t(2));
  int seen = 0;
  for (int i = 0; i < 2000 && seen < 500; ++i)
    if (auto bytes = cache().find("a")) {
      ++seen;
      ASSERT_EQ(bytes->size(), 10000u);
      ASSERT_EQ(bytes->front(), bytes->back());
    }
  first.join();
  second.join();
  for (const auto &file : fs::directory_iterator(directory))
    EXPECT_EQ(file.path().filename(), "a.nrd");
}

TEST(DiskCacheOptions, AreWhatTheEnvironmentSays) {
  using Value = std::optional<std::string>;
  auto with = [](const Value &cache, const Value &directory, const Value &xdg, const Value &size) {
    test::Variable all[] = {{"NEREID_CACHE", cache},
                            {"NEREID_CACHE_DIR", directory},
                            {"XDG_CACHE_HOME", xdg},
                            {"NEREID_CACHE_SIZE", size},
                            {"HOME", "/home/somebody"}};
    return DiskCache::optionsFromEnvironment();
  };
  constexpr std::nullopt_t none = std::nullopt;
  EXPECT_EQ(with(none, none, none, none)->directory, "/home/somebody/.cache/nereid");
  EXPECT_EQ(with(none, none, "/xdg", none)->directory, "/xdg/nereid");
  EXPECT_EQ(with(none, none, "relative", none)->directory, "/home/somebody/.cache/nereid");
  EXPECT_EQ(with(none, "/mine", "/xdg", none)->directory, "/mine");
  EXPECT_EQ(with("on", none, none, "3")->mostBytes, uint64_t(3) << 20);
  EXPECT_EQ(with(none, none, none, "many")->mostBytes, uint64_t(1) << 30);
  EXPECT_FALSE(with("off", "/mine", none, none));
}

} // namespace
} // namespace nereid::runtime
