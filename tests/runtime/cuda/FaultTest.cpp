// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that fail on the device: which are named, and what of the process remains usable.
#include "FakeDevice.h"

using namespace nereid::runtime::cuda;

namespace nereid::test {
namespace {

class CudaFaults : public FakeDevice {
protected:
  static KernelLabel label() { return {"add", "add.py"}; }
  /// An entry that needs `registers`, and ends with `result`.
  static void setKernel(int registers, int result = 0) {
    fake_cuda::setKernel("add", {{}, registers, 1024, 0, [=](const auto &) { return result; }});
  }
};

TEST_F(CudaFaults, AFaultNamesTheKernelAndLosesOnlyItsDevice) {
  setKernel(32, CUDA_ERROR_ILLEGAL_ADDRESS);
  unsigned ordinal = disposable();
  std::string device = "cuda:" + std::to_string(ordinal), refused;
  {
    auto stream = openStream(ordinal), other = openStream(0);
    CudaKernel kernel(stream, code("add"), label());
    auto memory = allocateDevice(stream, 64);
    std::string first = messageOf([&] { kernel.launch({7, 1, 2}, {}, nullptr); });
    EXPECT_TRUE(has(first, "kernel 'add' (add.py) on a grid of (7, 1, 2) failed",
                    "cuStreamSynchronize failed", "CUDA_ERROR_ILLEGAL_ADDRESS",
                    "accessed an address where the device has no memory",
                    "this process has lost " + device + " (Fake H200, sm_90)",
                    "start a new process", "other devices remain usable"));
    // Every call refuses at once, for the same reason.
    int host = 0;
    refused = device + " cannot be used any more in this process, because " + first;
    fake_cuda::takeCalls();
    EXPECT_TRUE(has(messageOf([&] { kernel.launch({1, 1, 1}, {}, nullptr); }), refused));
    EXPECT_TRUE(has(messageOf([&] { memory->copyToHost(&host, 4); }), refused));
    EXPECT_TRUE(has(messageOf([&] { allocateDevice(stream, 4); }), refused));
    EXPECT_TRUE(fake_cuda::takeCalls().empty());
    setAdd();
    auto elsewhere = allocateDevice(other, 64);
    elsewhere->copyFromHost(&host, 4);
  }
  // Nor does it help that nothing uses the device any more.
  EXPECT_TRUE(has(messageOf([&] { openStream(ordinal); }), refused));
}

TEST_F(CudaFaults, EachKindOfFaultSaysWhatItIs) {
  const struct {
    int result;
    const char *name, *meaning;
  } rows[] = {
      {CUDA_ERROR_ASSERT, "CUDA_ERROR_ASSERT", "an assertion of the kernel failed"},
      {CUDA_ERROR_MISALIGNED_ADDRESS, "CUDA_ERROR_MISALIGNED_ADDRESS", "no multiple of"},
      {CUDA_ERROR_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "trapped"},
      {CUDA_ERROR_LAUNCH_TIMEOUT, "CUDA_ERROR_LAUNCH_TIMEOUT", "display"},
      {CUDA_ERROR_ECC_UNCORRECTABLE, "CUDA_ERROR_ECC_UNCORRECTABLE", "memory is faulty"},
      {CUDA_ERROR_UNKNOWN, "CUDA_ERROR_UNKNOWN", "this process has lost cuda:"},
  };
  for (const auto &row : rows) {
    setKernel(32, row.result);
    auto stream = openStream(disposable());
    CudaKernel kernel(stream, code("add"), label());
    EXPECT_TRUE(has(messageOf([&] { kernel.launch({1, 1, 1}, {}, nullptr); }),
                    "kernel 'add' (add.py) on a grid of (1, 1, 1)", row.name, row.meaning));
  }
}

TEST_F(CudaFaults, AFaultOfOneOfSeveralLaunchesNamesThoseThatRan) {
  fake_cuda::setKernel("good", {{}, 32, 0, 0, [](const auto &) { return 0; }});
  setKernel(32, CUDA_ERROR_ILLEGAL_ADDRESS);
  auto stream = openStream(disposable());
  CudaKernel done(stream, code("good"), {"done", "a.py"}),
      good(stream, code("good"), {"good", "a.py"}), bad(stream, code("add"), {"bad", "b.py"});
  done.launch({1, 1, 1}, {}, nullptr);
  good.enqueue(*stream, {2, 1, 1}, {});
  bad.enqueue(*stream, {3, 1, 1}, {});
  std::string text = messageOf([&] { stream->synchronize(); });
  EXPECT_TRUE(has(text,
                  "one of these launches failed: kernel 'good' (a.py) on a grid of (2, 1, 1), "
                  "kernel 'bad' (b.py) on a grid of (3, 1, 1)",
                  "CUDA_LAUNCH_BLOCKING=1"));
  EXPECT_FALSE(has(text, "'done'"));
}

TEST_F(CudaFaults, AKernelThatRanManyTimesIsNamedOnce) {
  fake_cuda::setKernel("good", {{}, 32, 0, 0, [](const auto &) { return 0; }});
  setKernel(32, CUDA_ERROR_ILLEGAL_ADDRESS);
  auto stream = openStream(disposable());
  CudaKernel good(stream, code("good"), {"good", "a.py"}), bad(stream, code("add"), label());
  for (int i = 0; i < 9; ++i)
    good.enqueue(*stream, {7, 1, 1}, {});
  bad.enqueue(*stream, {1, 1, 1}, {});
  EXPECT_TRUE(has(messageOf([&] { stream->synchronize(); }),
                  "one of these launches failed: kernel 'good' (a.py) on a grid of (7, 1, 1) "
                  "(9 times), kernel 'add'",
                  "or other work that this process gave to the device"));
}

TEST_F(CudaFaults, OfManyLaunchesTheNewestAreNamed) {
  fake_cuda::setKernel("good", {{}, 32, 0, 0, [](const auto &) { return 0; }});
  setKernel(32, CUDA_ERROR_ILLEGAL_ADDRESS);
  auto stream = openStream(disposable());
  CudaKernel good(stream, code("good"), {"good", "a.py"}), bad(stream, code("add"), label());
  for (uint32_t i = 1; i <= 100; ++i)
    good.enqueue(*stream, {i, 1, 1}, {});
  bad.enqueue(*stream, {1, 1, 1}, {});
  EXPECT_TRUE(has(messageOf([&] { stream->synchronize(); }),
                  "one of these launches failed: kernel 'good' (a.py) on a grid of (86, 1, 1)",
                  "and 12 more"));
}

} // namespace
} // namespace nereid::test
