// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cpu/ThreadPool.h"
#include "runtime/cpu/Scratch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <sched.h>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using nereid::runtime::cpu::ThreadPool;
using nereid::runtime::cpu::threadScratch;

namespace {

/// Runs `count` items and expects each to be visited exactly once.
void expectEachOnce(ThreadPool &pool, uint64_t count, bool hasBriefShares = false) {
  std::vector<std::atomic<int>> visits(count);
  auto visit = [&](uint64_t begin, uint64_t end, void *) {
    for (uint64_t i = begin; i < end; ++i)
      visits[i].fetch_add(1, std::memory_order_relaxed);
  };
  pool.run(count, 0, visit, {}, hasBriefShares);
  for (uint64_t i = 0; i < count; ++i)
    ASSERT_EQ(visits[i].load(), 1) << "item " << i << " of " << count;
}

TEST(ThreadPool, VisitsEachItemOnce) {
  for (unsigned threads : {1u, 2u, 3u, 8u}) {
    ThreadPool pool(threads);
    for (uint64_t count : {0, 1, 2, 7, 31, 32, 33, 1000, 12345})
      for (bool hasBriefShares : {false, true})
        expectEachOnce(pool, count, hasBriefShares);
  }
}

TEST(ThreadPool, DefaultsToTheCoresOfThisProcess) {
  EXPECT_GE(ThreadPool().threads(), 1u);
  EXPECT_LE(ThreadPool().threads(), std::max(1u, std::thread::hardware_concurrency()));
  EXPECT_EQ(ThreadPool(5).threads(), 5u);
}

/// Whether all of so many threads are in one launch of `count` items at the same time.
bool doAllCome(unsigned threads, uint64_t count, bool hasBriefShares) {
  ThreadPool pool(threads);
  std::atomic<unsigned> come = 0;
  std::atomic<bool> isOneMissing = false;
  auto visit = [&](uint64_t, uint64_t, void *) {
    come.fetch_add(1);
    for (int wait = 0; wait < 2000 && come.load() < threads; ++wait)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (come.load() < threads)
      isOneMissing = true;
  };
  pool.run(count, 0, visit, {}, hasBriefShares);
  return !isOneMissing;
}

// Shares differ by one item where threads do not divide their number.
TEST(ThreadPool, EveryShareHasItsThread) {
  for (uint64_t count : {4, 5, 6, 7, 8, 9})
    for (bool hasBriefShares : {false, true})
      EXPECT_TRUE(doAllCome(4, count, hasBriefShares)) << count << " " << hasBriefShares;
}

TEST(ThreadPool, ManySmallLaunches) {
  ThreadPool pool(4);
  std::atomic<uint64_t> sum = 0;
  for (int launch = 0; launch < 20000; ++launch)
    pool.run(3, 0, [&](uint64_t begin, uint64_t end, void *) { sum += end - begin; });
  EXPECT_EQ(sum.load(), 60000u);
}

TEST(ThreadPool, SleepingWorkersWakeUp) {
  ThreadPool pool(3);
  for (int launch = 0; launch < 5; ++launch) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    expectEachOnce(pool, 500);
  }
}

TEST(ThreadPool, WorkIsSharedOut) {
  ThreadPool pool(2);
  std::mutex mutex;
  std::condition_variable arrived;
  std::set<std::thread::id> seen;
  auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  pool.run(64, 0, [&](uint64_t, uint64_t, void *) {
    std::unique_lock lock(mutex);
    seen.insert(std::this_thread::get_id());
    arrived.notify_all();
    // Whoever is first waits for the other, however busy the machine is.
    arrived.wait_until(lock, limit, [&] { return seen.size() == 2; });
  });
  EXPECT_EQ(seen.size(), 2u);
}

TEST(ThreadPool, ConcurrentLaunchesTakeTurns) {
  constexpr size_t launchers = 4;
  ThreadPool pool(4);
  std::atomic<int> inside[launchers] = {};
  std::atomic<int> mixed = 0;
  std::atomic<uint64_t> total = 0;
  auto launchMany = [&](size_t self) {
    for (int launch = 0; launch < 500; ++launch)
      pool.run(200, 64, [&](uint64_t begin, uint64_t end, void *) {
        ++inside[self];
        for (size_t other = 0; other < launchers; ++other)
          mixed += other != self && inside[other] != 0;
        total += end - begin;
        --inside[self];
      });
  };
  std::vector<std::thread> threads;
  for (size_t i = 0; i < launchers; ++i)
    threads.emplace_back(launchMany, i);
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(mixed.load(), 0);
  EXPECT_EQ(total.load(), launchers * 500 * 200);
}

TEST(ThreadPool, ScratchIsAlignedAndPrivate) {
  ThreadPool pool(4);
  for (uint64_t bytes : {1, 64, 100, 4096, 1 << 20}) {
    std::atomic<int> torn = 0;
    pool.run(256, bytes, [&](uint64_t begin, uint64_t, void *scratch) {
      EXPECT_EQ(reinterpret_cast<uintptr_t>(scratch) % 64, 0u);
      auto *first = static_cast<unsigned char *>(scratch);
      std::memset(first, static_cast<int>(begin & 0xff), bytes);
      std::this_thread::yield();
      for (uint64_t i = 0; i < bytes; i += 97)
        torn += first[i] != (begin & 0xff);
    });
    EXPECT_EQ(torn.load(), 0);
  }
}

TEST(ThreadPool, ScratchGrowsAndStays) {
  void *small = threadScratch(100);
  EXPECT_EQ(small, threadScratch(50));
  std::memset(threadScratch(1 << 16), 1, 1 << 16);
}

TEST(ThreadPool, MoreThanFitsThirtyTwoBits) {
  ThreadPool pool(2);
  std::atomic<uint64_t> sum = 0;
  uint64_t count = (uint64_t(1) << 33) + 1;
  pool.run(count, 0, [&](uint64_t begin, uint64_t end, void *) { sum += end - begin; });
  EXPECT_EQ(sum.load(), count);
}

TEST(ThreadPool, ManyPoolsComeAndGo) {
  for (int i = 0; i < 200; ++i) {
    ThreadPool pool(3);
    if (i % 2)
      expectEachOnce(pool, 40);
  }
}

/// The launching thread may move to another core at any time, so only the number is sure.
// Workers are not copied by fork, and what the parent knew of them points to nobody.
TEST(ThreadPool, StartsAnewInAChild) {
  ThreadPool pool(4);
  expectEachOnce(pool, 1000);
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
  for (int round = 0; round < 3; ++round) {
    pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      std::atomic<uint64_t> sum = 0;
      for (int launch = 0; launch < 50; ++launch)
        pool.run(1000, 0, [&](uint64_t begin, uint64_t end, void *) { sum += end - begin; });
      cpu_set_t after;
      bool isSame = sched_getaffinity(0, sizeof(after), &after) == 0 && CPU_EQUAL(&before, &after);
      _exit(sum == 50000 && isSame ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    expectEachOnce(pool, 1000);
  }
}

TEST(ThreadPool, LeavesTheLaunchingCoreToItsThread) {
  cpu_set_t cores;
  ASSERT_EQ(sched_getaffinity(0, sizeof(cores), &cores), 0);
  if (CPU_COUNT(&cores) < 2)
    GTEST_SKIP() << "one core only";
  ThreadPool pool(2);
  std::thread::id launching = std::this_thread::get_id();
  std::atomic<int> workerCores = 0;
  auto look = [&](uint64_t, uint64_t, void *) {
    if (std::this_thread::get_id() == launching) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      return;
    }
    cpu_set_t ofWorker;
    if (sched_getaffinity(0, sizeof(ofWorker), &ofWorker) == 0)
      workerCores = CPU_COUNT(&ofWorker);
  };
  for (int launch = 0; launch < 100 && workerCores == 0; ++launch)
    pool.run(64, 0, look);
  EXPECT_EQ(workerCores, CPU_COUNT(&cores) - 1);
  cpu_set_t afterwards;
  ASSERT_EQ(sched_getaffinity(0, sizeof(afterwards), &afterwards), 0);
  EXPECT_TRUE(CPU_EQUAL(&cores, &afterwards)) << "the host's own thread is left alone";
}

/// A fault on a thread that blocks its signal would end the process past every handler.
TEST(ThreadPool, WorkersBlockNoSignalsThatTheyBringOnThemselves) {
  ThreadPool pool(3);
  std::atomic<int> blocked = 0;
  pool.run(300, 0, [&](uint64_t, uint64_t, void *) {
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    for (int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL})
      blocked += sigismember(&mask, own);
    std::this_thread::sleep_for(std::chrono::microseconds(100)); // leaves some to the others
  });
  EXPECT_EQ(blocked, 0);
}

} // namespace
