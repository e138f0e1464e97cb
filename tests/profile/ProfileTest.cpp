// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host's part of profiling, on the fake driver, whose kernels note what is written here.
#include "nereid/profile.h"
#include "FakeDevice.h"
#include "runtime/ClockRecords.h"

#include <chrono>
#include <thread>

namespace nereid::test {
namespace {

using fake_cuda::KernelRun;
using runtime::BlockRow;
using runtime::ClockRecord;

constexpr const char *copyText = "import triton\nimport triton.language as tl\n\n"
                                 "@triton.jit\n"
                                 "def copy(x, y, BLOCK: tl.constexpr):\n"
                                 "    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
                                 "    tl.store(y + i, tl.load(x + i))\n";

class ProfileOnFake : public FakeDevice {
protected:
  ProfileOnFake() {
    fake_cuda::setKernel("kernel_copy", {{8, 8}, 32, 0, 0, [this](const KernelRun &run) {
                                           ++plain;
                                           std::this_thread::sleep_for(takes);
                                           return run.grid[0] ? 0 : 1;
                                         }});
    fake_cuda::setKernel("kernel_copy_clocks",
                         {{8, 8, 8, 8, 4, 4, 4, 4, 4}, 32, 0, 0, [this](const KernelRun &run) {
                            return note(run);
                          }});
  }

  /// Each warp begins, and ends 100 cycles later; in a microsecond per block.
  int note(const KernelRun &run) {
    ++clocked;
    std::this_thread::sleep_for(takes + run.value<uint32_t>(7) * notingTakes);
    if (fault)
      return fault;
    uint32_t ofRows = run.value<uint32_t>(4), rowCount = run.value<uint32_t>(5),
             ofAreas = run.value<uint32_t>(6), areaCount = run.value<uint32_t>(7),
             bytes = run.value<uint32_t>(8), warps = run.threads / 32;
    auto *rows = static_cast<BlockRow *>(fake_cuda::hostAddress(run.value<uint64_t>(2)));
    EXPECT_EQ(run.value<uint64_t>(3) % bytes, 0u) << "areas begin at multiples of their size";
    auto *records = static_cast<ClockRecord *>(fake_cuda::hostAddress(run.value<uint64_t>(3)));
    unsigned last = endSite;
    for (uint64_t block = 0; block < run.grid[0]; ++block) {
      auto row = static_cast<uint32_t>(block * ofRows),
           noting = static_cast<uint32_t>(block * ofAreas);
      if (row < rowCount)
        rows[row] = {1000 * block + 500, 1000 * block, 1000 * block + 900, 1000 * block + 1400,
                     block % 2};
      for (uint32_t warp = 0; noting < areaCount && warp < warps; ++warp) {
        uint64_t per = bytes / sizeof(ClockRecord);
        ClockRecord *area = records + (uint64_t(noting) * warps + warp) * per;
        EXPECT_EQ(area[0].site, 0u) << "what an earlier launch noted is still there";
        area[0] = {static_cast<uint32_t>(1000 * block), 1};
        area[per - 1] = {static_cast<uint32_t>(1000 * block + 100), last};
      }
    }
    return 0;
  }

  Profile run(Grid grid, ProfileOptions options = {}) {
    Device device = Device::open("cuda");
    Kernel kernel = Module::fromText(copyText, "copy.py").kernel();
    // The number of the last place where clocks are read.
    std::string ptx = dump(kernel, parseSignature("x=*f32:16,y=*f32:16,BLOCK=128"),
                           {.target = "sm_90a", .takesClocks = true, .stages = {Stage::Ptx}})[0]
                          .text;
    endSite = 0;
    while (ptx.find("// clock " + std::to_string(endSite + 1) + ":") != std::string::npos)
      ++endSite;
    return profile(device, kernel, grid,
                   {{"x", device.zeros(DType::Float32, {1024})},
                    {"y", device.zeros(DType::Float32, {1024})},
                    {"BLOCK", 128}},
                   options);
  }

  std::string failure(Grid grid, ProfileOptions options = {}) {
    try {
      run(grid, options);
    } catch (const Error &error) {
      return error.what();
    }
    return "nothing failed";
  }

  int plain = 0, clocked = 0, fault = 0;
  std::chrono::microseconds takes{0}, notingTakes{0}; // a launch, and each block that notes more
  unsigned endSite = 0;
};

TEST_F(ProfileOnFake, LaunchesByTurnsAndReadsTheLast) {
  Profile profile = run({8}, {.detail = "all", .turns = 3});
  EXPECT_EQ(plain, 4);   // the first does not count
  EXPECT_EQ(clocked, 5); // and the one that is read
  EXPECT_EQ(profile.launchedBlocks, 8u);
  EXPECT_GT(profile.warps, 0u);
  EXPECT_EQ(profile.blocks.size(), 8u);
  EXPECT_EQ(profile.turns, 3u);
  EXPECT_EQ(profile.detail, "all");
  ASSERT_EQ(profile.lines.size(), 1u);
  EXPECT_EQ(profile.lines[0].what, "end");
  EXPECT_EQ(profile.lines[0].count, 8u * profile.warps);
  EXPECT_NEAR(profile.clockHertz, 1e9, 1);
  EXPECT_EQ(profile.kernel, "copy");
  EXPECT_EQ(profile.file, "copy.py");
}

TEST_F(ProfileOnFake, WithoutTurnsItIsLaunchedOnce) {
  Profile profile = run({8}, {.turns = 0});
  EXPECT_EQ(plain, 0);
  EXPECT_EQ(clocked, 1);
  EXPECT_EQ(profile.seconds, 0);
  EXPECT_EQ(profile.overhead(), 0);
  EXPECT_NE(toText(profile).find("one launch with clocks"), std::string::npos);
}

/// The cost is the blocks' that note: so few of them note everything, and it is said.
TEST_F(ProfileOnFake, FewBlocksNoteWhereAllCostTooMuch) {
  takes = std::chrono::milliseconds(150);
  notingTakes = std::chrono::microseconds(100);
  Profile profile = run({10'000}, {.turns = 3});
  EXPECT_EQ(profile.detail, "all");
  EXPECT_LE(profile.notingBlocks, 16u);
  EXPECT_GT(profile.notingBlocks, 8u);
  EXPECT_EQ(profile.blocks.size(), 10'000u);
  ASSERT_EQ(profile.notes.size(), 1u);
  EXPECT_NE(profile.notes[0].find("with detail all of 910 blocks it takes"), std::string::npos);
  EXPECT_NE(toText(profile).find(std::to_string(profile.notingBlocks) + " noted"),
            std::string::npos);
}

TEST_F(ProfileOnFake, OfLargeGridsSomeBlocksNote) {
  Profile profile = run({100'001}, {.detail = "all", .turns = 0});
  EXPECT_EQ(profile.launchedBlocks, 100'001u);
  EXPECT_EQ(profile.blocks.size(), 33'334u); // every third
  EXPECT_LE(profile.intervals.size(), 1u << 20);
  EXPECT_FALSE(profile.intervals.empty());
}

TEST_F(ProfileOnFake, MistakesAreToldOnce) {
  EXPECT_EQ(failure({0}), "a grid without programs has nothing to profile");
  EXPECT_EQ(failure({1}, {.detail = "some"}),
            "no detail 'some' of profiles; there are: auto, all, waits, rounds, programs");
  EXPECT_EQ(clocked, 0);
}

TEST_F(ProfileOnFake, TheCheckedDeviceMeasuresNothing) {
  Kernel kernel = Module::fromText(copyText, "copy.py").kernel();
  Device device = Device::open("check");
  try {
    profile(device, kernel, {1}, {});
    ADD_FAILURE();
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), Error::Kind::Usage);
    EXPECT_TRUE(std::string(error.what()).starts_with("cannot profile on device 'check'"))
        << error.what();
  }
}

/// Last of all: the device is lost with it.
TEST_F(ProfileOnFake, ZZZKernelsThatFailAreTold) {
  fault = 700;
  std::string message = failure({8}, {.turns = 0});
  EXPECT_NE(message.find("kernel 'copy' (copy.py)"), std::string::npos) << message;
}

} // namespace
} // namespace nereid::test
