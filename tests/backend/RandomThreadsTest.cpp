// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random kernels of threads on the interpreter and the CPU, against the same run one thread after
// the other.
#include "backend/RandomThreads.h"
#include "backend/ThreadKernel.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace nereid::test::threads {
namespace {

/// NEREID_TEST_SEEDS=from,to asks for others than the usual ones.
std::pair<uint32_t, uint32_t> seeds() {
  const char *wanted = std::getenv("NEREID_TEST_SEEDS");
  if (!wanted)
    return {1, 120};
  char *rest = nullptr;
  auto from = static_cast<uint32_t>(std::strtoul(wanted, &rest, 10));
  return {from, static_cast<uint32_t>(std::strtoul(rest + 1, nullptr, 10))};
}

TEST(RandomThreads, agree_with_one_thread_after_the_other) {
  auto [from, to] = seeds();
  for (uint32_t seed = from; seed < to; ++seed) {
    RandomKernel kernel = randomKernel(seed);
    ThreadMemory memory = randomMemory(kernel, programs, seed);
    std::vector<TestArgument> arguments;
    for (const auto *array :
         {&memory.in, &memory.own, &memory.shared, &memory.largest, &memory.uniform, &memory.end})
      arguments.push_back(TestArgument::array(*array));
    arguments.push_back(TestArgument::scalar(memory.n));
    std::string text = textOf(kernel);
    runByThreads(kernel, programs, memory);
    for (Executor executor : executors()) {
      auto result = runTile(text, arguments, {programs, 1, 1}, executor);
      auto expect = [&](size_t i, const std::vector<int32_t> &expected, const char *name) {
        EXPECT_EQ(result[i].as<int32_t>(), expected)
            << name << " of seed " << seed << " by " << nameOf(executor);
      };
      expect(1, memory.own, "own");
      expect(2, memory.shared, "shared");
      expect(3, memory.largest, "largest");
      expect(4, memory.uniform, "uniform");
      expect(5, memory.end, "end");
    }
    if (testing::Test::HasFailure()) {
      ADD_FAILURE() << text;
      return;
    }
  }
}

} // namespace
} // namespace nereid::test::threads
