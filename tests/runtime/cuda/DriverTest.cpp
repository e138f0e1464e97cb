// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opening the driver, and what is said where that fails.
#include "FakeDevice.h"

#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace nereid::runtime::cuda;

namespace nereid::test {
namespace {

class CudaDriver : public FakeDevice {
protected:
  static std::string whyNot(const std::string &path = FAKE_CUDA_PATH) {
    return messageOf([&] { Driver driver(path); });
  }
};

TEST_F(CudaDriver, OpensAndCounts) {
  Driver driver(FAKE_CUDA_PATH);
  EXPECT_EQ(driver.version(), 12080);
  EXPECT_EQ(driver.deviceCount(), devices);
  EXPECT_TRUE(driver.tensorMapEncodeTiled);
}

TEST_F(CudaDriver, ReadsProperties) {
  DeviceProperties device = readProperties(Driver(FAKE_CUDA_PATH), 1);
  EXPECT_EQ(device.fullName(), "cuda:1 (Fake H200, sm_90)");
  EXPECT_EQ(device.sharedPerBlock, 227 << 10);
  EXPECT_EQ(device.grid, (std::array<int, 3>{2147483647, 65535, 65535}));
  EXPECT_EQ(device.memory, size_t(64) << 20);
}

TEST_F(CudaDriver, NoLibraryIsNamed) {
  EXPECT_TRUE(has(whyNot("/nowhere/libcuda.so.1"), "no NVIDIA driver", "/nowhere/libcuda.so.1"));
}

TEST_F(CudaDriver, AMissingFunctionIsNamedWithTheVersionThatHasIt) {
  EXPECT_TRUE(has(whyNot(FAKE_CUDA_OLD_PATH),
                  "has no function cuLaunchKernelEx, which came with CUDA 11.8",
                  "this driver is for CUDA 12.8", "a driver for CUDA 11.8 or later is needed"));
}

TEST_F(CudaDriver, AnOldDriverIsRefused) {
  fake_cuda::reset({11000, {{}}});
  EXPECT_TRUE(
      has(whyNot(), "the driver is for CUDA 11.0; a driver for CUDA 11.8 or later is needed"));
}

TEST_F(CudaDriver, NoDeviceIsExplained) {
  fake_cuda::reset({12080, {}});
  EXPECT_TRUE(has(whyNot(), "cuInit failed", "CUDA_ERROR_NO_DEVICE"));
}

TEST_F(CudaDriver, HiddenDevicesAreExplained) {
  setenv("CUDA_VISIBLE_DEVICES", "", 1);
  fake_cuda::reset({12080, {}});
  EXPECT_TRUE(has(whyNot(), "CUDA_VISIBLE_DEVICES is ''"));
  unsetenv("CUDA_VISIBLE_DEVICES");
}

TEST_F(CudaDriver, EachWayToFailAtTheBeginningSaysWhatHelps) {
  const struct {
    int result;
    const char *name, *help;
  } rows[] = {{CUDA_ERROR_STUB_LIBRARY, "CUDA_ERROR_STUB_LIBRARY", "toolkit's stub"},
              {CUDA_ERROR_SYSTEM_NOT_READY, "CUDA_ERROR_SYSTEM_NOT_READY", "fabricmanager"},
              {CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
               "different versions"},
              {CUDA_ERROR_UNKNOWN, "CUDA_ERROR_UNKNOWN", "restart"}};
  for (const auto &row : rows) {
    fake_cuda::fail("cuInit", row.result);
    EXPECT_TRUE(has(whyNot(), "cuInit failed", row.name, row.help));
  }
}

TEST(CudaDeviceFiles, SayWhatIsWrongWithThem) {
  auto directory =
      std::filesystem::temp_directory_path() / ("nereid-dev-" + std::to_string(getpid()));
  std::filesystem::create_directory(directory);
  EXPECT_TRUE(has(explainDeviceFiles(directory), "nvidiactl", "kernel module is not loaded"));
  std::string control = directory / "nvidiactl";
  std::ofstream(control).close();
  EXPECT_EQ(explainDeviceFiles(directory), "");
  chmod(control.c_str(), 0);
  if (geteuid() != 0) // who may do anything is not refused
    EXPECT_TRUE(has(explainDeviceFiles(directory), "cannot be opened", "needs permission"));
  std::filesystem::remove_all(directory);
}

/// In a process of its own: there the fork is not this program's end.
TEST_F(CudaDriver, AForkedProcessIsToldSo) {
  Driver driver(FAKE_CUDA_PATH);
  std::string text;
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  pid_t child = fork();
  if (child == 0) {
    text = driver.describe("cuMemAlloc_v2", CUDA_ERROR_NOT_INITIALIZED);
    _exit(write(ends[1], text.data(), text.size()) < 0);
  }
  close(ends[1]);
  char buffer[1024];
  for (ssize_t count; (count = read(ends[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<size_t>(count));
  close(ends[0]);
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(has(text, "this process was forked"));
  EXPECT_FALSE(has(driver.describe("cuMemAlloc_v2", CUDA_ERROR_NOT_INITIALIZED), "forked"));
}

TEST_F(CudaDriver, UnknownResultsKeepTheirNumber) {
  EXPECT_EQ(Driver(FAKE_CUDA_PATH).describe("cuInit", 12345), "cuInit failed: error 12345");
}

} // namespace
} // namespace nereid::test
