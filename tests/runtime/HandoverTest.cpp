// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels whose programs hand data to one another, or to another thread of the host:
// docs/memory-model.md says what they may rely on.
#include "MeaningTest.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

using namespace nereid;

namespace {

class HandoverTest : public nereid::test::MeaningTest {
protected:
  Array ints(int64_t count) { return device.zeros(DType::Int32, {count}); }
};
NEREID_ON_ALL_DEVICES(HandoverTest);

std::vector<int32_t> numbers(size_t count) {
  std::vector<int32_t> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = static_cast<int32_t>((i * 7919) % 101) - 50;
  return values;
}

TEST_P(HandoverTest, ChainedScanWaitsForTheBlockBefore) {
  constexpr int blocks = 60, size = 32;
  std::vector<int32_t> x = numbers(blocks * size), expected(x.size());
  std::partial_sum(x.begin(), x.end(), expected.begin());
  Array out = ints(blocks * size);
  run(R"(
def k(x, flags, totals, out):
    pid = tl.program_id(0)
    i = tl.arange(0, 32)
    v = tl.load(x + pid * 32 + i)
    while tl.load(flags + pid - 1, mask=pid > 0, other=1, volatile=True) == 0:
        pass
    before = tl.load(totals + pid - 1, mask=pid > 0, other=0)
    tl.store(totals + pid, before + tl.sum(v, 0))
    tl.atomic_add(flags + pid, 1, sem="release")
    upTo = tl.where(i[:, None] <= i[None, :], v[:, None], 0)
    tl.store(out + pid * 32 + i, before + tl.sum(upTo, 0))
)",
      {{"x", device.array(x)}, {"flags", ints(blocks)}, {"totals", ints(blocks)}, {"out", out}},
      {blocks});
  EXPECT_EQ(out.toVector<int32_t>(), expected);
}

/// A lock that serves in the order of arrival: lock[0] is the next ticket, lock[1] the one served.
/// Every other program waits with an atomic, every other with a volatile load.
TEST_P(HandoverTest, TicketLockGuardsPlainAccesses) {
  constexpr int programs = 200, size = 16;
  Array total = ints(size);
  run(R"(
def k(lock, total):
    i = tl.arange(0, 16)
    ticket = tl.atomic_add(lock, 1, sem="relaxed")
    if tl.program_id(0) % 2 == 0:
        while tl.atomic_add(lock + 1, 0, sem="acquire") != ticket:
            pass
    else:
        while tl.load(lock + 1, volatile=True) != ticket:
            pass
    tl.store(total + i, tl.load(total + i) + i)
    tl.debug_barrier()
    tl.atomic_add(lock + 1, 1, sem="release")
)",
      {{"lock", ints(2)}, {"total", total}}, {programs});
  std::vector<int32_t> expected(size);
  for (int i = 0; i < size; ++i)
    expected[i] = programs * i;
  EXPECT_EQ(total.toVector<int32_t>(), expected);
}

/// A lock that is tried until it is free, as kernels of layer normalization do it.
TEST_P(HandoverTest, SpinLockGuardsPlainAccesses) {
  constexpr int programs = 300, size = 16, locks = 3;
  Array total = ints(locks * size);
  run(R"(
def k(lock, total):
    i = tl.arange(0, 16)
    which = tl.program_id(0) % 3
    while tl.atomic_cas(lock + which, 0, 1) == 1:
        pass
    place = total + which * 16 + i
    tl.store(place, tl.load(place) + i)
    if which == 0:
        tl.debug_barrier()
        tl.atomic_xchg(lock + which, 0, sem="relaxed")
    else:
        tl.atomic_xchg(lock + which, 0, sem="release")
)",
      {{"lock", ints(locks)}, {"total", total}}, {programs});
  std::vector<int32_t> expected(locks * size);
  for (int i = 0; i < locks * size; ++i)
    expected[i] = programs / locks * (i % size);
  EXPECT_EQ(total.toVector<int32_t>(), expected);
}

TEST_P(HandoverTest, SplitKIsAddedUpByWhoComesLast) {
  constexpr int side = 16, splits = 12;
  std::vector<float> a(side * side * splits), b(a.size());
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<float>((i * 31) % 7) - 3;
    b[i] = static_cast<float>((i * 17) % 5) - 2;
  }
  Array out = device.zeros(DType::Float32, {side * side});
  run(R"(
def k(a, b, parts, count, out):
    pid = tl.program_id(0)
    at = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
    part = tl.dot(tl.load(a + pid * 256 + at), tl.load(b + pid * 256 + at), input_precision="ieee")
    tl.store(parts + pid * 256 + at, part)
    if tl.atomic_add(count, 1) == tl.num_programs(0) - 1:
        total = tl.zeros((16, 16), tl.float32)
        for split in range(tl.num_programs(0)):
            total += tl.load(parts + split * 256 + at)
        tl.store(out + at, total)
)",
      {{"a", device.array(a)},
       {"b", device.array(b)},
       {"parts", device.zeros(DType::Float32, {side * side * splits})},
       {"count", ints(1)},
       {"out", out}},
      {splits});
  std::vector<float> expected(side * side);
  for (int split = 0; split < splits; ++split)
    for (int i = 0; i < side; ++i)
      for (int j = 0; j < side; ++j)
        for (int k = 0; k < side; ++k)
          expected[i * side + j] +=
              a[split * side * side + i * side + k] * b[split * side * side + k * side + j];
  EXPECT_EQ(out.toVector<float>(), expected); // small integers: exact in any order
}

TEST_P(HandoverTest, LastBlockFinishesTheReduction) {
  constexpr int blocks = 100, size = 64;
  std::vector<int32_t> x = numbers(blocks * size);
  Array out = ints(2);
  run(R"(
def k(x, partial, count, out):
    pid = tl.program_id(0)
    v = tl.load(x + pid * 64 + tl.arange(0, 64))
    tl.store(partial + 2 * pid, tl.sum(v, 0))
    tl.store(partial + 2 * pid + 1, tl.max(v * v, 0))
    if tl.atomic_add(count, 1, sem="acq_rel") == tl.num_programs(0) - 1:
        i = tl.arange(0, 128)
        inside = i < tl.num_programs(0)
        tl.store(out, tl.sum(tl.load(partial + 2 * i, mask=inside, other=0), 0))
        tl.store(out + 1, tl.max(tl.load(partial + 2 * i + 1, mask=inside, other=0), 0))
)",
      {{"x", device.array(x)}, {"partial", ints(2 * blocks)}, {"count", ints(1)}, {"out", out}},
      {blocks});
  int32_t sum = 0, largest = 0;
  for (int32_t value : x) {
    sum += value;
    largest = std::max(largest, value * value);
  }
  EXPECT_EQ(out.toVector<int32_t>(), (std::vector<int32_t>{sum, largest}));
}

// Waits that only the checked device, which runs one program at a time, can get wrong or report

std::string reportOf(const std::string &body, const Arguments &arguments, Grid grid = {}) {
  Module module =
      Module::fromText("import triton\nimport triton.language as tl\n@triton.jit\n" + body);
  try {
    module.kernel("k").launch(Device::open("check"), grid, arguments);
  } catch (const Error &error) {
    return error.what();
  }
  return "";
}

TEST(CheckedWait, ForAHigherNumberEndsAndValuesOutliveIt) {
  constexpr int programs = 150; // more than are set aside at once
  Device device = Device::open("check");
  Array flags = device.zeros(DType::Int32, {programs}),
        out = device.zeros(DType::Int32, {8 * programs});
  EXPECT_EQ(reportOf(R"(
def k(flags, out):
    pid = tl.program_id(0)
    i = tl.arange(0, 8)
    mine = i * 1000 + pid
    for round in range(2):
        mine += round
        while tl.load(flags + pid + 1, mask=pid < tl.num_programs(0) - 1, other=1, volatile=True) == 0:
            pass
    tl.atomic_add(flags + pid, 1)
    tl.store(out + pid * 8 + i, mine)
)",
                     {{"flags", flags}, {"out", out}}, {programs}),
            "");
  std::vector<int32_t> expected(8 * programs);
  for (int pid = 0; pid < programs; ++pid)
    for (int i = 0; i < 8; ++i)
      expected[pid * 8 + i] = i * 1000 + pid + 1;
  EXPECT_EQ(out.toVector<int32_t>(), expected);
}

TEST(CheckedWait, ThatNobodyEndsIsReported) {
  Device device = Device::open("check");
  for (const char *wait : {"tl.load(flag, volatile=True) == 0", "tl.load(flag) == 0",
                           "tl.atomic_add(flag, 0) == 0", "tl.atomic_add(flag, 1) >= 0",
                           "tl.atomic_cas(flag, 1, 0) == 0", "tl.atomic_or(flag, 0) == 0"}) {
    std::string report = reportOf(std::string(R"(
def k(flag):
    if tl.program_id(0) < 3:
        while )") + wait + ":\n            pass\n",
                                  {{"flag", device.zeros(DType::Int32, {1})}}, {5});
    EXPECT_NE(
        report.find("this loop waits in program (0, 0, 0) for what no program does [endless_wait]"),
        std::string::npos)
        << wait << "\n"
        << report;
    EXPECT_NE(report.find(":7:9"), std::string::npos) << report;
  }
}

TEST(CheckedWait, LongLoopsThatComputeAreNoWait) {
  Device device = Device::open("check");
  Array out = device.zeros(DType::Int32, {1});
  EXPECT_EQ(reportOf(R"(
def k(out):
    i = 0
    while i < 5000000:
        i += 1
    tl.store(out, i + tl.load(out))
    while tl.load(out) < 5000100:
        tl.store(out, tl.load(out) + 1)
)",
                     {{"out", out}}),
            "");
  EXPECT_EQ(out.toVector<int32_t>()[0], 5000100);
}

/// One program, and a thread of the host in the part of another: once the program has released
/// `flag`, the thread overwrites what the program read before, and only then lets it go on. Nothing
/// is left to chance: a program that reads late reads what was overwritten.
class ReadBeforeRelease : public testing::TestWithParam<const char *> {
protected:
  static constexpr int size = 64;

  std::vector<int32_t> launch(const std::string &release) {
    Device device = Device::open("cpu");
    Array buffer = device.array(std::vector<int32_t>(size, 1)), out = ints(device, size);
    Array flag = ints(device, 1), done = ints(device, 1);
    Module module = Module::fromText(R"(
import triton
import triton.language as tl
@triton.jit
def k(buffer, flag, done, out):
    i = tl.arange(0, 64)
    v = tl.load(buffer + i)
    )" + release + R"(
    while tl.load(done, volatile=True) == 0:
        pass
    tl.store(out + i, v)
)");
    std::thread partner([&] {
      auto *values = static_cast<int32_t *>(buffer.data());
      std::atomic_ref<int32_t> released(*static_cast<int32_t *>(flag.data()));
      while (released.load(std::memory_order_acquire) == 0)
        std::this_thread::yield();
      for (int i = 0; i < size; ++i)
        std::atomic_ref<int32_t>(values[i]).store(2, std::memory_order_relaxed);
      std::atomic_ref<int32_t>(*static_cast<int32_t *>(done.data()))
          .store(1, std::memory_order_release);
    });
    module.kernel("k").launch(device, {},
                              {{"buffer", buffer}, {"flag", flag}, {"done", done}, {"out", out}});
    partner.join();
    return out.toVector<int32_t>();
  }
  static Array ints(const Device &device, int64_t count) {
    return device.zeros(DType::Int32, {count});
  }
};

TEST_P(ReadBeforeRelease, IsNotDoneAfterIt) {
  EXPECT_EQ(launch(GetParam()), std::vector<int32_t>(size, 1));
}

INSTANTIATE_TEST_SUITE_P(
    Orders, ReadBeforeRelease,
    testing::Values("tl.atomic_add(flag, 1)", "tl.atomic_add(flag, 1, sem='release')",
                    "tl.atomic_add(flag, 1, sem='acq_rel', scope='sys')",
                    "tl.atomic_add(flag + tl.arange(0, 1), 1)", "tl.atomic_cas(flag, 0, 1)",
                    "tl.atomic_xchg(flag, 1, sem='release')",
                    "tl.debug_barrier(); tl.atomic_add(flag, 1, sem='relaxed')"));

} // namespace
