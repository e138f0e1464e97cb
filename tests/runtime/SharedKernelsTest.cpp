// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels and tuning records of one machine reach another by the remote cache: two cache
// directories are two machines.
#include "EnvironmentVariable.h"
#include "RedisServer.h"
#include "TemporaryDirectory.h"
#include "driver/RemoteCache.h"
#include "nereid/tune.h"
#include "runtime/Artifact.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace nereid::test {
namespace {

Kernel kernelThatAdds(int what) {
  return Module::fromText("import triton\nimport triton.language as tl\n"
                          "@triton.jit\n"
                          "def add(x_ptr):\n"
                          "    tl.store(x_ptr, tl.load(x_ptr) + " +
                          std::to_string(what) + ")\n")
      .kernel();
}

float run(const Kernel &kernel) {
  Device device = Device::open("cpu");
  Array x = device.zeros(DType::Float32, {1});
  kernel.launch(device, {1}, {{"x_ptr", x}});
  return x.toVector<float>()[0];
}

/// The one entry of a directory.
std::pair<std::string, std::vector<uint8_t>> onlyEntry(const std::string &directory) {
  runtime::DiskCache cache({directory});
  std::vector<runtime::DiskCache::Entry> entries = cache.entries();
  if (entries.size() != 1)
    throw std::runtime_error(std::to_string(entries.size()) + " entries");
  return {entries[0].key, cache.peek(entries[0].key).value()};
}

/// Each begins where it has nothing, and adds to what the others found.
void keepOnSeveralMachines(const TemporaryDirectory &directory) {
  size_t count = 0;
  for (const std::string configuration : {"A=1", "A=2", "A=3"}) {
    Variable machine("NEREID_CACHE_DIR", directory.path("keeps " + configuration));
    TuningSubject subject{"add", "d", "cpu of the lab, 2 threads", "n=2"};
    TuningRecords records;
    records.add({subject, "a build", configuration, {1, 1, 1, 1}, ""});
    records.keep();
    EXPECT_EQ(TuningRecords::kept().all().size(), ++count);
  }
}

// The process's remote cache is opened once, so that this is one test.
TEST(SharedKernels, ComeFromTheServer) {
  TemporaryDirectory directory;
  std::optional<RedisServer> server = RedisServer::start(directory.path(""));
  if (!server)
    GTEST_SKIP() << "there is no redis-server on this machine (scripts/setup --test installs it)";
  Variable on("NEREID_CACHE", "on"), remote("NEREID_REMOTE_CACHE", server->url()),
      time("NEREID_REMOTE_TIMEOUT", "20000");
  auto onMachine = [&](const std::string &name) {
    return std::make_unique<Variable>("NEREID_CACHE_DIR", directory.path(name));
  };
  std::shared_ptr<driver::RemoteCache> shared = driver::RemoteCache::ofProcess();
  ASSERT_TRUE(shared);

  auto machine = onMachine("one");
  EXPECT_EQ(run(kernelThatAdds(1)), 1);
  auto [key, bytes] = onlyEntry(directory.path("one"));
  EXPECT_EQ(shared->find(key + ".nrd"), bytes);

  // Another machine takes what is there: here, under the same key, the code of another kernel.
  machine.reset();
  machine = onMachine("two");
  EXPECT_EQ(run(kernelThatAdds(2)), 2);
  auto [otherKey, otherBytes] = onlyEntry(directory.path("two"));
  ASSERT_NE(otherKey, key);
  runtime::Artifact swapped = runtime::deserialize(otherBytes);
  swapped.key = key;
  shared->store(key + ".nrd", runtime::serialize(swapped));
  machine.reset();
  machine = onMachine("three");
  EXPECT_EQ(run(kernelThatAdds(1)), 2);
  EXPECT_EQ(onlyEntry(directory.path("three")).first, key); // and keeps it

  // An artifact that says itself that it is for another key, or is none, is compiled afresh.
  for (const std::vector<uint8_t> &wrong : {otherBytes, std::vector<uint8_t>{1, 2, 3}}) {
    shared->store(key + ".nrd", wrong);
    machine.reset();
    machine = onMachine("four" + std::to_string(wrong.size()));
    EXPECT_EQ(run(kernelThatAdds(1)), 1);
    EXPECT_EQ(shared->find(key + ".nrd"), bytes);
  }

  // Records: each machine knows what all have found.
  TuningSubject subject{"add", "d", "cpu of the lab, 2 threads", "n=1"};
  auto tried = [&](const std::string &name) {
    return tryCandidates(subject, {{name, {}, [] { return Timing{1, 1, 1, 1}; }}})[0];
  };
  EXPECT_FALSE(tried("A=1").isFromRecord);
  machine.reset();
  machine = onMachine("five");
  EXPECT_TRUE(tried("A=1").isFromRecord);
  EXPECT_FALSE(tried("A=2").isFromRecord);
  machine.reset();
  machine = onMachine("one");
  EXPECT_FALSE(tried("A=3").isFromRecord);
  machine.reset();
  machine = onMachine("five");
  EXPECT_TRUE(tried("A=3").isFromRecord); // which this machine's own records do not tell

  machine.reset();
  keepOnSeveralMachines(directory);

  // Without the server all goes on.
  server->stop();
  machine.reset();
  machine = onMachine("six");
  testing::internal::CaptureStderr();
  EXPECT_EQ(run(kernelThatAdds(3)), 3);
  EXPECT_FALSE(tried("A=1").isFromRecord);
  std::string warnings = testing::internal::GetCapturedStderr();
  EXPECT_EQ(warnings.find("warning: remote cache: unix://"), 0u) << warnings;
  EXPECT_EQ(std::count(warnings.begin(), warnings.end(), '\n'), 1) << warnings;
}

} // namespace
} // namespace nereid::test
