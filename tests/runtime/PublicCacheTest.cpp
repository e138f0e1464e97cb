// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cache on disk as users of the library see it. tests/cli/cache.test has what devices do with
// it.
#include "EnvironmentVariable.h"
#include "TemporaryDirectory.h"
#include "nereid/cache.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

using namespace nereid;
using test::Variable;

namespace {

TEST(PublicCache, HoldsWhatDevicesCompile) {
  test::TemporaryDirectory directory;
  Variable on("NEREID_CACHE", "on"), place("NEREID_CACHE_DIR", directory.path("kernels")),
      size("NEREID_CACHE_SIZE", "7");
  std::optional<DiskCache> cache = DiskCache::open();
  ASSERT_TRUE(cache);
  EXPECT_EQ(cache->directory(), directory.path("kernels"));
  EXPECT_EQ(cache->mostBytes(), uint64_t(7) << 20);
  EXPECT_EQ(cache->problem(), "");
  EXPECT_TRUE(cache->entries().empty());

  // A number of threads that no other test opens a device with: one with this cache.
  Device device = Device::open("cpu", {.threads = 5});
  Array out = device.zeros(DType::Float32, {4});
  Kernel kernel = Module::fromText("import triton\nimport triton.language as tl\n"
                                   "@triton.jit\ndef one(p):\n    tl.store(p + 1, 5.0)\n")
                      .kernel();
  kernel.launch(device, {1}, {{"p", out}});
  std::vector<DiskCache::Entry> entries = cache->entries();
  ASSERT_EQ(entries.size(), 1u);
  auto age = std::chrono::system_clock::now() - entries[0].lastUsed;
  EXPECT_LT(age, std::chrono::hours(1));
  EXPECT_GT(age, -std::chrono::hours(1));
  Artifact artifact = cache->load(entries[0]);
  EXPECT_EQ(artifact.info().kernel, "one");
  Array again = device.zeros(DType::Float32, {4});
  artifact.kernel().launch(device, {1}, {{"p", again}});
  EXPECT_EQ(again.toVector<float>(), (std::vector<float>{0, 5, 0, 0}));

  EXPECT_EQ(cache->clear(), 1u);
  EXPECT_TRUE(cache->entries().empty());
  EXPECT_THROW(cache->load(entries[0]), Error);
}

TEST(PublicCache, IsWhatEachDeviceWasOpenedFor) {
  test::TemporaryDirectory directory;
  Variable on("NEREID_CACHE", "on"), place("NEREID_CACHE_DIR", directory.path("kernels"));
  std::optional<DiskCache> cache = DiskCache::open();
  ASSERT_TRUE(cache);
  Kernel kernel = Module::fromText("import triton\nimport triton.language as tl\n"
                                   "@triton.jit\ndef one(p):\n    tl.store(p + 1, 5.0)\n")
                      .kernel();
  auto prepare = [&](const Device &device) {
    kernel.prepare(device, {{"p", device.zeros(DType::Float32, {4})}});
  };
  constexpr unsigned threads = 6; // as above
  Device host = Device::open("cpu", {.threads = threads, .cpu = "host"});
  prepare(Device::open("cpu", {.threads = threads, .cpu = "host", .usesDiskCache = false}));
  EXPECT_TRUE(cache->entries().empty());
  prepare(Device::open("cpu", {.threads = threads, .cpu = "x86-64"}));
  ASSERT_EQ(cache->entries().size(), 1u);
  EXPECT_EQ(cache->load(cache->entries()[0]).info().cpu, "x86-64");

  test::TemporaryDirectory other;
  Variable elsewhere("NEREID_CACHE_DIR", other.path("kernels")), cpu("NEREID_CPU", "nehalem");
  cache = DiskCache::open();
  prepare(Device::open("cpu", {.threads = threads}));
  ASSERT_EQ(cache->entries().size(), 1u);
  EXPECT_EQ(cache->load(cache->entries()[0]).info().cpu, "nehalem");
  EXPECT_THROW(Device::open("cpu", {.threads = threads, .cpu = "no-such-cpu"}), Error);
}

TEST(PublicCache, MayBeOff) {
  Variable off("NEREID_CACHE", "off");
  EXPECT_FALSE(DiskCache::open());
}

} // namespace
