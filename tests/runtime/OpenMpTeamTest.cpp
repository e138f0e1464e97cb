// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In a process of its own: once an OpenMP runtime is loaded, all pools borrow its threads.
#include "runtime/cpu/OpenMpTeam.h"
#include "runtime/cpu/ThreadPool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <dlfcn.h>
#include <mutex>
#include <pthread.h>
#include <set>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

using nereid::runtime::cpu::OpenMpTeam;
using nereid::runtime::cpu::ThreadPool;

namespace {

std::string threadName() {
  char name[16] = {};
  pthread_getname_np(pthread_self(), name, sizeof(name));
  return name;
}

struct Seen {
  std::set<std::thread::id> threads;
  bool hasOwnWorkers = false, isOnce = true;
};

/// Runs `count` items and says who did them. Whoever is first waits until as many threads as
/// `least` have come, however busy the machine is.
Seen runOn(ThreadPool &pool, uint64_t count, size_t least = 1) {
  Seen seen;
  std::mutex mutex;
  std::condition_variable arrived;
  std::vector<std::atomic<int>> visits(count);
  auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  pool.run(count, 0, [&](uint64_t begin, uint64_t end, void *) {
    for (uint64_t i = begin; i < end; ++i)
      visits[i].fetch_add(1, std::memory_order_relaxed);
    std::unique_lock lock(mutex);
    seen.threads.insert(std::this_thread::get_id());
    seen.hasOwnWorkers |= threadName() == "nereid-worker";
    arrived.notify_all();
    arrived.wait_until(lock, limit, [&] { return seen.threads.size() >= least; });
  });
  for (std::atomic<int> &visit : visits)
    seen.isOnce &= visit.load() == 1;
  return seen;
}

class Team : public testing::Test {
protected:
  /// As importing PyTorch does in the midst of a program.
  void SetUp() override {
    library = dlopen("libgomp.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (!library)
      GTEST_SKIP() << dlerror();
    setThreads = reinterpret_cast<void (*)(int)>(dlsym(library, "omp_set_num_threads"));
    setThreads(8);
  }
  void *library = nullptr;
  void (*setThreads)(int) = nullptr;
};

TEST(BeforeTheTeam, PoolsHaveTheirOwnThreads) {
  if (dlsym(RTLD_DEFAULT, "GOMP_parallel"))
    GTEST_SKIP() << "another test has loaded it";
  ASSERT_EQ(OpenMpTeam::find(), nullptr);
  ThreadPool pool(3);
  EXPECT_TRUE(runOn(pool, 64, 2).hasOwnWorkers);
}

TEST_F(Team, RunsEachItemOnceWithoutWorkersOfOurOwn) {
  ASSERT_NE(OpenMpTeam::find(), nullptr);
  for (unsigned threads : {2u, 3u, 7u}) {
    ThreadPool pool(threads);
    for (uint64_t count : {0, 1, 2, 3, 7, 8, 33, 500}) {
      Seen seen = runOn(pool, count);
      EXPECT_TRUE(seen.isOnce) << count << " items, " << threads << " threads";
      EXPECT_FALSE(seen.hasOwnWorkers);
      EXPECT_LE(seen.threads.size(), threads);
    }
    EXPECT_FALSE(runOn(pool, 500, 2).hasOwnWorkers);
  }
}

TEST_F(Team, IsAsLargeAsTheHostAsks) {
  ThreadPool pool;
  setThreads(1);
  EXPECT_EQ(runOn(pool, 200).threads, std::set{std::this_thread::get_id()});
  setThreads(2);
  EXPECT_LE(runOn(pool, 200).threads.size(), 2u);
}

/// libgomp would end threads in each region of the host's, and start them for each launch.
TEST_F(Team, IsNotAskedForMoreThreadsThanTheHostUses) {
  setThreads(2);
  ThreadPool more(3), asMany(2);
  EXPECT_TRUE(runOn(more, 200, 3).hasOwnWorkers);
  EXPECT_FALSE(runOn(asMany, 200, 2).hasOwnWorkers);
}

/// Each does its launch's programs alone, and none waits for another's launch.
TEST_F(Team, LaunchesWithinARegionStayOnTheirThreads) {
  ThreadPool pool(5);
  std::atomic<int> within = 0, wrong = 0;
  auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  OpenMpTeam::find()->run(3, [&](unsigned) {
    std::thread::id self = std::this_thread::get_id();
    bool isFirst = true;
    pool.run(40, 0, [&](uint64_t, uint64_t, void *) {
      wrong += std::this_thread::get_id() != self;
      within += std::exchange(isFirst, false);
      while (within < 3 && std::chrono::steady_clock::now() < limit)
        std::this_thread::yield();
    });
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(within, 3);
}

/// Each thread that opens regions has a team of its own: one is enough.
TEST_F(Team, IsBorrowedByOneThreadAtATime) {
  ThreadPool pool(3);
  auto runElsewhere = [&] {
    Seen seen;
    std::thread([&] { seen = runOn(pool, 100, 2); }).join();
    return seen;
  };
  ASSERT_FALSE(runOn(pool, 100, 2).hasOwnWorkers); // this one
  EXPECT_TRUE(runElsewhere().hasOwnWorkers);
}

TEST_F(Team, LaunchesOfSeveralThreadsTakeTurns) {
  ThreadPool pool(4);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> launching;
  for (int thread = 0; thread < 4; ++thread)
    launching.emplace_back([&] {
      for (uint64_t count = 1; count < 20; ++count)
        wrong += !runOn(pool, count).isOnce;
    });
  for (std::thread &thread : launching)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(Team, TheLaunchingThreadLooksUpWhileOthersWork) {
  ThreadPool pool(2);
  std::thread::id launching = std::this_thread::get_id();
  std::atomic<int> looks = 0;
  std::atomic<bool> isOther = false;
  auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  pool.run(
      2, 0,
      [&](uint64_t, uint64_t, void *) {
        bool isLaunching = std::this_thread::get_id() == launching;
        if (!isLaunching)
          isOther = true;
        // The launching thread's item lasts until the other has begun, the other's until it was
        // looked up.
        while (!(isLaunching ? isOther.load() : looks > 0) &&
               std::chrono::steady_clock::now() < limit)
          std::this_thread::yield();
      },
      [&] { ++looks; });
  EXPECT_TRUE(isOther);
  EXPECT_GT(looks, 0);
}

TEST_F(Team, ThreadsThatKeepOffHaveThePoolsOwn) {
  ThreadPool pool(3);
  Seen seen;
  std::thread([&] {
    OpenMpTeam::keepOff();
    seen = runOn(pool, 100, 2);
  }).join();
  EXPECT_TRUE(seen.isOnce && seen.hasOwnWorkers);
}

/// libgomp itself would wait for ever for threads that are in the parent.
TEST_F(Team, AChildHasThreadsOfItsOwn) {
  ThreadPool pool(3);
  ASSERT_TRUE(runOn(pool, 100).isOnce);
  pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(60);
    Seen seen = runOn(pool, 100, 2);
    _exit(seen.isOnce && seen.hasOwnWorkers ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

} // namespace
