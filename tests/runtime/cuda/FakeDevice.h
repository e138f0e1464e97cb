// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests on the fake driver: every one begins with a machine of many GPUs, and ends with everything
// given back.
#pragma once

#include "FakeCuda.h"
#include "Messages.h"
#include "runtime/cuda/CudaKernel.h"
#include "runtime/cuda/DeviceMemory.h"
#include "runtime/cuda/Results.h"

#include <cstdlib>

namespace nereid::test {

class FakeDevice : public testing::Test {
protected:
  FakeDevice() {
    setenv("NEREID_LIBCUDA", FAKE_CUDA_PATH, 1);
    fake_cuda::reset(machine());
  }
  ~FakeDevice() override { EXPECT_EQ(fake_cuda::live(), fake_cuda::Live()); }

  static constexpr unsigned devices = 32;
  static fake_cuda::Config machine() {
    return {12080, std::vector<fake_cuda::DeviceConfig>(devices)};
  }
  /// One that a test may lose, for good.
  static unsigned disposable() {
    static unsigned next = devices;
    return --next;
  }

  static std::shared_ptr<runtime::cuda::Stream> openStream(unsigned ordinal = 0) {
    return std::make_shared<runtime::cuda::Stream>(runtime::cuda::Context::open(ordinal));
  }

  /// "add(x, y, out, n, factor)": out = x + factor * y.
  static void setAdd() { fake_cuda::setKernel("add", {{8, 8, 8, 4, 2}, 32, 0, 0, runAdd}); }
  static int runAdd(const fake_cuda::KernelRun &run) {
    auto elements = [&](size_t i) {
      return static_cast<float *>(fake_cuda::hostAddress(run.value<uint64_t>(i)));
    };
    uint64_t count = uint64_t(run.grid[0]) * run.threads;
    for (uint64_t i = 0; i < count && i < run.value<uint32_t>(3); ++i)
      elements(2)[i] = elements(0)[i] + run.value<int16_t>(4) * elements(1)[i];
    return 0;
  }

  static runtime::CudaCode code(const std::string &entry, uint32_t threads = 128) {
    runtime::CudaCode code;
    code.cubin = fake_cuda::makeCubin(90, {entry});
    code.cubinSm = 90;
    code.entry = entry;
    code.threads = threads;
    return code;
  }
  static ArgumentSlot slot(const runtime::Memory &memory) {
    return {reinterpret_cast<uint64_t>(memory.data()), memory.bytes()};
  }
};

} // namespace nereid::test
