// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/DeepStack.h"

#include <gtest/gtest.h>

#include <atomic>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

using namespace nereid;

namespace {

/// Takes at least so many KiB of the stack, all of which are touched.
unsigned takeKiB(unsigned left) {
  volatile char room[1024];
  for (size_t i = 0; i < sizeof(room); i += 64)
    room[i] = static_cast<char>(left);
  return left == 0 ? 0 : takeKiB(left - 1) + (room[64] == static_cast<char>(left));
}

TEST(DeepStack, IsDeepAndOfTheCallingThread) {
  const std::thread::id here = std::this_thread::get_id();
  unsigned taken = onDeepStack([&] {
    EXPECT_EQ(std::this_thread::get_id(), here);
    return takeKiB(60 << 10);
  });
  EXPECT_EQ(taken, 60u << 10);
  // Where the caller's is shallow as well.
  std::thread([&] { taken = onDeepStack([] { return takeKiB(10 << 10); }); }).join();
  EXPECT_EQ(taken, 10u << 10);
}

TEST(DeepStack, OneWithinAnother) {
  EXPECT_EQ(onDeepStack([] { return 1 + onDeepStack([] { return takeKiB(10 << 10); }); }),
            (10 << 10) + 1u);
}

TEST(DeepStack, HandsOnWhatIsThrown) {
  auto fail = []() -> int { throw std::runtime_error("deep"); };
  EXPECT_THROW(onDeepStack([&] { return onDeepStack(fail); }), std::runtime_error);
  EXPECT_EQ(onDeepStack([] { return 2; }), 2);
}

// What is being handled where a deep stack is asked for is handled on behind it.
TEST(DeepStack, WhileAnExceptionIsHandled) {
  auto caught = [](std::string_view text) {
    try {
      onDeepStack([&]() -> int { throw std::runtime_error(std::string(text)); });
    } catch (const std::runtime_error &error) {
      return error.what() == text;
    }
    return false;
  };
  try {
    try {
      throw std::logic_error("outer");
    } catch (...) {
      EXPECT_TRUE(onDeepStack([&] { return caught("inner"); }));
      throw;
    }
  } catch (const std::logic_error &error) {
    EXPECT_STREQ(error.what(), "outer");
  }
  EXPECT_EQ(std::current_exception(), nullptr);
}

TEST(DeepStack, OfSeveralThreadsAtOnce) {
  std::vector<std::thread> threads;
  std::atomic<unsigned> taken = 0;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      for (int round = 0; round < 50; ++round)
        taken += onDeepStack([] { return takeKiB(200); });
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(taken.load(), 8u * 50 * 200);
}

// Last, as it holds for the process.
TEST(DeepStacksOfThreads, AreDeepAndHandOnWhatIsThrown) {
  giveDeepStacksThreads();
  const std::thread::id here = std::this_thread::get_id();
  EXPECT_EQ(onDeepStack([&] { return takeKiB(60 << 10) + (std::this_thread::get_id() == here); }),
            60u << 10);
  EXPECT_THROW(onDeepStack([]() -> int { throw std::runtime_error("deep"); }), std::runtime_error);
}

} // namespace
