// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels print and assert: read when a launch has ended, or left to the driver.
#include "FakeDevice.h"

#include <cstring>

using namespace nereid::runtime::cuda;
using nereid::runtime::CudaCode;

namespace nereid::test {
namespace {

class CudaPrints : public FakeDevice {
protected:
  static KernelLabel label() { return {"add", "add.py"}; }
};

/// A kernel "talk" that prints "x = [p, 10 p]" in each program p, `rounds` times.
CudaCode talk(CudaCode code, int rounds) {
  code.prints = {
      {{PrintStyle::Inline, false, {"never"}}, {}},
      {{PrintStyle::Inline, false, {"x = ", ""}}, {{DType::Int32, false, {2}, nullptr}}}};
  fake_cuda::setKernel("talk", {{8}, 32, 0, 0, [=](const fake_cuda::KernelRun &run) {
                                  constexpr uint64_t bytes = 32, room = (4 << 20) - 16;
                                  auto *buffer = static_cast<char *>(
                                      fake_cuda::hostAddress(run.value<uint64_t>(0)));
                                  uint64_t asked = 0;
                                  for (uint32_t i = 0; i < run.grid[0] * rounds; ++i) {
                                    uint32_t p = i % run.grid[0];
                                    uint32_t record[] = {2, p, 0, 0, p, 10 * p};
                                    if (asked + bytes <= room)
                                      std::memcpy(buffer + 16 + asked, record, sizeof(record));
                                    asked += bytes;
                                  }
                                  std::memcpy(buffer, &asked, sizeof(asked));
                                  return 0;
                                }});
  return code;
}

TEST_F(CudaPrints, PrintsAreReadWhenTheKernelHasEnded) {
  auto stream = openStream();
  CudaKernel kernel(stream, talk(code("talk"), 1), label());
  std::string printed;
  nereid::runtime::PrintSink sink = [&](std::string_view lines) { printed += lines; };
  kernel.launch({3, 1, 1}, {}, &sink);
  EXPECT_EQ(printed, "x = [0 0]\nx = [ 1 10]\nx = [ 2 20]\n");
}

TEST_F(CudaPrints, AnAssertionThatDoesNotHoldIsAnErrorOfTheLaunchAlone) {
  auto stream = openStream();
  CudaCode code = talk(this->code("talk"), 1);
  code.prints.push_back(
      {{PrintStyle::Inline, false, {"a.py:3:5: assertion failed: small"}}, {}, true});
  static bool fails;
  fails = true;
  fake_cuda::setKernel(
      "talk", {{8}, 32, 0, 0, [](const fake_cuda::KernelRun &run) {
                 auto *buffer = static_cast<char *>(fake_cuda::hostAddress(run.value<uint64_t>(0)));
                 // A failure of program 5, a print of program 1, another failure,
                 // that another thread of its program has noticed, too.
                 uint32_t records[] = {3, 5, 0, 0, 2, 1, 0, 0, 7, 8, 0, 0, 3, 6, 0, 0, 3, 6, 0, 0};
                 uint64_t asked = fails ? sizeof(records) : 0;
                 std::memcpy(buffer, &asked, sizeof(asked));
                 std::memcpy(buffer + 16, records, asked);
                 return 0;
               }});
  CudaKernel failing(stream, code, label());
  std::string printed;
  nereid::runtime::PrintSink sink = [&](std::string_view lines) { printed += lines; };
  EXPECT_EQ(messageOf([&] { failing.launch({9, 1, 1}, {}, &sink); }, Error::Kind::Checked),
            "a.py:3:5: assertion failed: small, in program (5, 0, 0) of kernel 'add' (add.py) on a "
            "grid of (9, 1, 1); 2 assertions failed in all");
  EXPECT_EQ(printed, "x = [7 8]\n");
  fails = false; // the device is as good as before
  failing.launch({9, 1, 1}, {}, &sink);
}

TEST_F(CudaPrints, PrintsThatFoundNoRoomAreMissed) {
  auto stream = openStream();
  CudaKernel kernel(stream, talk(code("talk"), 1 << 17), label());
  std::string printed;
  nereid::runtime::PrintSink sink = [&](std::string_view lines) { printed += lines; };
  kernel.launch({3, 1, 1}, {}, &sink);
  // A record of 32 bytes fits 131071 times.
  EXPECT_EQ(std::count(printed.begin(), printed.end(), '\n'), 131072);
  EXPECT_TRUE(printed.ends_with("(8388640 bytes of prints are missing: a launch has room for "
                                "4194288)\n"));
}

/// Not waited for, it has no buffer for what fails; one that prints is waited for all the same.
TEST_F(CudaPrints, AnAssertionMayTrap) {
  auto stream = openStream();
  CudaCode code = this->code("talk");
  code.prints = {{{PrintStyle::Inline, false, {"a.py:3:5: assertion failed"}}, {}, true}};
  static uint64_t buffer;
  fake_cuda::setKernel("talk", {{8}, 32, 0, 0, [](const fake_cuda::KernelRun &run) {
                                  buffer = run.value<uint64_t>(0);
                                  return 0;
                                }});
  CudaKernel asserting(stream, code, label());
  buffer = 1;
  asserting.launchOn(stream->handle(), {1, 1, 1}, {}, nullptr, /*mayTrap=*/true);
  stream->synchronize();
  EXPECT_EQ(buffer, 0u);
  asserting.launchOn(stream->handle(), {1, 1, 1}, {}, nullptr);
  EXPECT_NE(buffer, 0u);
  code.prints.push_back({{PrintStyle::Inline, false, {"x"}}, {}});
  CudaKernel printing(stream, code, label());
  buffer = 0;
  printing.launchOn(stream->handle(), {1, 1, 1}, {}, nullptr, /*mayTrap=*/true);
  EXPECT_NE(buffer, 0u);
}

} // namespace
} // namespace nereid::test
