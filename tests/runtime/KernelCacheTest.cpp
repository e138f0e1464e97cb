// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/launch/KernelCache.h"

#include "support/EnvironmentVariables.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <thread>

using namespace nereid;
using jit::KernelCache;
using jit::KernelKey;

namespace {

std::atomic<int> alive = 0;

class Fake final : public runtime::Executable {
public:
  explicit Fake(size_t size) : size(size) { ++alive; }
  ~Fake() override { --alive; }
  void launch(GridExtent, std::span<const ArgumentSlot>, const runtime::PrintSink *) override {}
  size_t bytes() const override { return size; }

private:
  size_t size;
};

const auto *const module = reinterpret_cast<const detail::ModuleState *>(16);
const auto *const otherModule = reinterpret_cast<const detail::ModuleState *>(32);
constexpr size_t size = 100'000;

KernelKey keyOf(int number, const detail::ModuleState *of = module) {
  return {of, nullptr, 0, {{sema::ConstantValue(sema::Integer(number))}, false}};
}

KernelCache::KernelPtr make(const KernelKey & = keyOf(0)) {
  auto kernel = std::make_shared<jit::CompiledKernel>();
  kernel->executable = std::make_unique<Fake>(size);
  return kernel;
}

/// Whether the kernel had to be made.
bool isMade(KernelCache &cache, int number, const detail::ModuleState *of = module) {
  return cache.get(keyOf(number, of), make).isNew;
}

TEST(KernelCache, WhatWasUsedLeastRecentlyGoes) {
  KernelCache cache(3 * size + size / 2);
  for (int number : {1, 2, 3})
    EXPECT_TRUE(isMade(cache, number));
  EXPECT_FALSE(isMade(cache, 1));
  EXPECT_TRUE(isMade(cache, 4)); // instead of 2
  EXPECT_EQ(cache.count(), 3u);
  EXPECT_EQ(alive, 3);
  EXPECT_LE(cache.bytes(), cache.limit());
  for (int number : {1, 3, 4})
    EXPECT_FALSE(isMade(cache, number)) << number;
  EXPECT_TRUE(isMade(cache, 2));
  cache.setLimit(0);
  EXPECT_EQ(cache.count(), 0u);
  EXPECT_EQ(cache.bytes(), 0u);
  EXPECT_EQ(alive, 0);
}

TEST(KernelCache, WhatIsInUseStays) {
  KernelCache cache(2 * size + size / 2);
  auto held = cache.get(keyOf(1), make).kernel;
  for (int number = 2; number < 10; ++number)
    EXPECT_TRUE(isMade(cache, number));
  EXPECT_FALSE(isMade(cache, 1));
  EXPECT_EQ(cache.count(), 2u);
  cache.setLimit(0);
  EXPECT_EQ(cache.count(), 1u);
  held.reset();
  EXPECT_TRUE(isMade(cache, 11)); // which is over the limit by itself
  EXPECT_FALSE(isMade(cache, 11));
  EXPECT_EQ(cache.count(), 1u);
}

TEST(KernelCache, AModuleTakesItsKernelsAlong) {
  KernelCache cache(100 * size);
  for (int number = 0; number < 10; ++number) {
    isMade(cache, number);
    isMade(cache, number, otherModule);
  }
  cache.forget(module);
  EXPECT_EQ(cache.count(), 10u);
  EXPECT_EQ(alive, 10);
  EXPECT_FALSE(isMade(cache, 3, otherModule));
  EXPECT_TRUE(isMade(cache, 3));
}

TEST(KernelCache, AFailureIsNotKept) {
  KernelCache cache(10 * size);
  auto fail = [](const KernelKey &) -> KernelCache::KernelPtr { throw std::range_error("no"); };
  EXPECT_THROW(cache.get(keyOf(1), fail), std::range_error);
  EXPECT_EQ(cache.count(), 0u);
  EXPECT_TRUE(isMade(cache, 1));
}

TEST(KernelCache, ThreadsShareWhatOneCompiles) {
  KernelCache cache(4 * size);
  std::atomic<int> made = 0, wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 300; ++i) {
        int number = (i * 7 + t) % 9;
        auto kernel = cache
                          .get(keyOf(number),
                               [&](const KernelKey &key) {
                                 ++made;
                                 auto result = make(key);
                                 result->name = std::to_string(number);
                                 return result;
                               })
                          .kernel;
        wrong += kernel->name != std::to_string(number);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_GE(made, 9);
  cache.setLimit(0);
  EXPECT_EQ(alive, 0);
}

TEST(KernelCache, LimitsAreWholeNumbers) {
  constexpr const char *variable = "NEREID_CACHE_SIZE";
  auto read = [] { return readNumber(KnownVariable::NEREID_CACHE_SIZE); };
  unsetenv(variable);
  const uint64_t fallback = 1024; // of the table
  EXPECT_EQ(read(), fallback);
  for (const char *text :
       {"", "-1", "12x", " 12", "1.5", "1099511627776", "99999999999999999999"}) {
    setenv(variable, text, 1);
    EXPECT_EQ(read(), fallback) << text;
  }
  setenv(variable, "12", 1);
  EXPECT_EQ(read(), 12u);
  setenv(variable, "0", 1);
  EXPECT_EQ(read(), 0u);
  unsetenv(variable);
}

/// The limit of the process, for one test.
class Limit {
public:
  explicit Limit(size_t bytes) : before(cache().limit()) { cache().setLimit(bytes); }
  ~Limit() { cache().setLimit(before); }
  static KernelCache &cache() { return KernelCache::ofProcess(); }

private:
  size_t before;
};

class BoundedKernels : public testing::TestWithParam<const char *> {};
INSTANTIATE_TEST_SUITE_P(Devices, BoundedKernels, testing::Values("cpu", "check"),
                         [](const auto &info) { return std::string(info.param); });

TEST_P(BoundedKernels, ManySpecializationsFitIntoTheLimit) {
  Device device = Device::open(GetParam());
  Kernel kernel = Module::fromText(R"(
import triton
import triton.language as tl

@triton.jit
def scale(x_ptr, y_ptr, K: tl.constexpr):
    i = tl.arange(0, 16)
    tl.store(y_ptr + i, tl.load(x_ptr + i) * K)
)")
                      .kernel("scale");
  std::vector<int32_t> values(16);
  for (int i = 0; i < 16; ++i)
    values[static_cast<size_t>(i)] = i - 5;
  Array x = device.array(values), y = device.zeros(DType::Int32, {16});
  auto launch = [&](int k) {
    kernel.launch(device, Grid{}, {{"x_ptr", x}, {"y_ptr", y}, {"K", k}});
    for (int i = 0; i < 16; ++i)
      ASSERT_EQ(y.toVector<int32_t>()[static_cast<size_t>(i)], (i - 5) * k);
  };
  Launch kept = kernel.prepare(device, {{"x_ptr", x}, {"y_ptr", y}, {"K", 1000}});
  size_t before = Limit::cache().count(), bytesBefore = Limit::cache().bytes();
  launch(0);
  size_t each = Limit::cache().bytes() - bytesBefore;
  Limit limit(bytesBefore + 8 * each);
  for (int k = 1; k < 60; ++k) {
    launch(k);
    ASSERT_LE(Limit::cache().bytes(), Limit::cache().limit());
  }
  EXPECT_LE(Limit::cache().count(), before + 9);
  launch(0); // compiled once more
  kept.run(Grid{});
  EXPECT_EQ(y.toVector<int32_t>()[15], 10'000);
}

} // namespace
