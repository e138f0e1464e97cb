// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels: loading, what does not fit, arguments and grids, leaks.
#include "FakeDevice.h"
#include "runtime/cuda/Fit.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <new>
#include <numeric>
#include <thread>

using namespace nereid::runtime::cuda;
using nereid::runtime::CudaCode;

static std::atomic<uint64_t> allocations = 0;
void *operator new(size_t bytes) {
  ++allocations;
  if (void *memory = std::malloc(bytes))
    return memory;
  throw std::bad_alloc();
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }

namespace nereid::test {
namespace {

class CudaKernels : public FakeDevice {
protected:
  static KernelLabel label() { return {"add", "add.py"}; }
  static std::string whyNot(const CudaCode &code, unsigned ordinal = 0) {
    auto stream = openStream(ordinal);
    return messageOf([&] { CudaKernel(stream, code, label()); });
  }
  /// An entry that needs `registers`, and ends with `result`.
  static void setKernel(int registers, int result = 0) {
    fake_cuda::setKernel("add", {{}, registers, 1024, 0, [=](const auto &) { return result; }});
  }
};

TEST_F(CudaKernels, GetTheirArgumentsAndGrid) {
  auto stream = openStream();
  setAdd();
  CudaKernel kernel(stream, code("add"), label());
  EXPECT_EQ(kernel.attributes().registers, 32);
  EXPECT_EQ(kernel.attributes().threadsPerBlock, 1024);
  EXPECT_EQ(kernel.blocksPerMultiprocessor(), 16);
  std::vector<float> x(300), y(300), out(300), expected(300);
  std::iota(x.begin(), x.end(), 1.0f);
  std::iota(y.begin(), y.end(), -7.0f);
  auto a = allocateDevice(stream, 1200), b = allocateDevice(stream, 1200),
       c = allocateDevice(stream, 1200);
  a->copyFromHost(x.data(), 1200);
  b->copyFromHost(y.data(), 1200);
  // -3 as the 16 bits it has, with what is not its own above.
  std::vector<ArgumentSlot> slots = {slot(*a), slot(*b), slot(*c), {290, 0}, {0xfffd, 0}};
  kernel.launch({3, 1, 1}, slots, nullptr);
  c->copyToHost(out.data(), 1200);
  for (size_t i = 0; i < 290; ++i)
    expected[i] = x[i] - 3 * y[i];
  EXPECT_EQ(out, expected);
}

TEST_F(CudaKernels, GetTheirShape) {
  fake_cuda::KernelRun seen{};
  fake_cuda::setKernel("add", {{}, 32, 0, 0, [&](const auto &run) {
                                 seen = run;
                                 return 0;
                               }});
  auto stream = openStream();
  CudaCode shaped = code("add", 384);
  shaped.sharedBytes = 200 << 10;
  shaped.cluster = {2, 1, 2};
  shaped.overlapsPrevious = true;
  CudaKernel(stream, shaped, label()).launch({4, 5, 6}, {}, nullptr);
  EXPECT_EQ(seen.threads, 384u);
  EXPECT_EQ(seen.sharedBytes, 200u << 10);
  EXPECT_EQ(std::to_array(seen.grid), (std::array<unsigned, 3>{8, 5, 12})); // of programs 4, 5, 6
  EXPECT_EQ(std::to_array(seen.cluster), (std::array<unsigned, 3>{2, 1, 2}));
  EXPECT_TRUE(seen.overlapsPrevious);
  shaped.withoutBoxes = {code("add")}, shaped.cluster = {16, 1, 1}; // more than there may be
  CudaKernel(stream, shaped, label()).launch({4, 5, 6}, {}, nullptr);
  shaped.cluster = {1, 1, 1};
  shaped.overlapsPrevious = false;
  fake_cuda::takeCalls();
  CudaKernel(stream, shaped, label()).launch({4, 5, 6}, {}, nullptr);
  std::vector<std::string> calls = fake_cuda::takeCalls();
  EXPECT_EQ(std::count(calls.begin(), calls.end(), "cuLaunchKernel"), 1);
  EXPECT_FALSE(seen.overlapsPrevious);
}

TEST_F(CudaKernels, OverlapWhereGraphsKnowIt) {
  DeviceProperties device;
  device.driver = 12030;
  EXPECT_TRUE(canOverlapLaunches(device));
  device.driver = 12020;
  EXPECT_FALSE(canOverlapLaunches(device));
}

TEST_F(CudaKernels, AreAssembledAnewWhereFewerRegistersLetMoreBlocksShareAMultiprocessor) {
  struct Case {
    int registers, least; // of a thread, and without which it spills
    const char *more;     // of the text
    int expected;
    unsigned threads = 128;
  };
  const Case cases[] = {
      {72, 0, "", 64},                            // 8 blocks of 128 threads for 7
      {106, 0, "", 96},                           // 5 for 4
      {72, 70, "", 72},                           // would spill
      {72, fake_cuda::KernelConfig::any, "", 72}, // cannot do with fewer
      {142, 0, "", 142},             // takes the assembler long, and three blocks are there
      {188, 0, "", 168},             // 3 for 2
      {66, 0, "", 64},               // 8 for 7
      {48, 0, "", 48},               // the next is 40, further than an eighth
      {64, 0, "", 56},               // 9 for 8: an eighth
      {72, 0, ".maxnreg 72", 72},    // the author's
      {72, 0, "setmaxnreg.inc", 72}, // moves them between its warps
      // Warps that multiply do with half of them.
      {56, 30, "mma.sync.", 32},
      {72, 38, "mma.sync.", 40},
      {72, 30, "mma.sync.", 40}, // and not with less
      {146, 90, "mma.sync.", 96},
      {188, 165, "mma.sync.", 168}, // 3 blocks for 2
      {188, 170, "mma.sync.", 188},
      {142, 100, "wgmma.", 142}, // four warps together
      {72, 38, "mma.sync. wgmma.", 64},
      // A block that is alone lets a second one in for a quarter of them.
      {140, 100, "wgmma.", 128, 256},
      {168, 128, "", 128, 256},
      {168, 129, "", 168, 256}, // would spill
      {176, 100, "", 176, 256},
  };
  for (const Case &each : cases) {
    SCOPED_TRACE(std::to_string(each.registers) + " " + each.more);
    fake_cuda::setKernel("add",
                         {{}, each.registers, 0, 0, [](const auto &) { return 0; }, each.least});
    CudaCode ptx = code("add", each.threads);
    ptx.cubin = {};
    ptx.cubinSm = 0;
    ptx.ptxSm = 80;
    ptx.ptx = ".version 7.0\n.target sm_80\n.visible .entry add(\n)\n.reqntid " +
              std::to_string(each.threads) + ", 1, 1\n" + std::string(each.more) + "\n{\n}\n";
    CudaCode kept;
    CudaKernel kernel(openStream(), ptx, label(), [&](const CudaCode &made) { kept = made; });
    EXPECT_EQ(kernel.attributes().registers, each.expected);
    EXPECT_EQ(kernel.attributes().localBytes, 0);
    // What is kept is what runs, and is assembled once.
    fake_cuda::takeCalls();
    EXPECT_EQ(CudaKernel(openStream(), kept, label()).attributes().registers, each.expected);
    EXPECT_EQ(std::ranges::count(fake_cuda::takeCalls(), fake_cuda::assembly), 1);
  }
}

TEST_F(CudaKernels, HaveMoreRegistersWhereRoundsWaitForLoads) {
  const std::string load = "@%p1 ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%rd1];\n",
                    narrow = "ld.global.L1::evict_last.b32 %r1, [%rd1];\n",
                    pair = "ld.global.v2.b32\t{%r1, %r2}, [%rd1];\n", three = load + load + load,
                    four = three + load, head = "$L__BB0_2:\n", branch = "@%p2 bra \t$L__BB0_2;\n";
  struct Case {
    int registers;
    std::string body;
    unsigned limit, threads = 128;
    const char *more = "";
  };
  for (const Case &each : {Case{44, head + four + branch, 64},
                           {44, head + four + branch, 64, 64},
                           {48, head + four + branch, 64, 1024},
                           {48, head + three + branch, 0},
                           {48, head + three + narrow + branch, 64},
                           {48, head + pair + pair + pair + narrow + narrow + branch, 64},
                           {48, head + pair + pair + pair + narrow + branch, 0}, // 28 bytes
                           {48, four + head + narrow + branch, 0},
                           {48, branch + four + head, 0},  // forwards
                           {64, head + four + branch, 56}, // half of the threads have them
                           {48, head + four + branch, 0, 128, ".minnctapersm 1"},
                           {48, head + four + "mma.sync.\n" + branch, 32}}) {
    SCOPED_TRACE(std::to_string(each.registers) + " " + each.more + each.body);
    fake_cuda::setKernel("add", {{}, each.registers, 0, 0, [](const auto &) { return 0; }, 0});
    CudaCode ptx = code("add", each.threads);
    ptx.cubin = {};
    ptx.cubinSm = 0;
    ptx.ptxSm = 80;
    ptx.ptx = ".version 7.0\n.target sm_80\n.visible .entry add(\n)\n.reqntid " +
              std::to_string(each.threads) + ", 1, 1\n" + each.more + "\n{\n" + each.body + "}\n";
    CudaCode kept;
    CudaKernel(openStream(), ptx, CudaKernels::label(), [&](const CudaCode &made) { kept = made; });
    EXPECT_EQ(kept.limit.registers, each.limit);
  }
}

TEST_F(CudaKernels, AreAssembledAnewWhereTheAssemblerGaveUp) {
  struct Case {
    int local, localOfLimited; // bytes of a thread
    bool isLimited;
    const char *arrays = "";
  };
  constexpr const char *large = ".local .align 8 .b8 __local_depot0[12000];\n",
                       *two = ".local .align 16 .b8 a[8000];\n.local .align 4 .b8 b[4000];\n";
  for (const Case &each : {Case{13032, 3304, true},
                           {13032, 12000, true}, // a little less
                           {13032, 13032, false},
                           {13032, 20000, false},
                           {1000, 0, true},
                           {128, 0, false},
                           {12100, 12000, false, large}, // the text's own, and 25 registers
                           {12128, 12000, false, large},
                           {12132, 12000, true, large},
                           {13032, 12000, true, large},
                           {12100, 12000, false, two},
                           {13032, 12500, true, two}}) {
    SCOPED_TRACE(std::to_string(each.local) + " " + each.arrays);
    fake_cuda::KernelConfig config{{}, 255, 0, each.localOfLimited, [](const auto &) { return 0; },
                                   0};
    config.localWithoutLimit = each.local;
    fake_cuda::setKernel("add", config);
    CudaCode ptx = code("add", 64);
    ptx.cubin = {};
    ptx.cubinSm = 0;
    ptx.ptxSm = 80;
    ptx.ptx = ".version 7.0\n.target sm_80\n.visible .entry add(\n)\n.reqntid 64, 1, 1\n{\n" +
              std::string(each.arrays) + "}\n";
    CudaKernel kernel(openStream(), ptx, label());
    EXPECT_EQ(kernel.attributes().registers, each.isLimited ? 255 : 32);
    EXPECT_EQ(kernel.attributes().localBytes, each.isLimited ? each.localOfLimited : each.local);
  }
}

TEST_F(CudaKernels, OfBlocksSmallerThanAWarpTakeWholeWarps) {
  fake_cuda::setKernel("add", {{}, 128, 0, 0, [](const auto &) { return 0; }, 0});
  CudaCode ptx = code("add", 1);
  ptx.cubin = {};
  ptx.cubinSm = 0;
  ptx.ptxSm = 80;
  ptx.ptx = ".version 7.0\n.target sm_80\n.visible .entry add(\n)\n.reqntid 1, 1, 1\n{\n}\n";
  CudaKernel kernel(openStream(), ptx, label());
  EXPECT_GE(kernel.attributes().registers, 120);
}

TEST_F(CudaKernels, PtxIsAssembledAndItsMistakesAreShown) {
  setAdd();
  CudaCode ptx = code("add");
  ptx.cubin = {};
  ptx.cubinSm = 0;
  ptx.ptxSm = 80;
  ptx.ptx = ".version 7.0\n.target sm_80\n.visible .entry add(\n";
  auto stream = openStream();
  CudaKernel(stream, ptx, label());
  LinkedCode linked = link(stream->context(), ptx.ptx, "it", LinkLog::Verbose);
  EXPECT_EQ(linked.cubin, fake_cuda::makeCubin(90, {"add"}));
  EXPECT_EQ(linked.log, "ptxas info    : Used 32 registers");
  ptx.ptx += "  mistake\n";
  EXPECT_TRUE(has(whyNot(ptx), "cannot compile kernel 'add' (add.py) for cuda:0",
                  "cuModuleLoadDataEx failed", "CUDA_ERROR_INVALID_PTX",
                  "ptxas application ptx input, line 4; error   : Unknown symbol"));
  ptx.ptx = ".version 99.0\n.target sm_80\n";
  EXPECT_TRUE(has(whyNot(ptx), "the PTX is newer than the driver; install a newer driver"));
}

TEST_F(CudaKernels, TheLimitThatWasChosenIsHandedOutAndUsed) {
  setAdd();
  auto stream = openStream();
  CudaCode ptx = code("add");
  ptx.cubin = {};
  ptx.cubinSm = 0;
  ptx.ptxSm = 80;
  ptx.ptx = ".version 7.0\n.target sm_80\n.visible .entry add(\n";
  std::vector<CudaCode> kept;
  auto load = [&](const CudaCode &from) {
    fake_cuda::takeCalls();
    CudaKernel(stream, from, label(), [&](const CudaCode &made) { kept.push_back(made); });
    std::vector<std::string> calls = fake_cuda::takeCalls();
    return std::ranges::count(calls, fake_cuda::assembly);
  };
  EXPECT_EQ(load(ptx), 1);
  ASSERT_EQ(kept.size(), 1u);
  CudaCode complete = kept[0];
  EXPECT_EQ(complete.limit, (CudaCode::RegisterLimit{0, 90, 12080}));
  EXPECT_TRUE(complete.cubin.empty());
  EXPECT_EQ(complete.ptx, ptx.ptx);
  EXPECT_EQ(load(complete), 1); // by the driver, whose cache would have it
  EXPECT_EQ(kept.size(), 1u);
  // What another driver chose, and what the driver refuses, is made anew.
  CudaCode others = complete;
  others.limit.driver = 12040;
  EXPECT_EQ(load(others), 1);
  CudaCode damaged = complete;
  damaged.cubin = {1, 2, 3, 0};
  damaged.cubinSm = 90;
  EXPECT_EQ(load(damaged), 1);
  ASSERT_EQ(kept.size(), 3u);
  EXPECT_EQ(kept[1], complete);
  EXPECT_EQ(kept[2], complete);
  // Machine code that fits is taken first. What fails for want of memory would fail again.
  CudaCode both = complete;
  both.cubin = fake_cuda::makeCubin(90, {"add"});
  both.cubinSm = 90;
  EXPECT_EQ(load(both), 0);
  EXPECT_EQ(kept.size(), 3u);
  fake_cuda::fail("cuModuleLoadDataEx", CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_TRUE(
      has(whyNot(both), "cannot load kernel 'add' (add.py) on cuda:0", "CUDA_ERROR_OUT_OF_MEMORY"));
}

TEST_F(CudaKernels, CodeForAnotherGpuIsRefused) {
  setAdd();
  CudaCode other = code("add");
  other.cubinSm = 100;
  EXPECT_TRUE(has(whyNot(other), "kernel 'add' (add.py) was compiled for sm_100",
                  "cuda:0 (Fake H200, sm_90) cannot run; compile it for sm_90"));
  other.cubinSm = 80; // an older generation's machine code
  EXPECT_TRUE(has(whyNot(other), "was compiled for sm_80"));
  other.ptx = ".version 7.0\n.target sm_80\n.entry add(\n";
  other.ptxSm = 80; // but its PTX runs
  CudaKernel(openStream(), other, label());
  other.isForOneSm = true;
  EXPECT_TRUE(has(whyNot(other), "was compiled for sm_80a"));
  CudaCode damaged = code("add");
  damaged.cubin = {1, 2, 3, 0};
  EXPECT_TRUE(has(whyNot(damaged), "cannot load kernel 'add' (add.py) on cuda:0",
                  "cuModuleLoadDataEx failed", "the code is damaged; compile the kernel again"));
  CudaCode nameless = code("add");
  nameless.entry = "sub";
  EXPECT_TRUE(has(whyNot(nameless), "cannot find 'sub' in its code"));
}

TEST_F(CudaKernels, WhatDoesNotFitIsRefusedBeforeItRuns) {
  setKernel(32);
  CudaCode big = code("add");
  big.sharedBytes = 240 << 10;
  EXPECT_TRUE(has(whyNot(big), "kernel 'add' (add.py) needs 246784 bytes of shared memory",
                  "cuda:0 (Fake H200, sm_90) has 232448", "smaller tiles or fewer stages"));
  EXPECT_TRUE(has(whyNot(code("add", 2048)), "needs blocks of 2048 threads",
                  "num_warps of 32 or less works"));
  setKernel(255);
  EXPECT_TRUE(has(whyNot(code("add", 512)), "needs 255 registers in each of 512 threads",
                  "has 65536 per block, enough for 256 threads",
                  "smaller tiles or a smaller num_warps"));
  setKernel(32);
  CudaCode clustered = code("add");
  clustered.cluster = {16, 1, 1};
  EXPECT_TRUE(has(whyNot(clustered), "is made for clusters of 16 blocks",
                  "has clusters of up to 8 such blocks"));
  fake_cuda::DeviceConfig ampere;
  ampere.smMajor = 8;
  ampere.largestCluster = 0;
  fake_cuda::reset({12080, {ampere}});
  setKernel(32);
  clustered.cubinSm = 80;
  clustered.cubin = fake_cuda::makeCubin(80, {"add"});
  clustered.cluster = {2, 1, 1};
  EXPECT_TRUE(has(whyNot(clustered), "has none, they came with sm_90", "num_ctas of 1 works"));
}

TEST_F(CudaKernels, AGridBeyondTheLimitsIsRefused) {
  fake_cuda::DeviceConfig narrow;
  narrow.grid[0] = 1000;
  fake_cuda::reset({12080, {narrow}});
  setKernel(32);
  auto stream = openStream();
  CudaKernel kernel(stream, code("add"), label());
  EXPECT_TRUE(has(messageOf([&] { kernel.launch({1001, 1, 1}, {}, nullptr); }, Error::Kind::Usage),
                  "kernel 'add' (add.py) cannot be launched on a grid of (1001, 1, 1)",
                  "has grids up to (1000, 65535, 65535)", "in a loop"));
  kernel.launch({1000, 1, 1}, {}, nullptr);
  CudaCode clustered = code("add");
  clustered.cluster = {2, 1, 1};
  CudaKernel pairs(stream, clustered, label());
  EXPECT_TRUE(has(messageOf([&] { pairs.launch({501, 1, 1}, {}, nullptr); }, Error::Kind::Usage),
                  "clusters of blocks", "came without the code for such launches"));
}

TEST_F(CudaKernels, SeveralThreadsMayLaunchOne) {
  setAdd();
  auto stream = openStream();
  CudaKernel kernel(stream, code("add"), label());
  auto work = [&](int16_t factor) {
    std::vector<float> x(100, 1), y(100, 2), out(100);
    auto a = allocateDevice(stream, 400), b = allocateDevice(stream, 400),
         c = allocateDevice(stream, 400);
    a->copyFromHost(x.data(), 400);
    b->copyFromHost(y.data(), 400);
    std::vector<ArgumentSlot> slots = {
        slot(*a), slot(*b), slot(*c), {100, 0}, {static_cast<uint16_t>(factor), 0}};
    for (int i = 0; i < 50; ++i) {
      kernel.launch({1, 1, 1}, slots, nullptr);
      c->copyToHost(out.data(), 400);
      EXPECT_EQ(out, std::vector<float>(100, 1.0f + 2.0f * factor));
    }
  };
  std::vector<std::thread> threads;
  for (int16_t factor = 1; factor <= 4; ++factor)
    threads.emplace_back(work, factor);
  for (std::thread &thread : threads)
    thread.join();
}

TEST_F(CudaKernels, FailingLaunchesLeaveNothing) {
  setAdd();
  auto stream = openStream();
  auto memory = allocateDevice(stream, 64);
  CudaKernel kernel(stream, code("add"), label());
  std::vector<ArgumentSlot> slots = {slot(*memory), slot(*memory), slot(*memory), {16, 0}, {0, 0}};
  kernel.launch({1, 1, 1}, slots, nullptr);
  fake_cuda::Live before = fake_cuda::live();
  fake_cuda::fail("cuLaunchKernel", CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, 0);
  CudaCode big = code("add");
  big.sharedBytes = 1 << 20;
  CudaCode broken = code("add");
  broken.cubin = {};
  broken.ptx = "mistake";
  for (int i = 0; i < 1000; ++i) {
    EXPECT_TRUE(has(messageOf([&] { kernel.launch({1, 1, 1}, slots, nullptr); }),
                    "kernel 'add' (add.py) cannot be launched on a grid of (1, 1, 1)",
                    "cuLaunchKernel failed"));
    EXPECT_THROW(CudaKernel(stream, big, label()), Error);
    EXPECT_THROW(CudaKernel(stream, broken, label()), Error);
    EXPECT_THROW(allocateDevice(stream, size_t(1) << 40), Error);
  }
  EXPECT_EQ(fake_cuda::live(), before);
}

TEST_F(CudaKernels, ALaunchAllocatesNoHostMemory) {
  setAdd();
  auto stream = openStream();
  CudaKernel kernel(stream, code("add"), label());
  std::vector<ArgumentSlot> slots(5);
  fake_cuda::ignoreLaunches(true);
  kernel.enqueue(*stream, {1, 1, 1}, slots);
  CurrentContext current(Driver::get(), stream->context().handle());
  uint64_t before = allocations;
  for (int i = 0; i < 1000; ++i)
    kernel.enqueue(*stream, {1, 1, 1}, slots);
  EXPECT_EQ(allocations - before, 0u);
  fake_cuda::ignoreLaunches(false);
}

} // namespace
} // namespace nereid::test
