// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What launching costs on a GPU, beside the driver alone. Needs nothing but a driver: no OpenBLAS,
// no LLVM, so that it can be taken to a machine as it is.
#include "EmptyKernel.h"
#include "Timing.h"

#include "nereid/nereid.h"
#include "runtime/cuda/CudaKernel.h"
#include "runtime/cuda/DeviceMemory.h"

#include <cstdio>

namespace nereid::bench {
namespace {

using namespace runtime::cuda;
using runtime::cuda::Stream; // not the public one

struct Setting {
  std::shared_ptr<Stream> stream = std::make_shared<Stream>(Context::open(0));
  std::shared_ptr<runtime::Memory> memory = allocateDevice(stream, 1 << 20);
  std::vector<ArgumentSlot> slots =
      std::vector<ArgumentSlot>(4, {reinterpret_cast<uint64_t>(memory->data()), memory->bytes()});

  Setting() { slots.push_back({1024, 0}); }
};

/// Microseconds of the host for one launch; the queue is drained before, and not counted.
double hostCost(const Setting &setting, const std::function<void()> &launch) {
  constexpr int launches = 200;
  setting.stream->synchronize();
  return seconds([&] {
           for (int i = 0; i < launches; ++i)
             launch();
         }) /
         launches * 1e6;
}

/// Ours and the bare call take turns; each figure is the median.
bool measureLaunch() {
  Setting setting;
  runtime::CudaCode code;
  code.cubin = link(setting.stream->context(), emptyKernel, "empty").cubin;
  code.cubinSm = setting.stream->context().properties().sm();
  code.entry = "empty";
  code.threads = 128;
  CudaKernel kernel(setting.stream, code, {"empty", "benchmark"});
  Function function =
      runtime::cuda::Module::load(setting.stream->sharedContext(), code.cubin, "empty")
          ->function("empty");
  const Driver &driver = Driver::get();
  CurrentContext current(driver, setting.stream->context().handle());
  void *parameters[5];
  for (size_t i = 0; i < 5; ++i)
    parameters[i] = &setting.slots[i].bits;
  auto bare = [&] {
    driver.launchKernel.address(function.handle(), 1, 1, 1, 128, 1, 1, 0, setting.stream->handle(),
                                parameters, nullptr);
  };
  auto ours = [&] { kernel.enqueue(*setting.stream, {1, 1, 1}, setting.slots); };
  std::vector<double> oursCosts, bareCosts, whole;
  for (int round = 0; round < 200; ++round) {
    bareCosts.push_back(hostCost(setting, bare));
    oursCosts.push_back(hostCost(setting, ours));
    whole.push_back(hostCost(setting, [&] { kernel.launch({1, 1, 1}, setting.slots, nullptr); }));
  }
  double ratio = median(oursCosts) / median(bareCosts);
  std::printf("launch of 5 arguments, host: %.3f us, cuLaunchKernel alone %.3f us, ratio %.3f "
              "(at most 1.1)  %s\n",
              median(oursCosts), median(bareCosts), ratio, ratio <= 1.1 ? "ok" : "MISS");
  std::printf("launch and wait: %.3f us\n", median(whole));
  return ratio <= 1.1;
}

void measureMemory() {
  Setting setting;
  for (size_t bytes : {size_t(4) << 10, size_t(1) << 20, size_t(64) << 20}) {
    std::vector<double> costs;
    for (int round = 0; round < 50; ++round)
      costs.push_back(seconds([&] { allocateDevice(setting.stream, bytes); }) * 1e6);
    std::printf("allocate, zero and free %s: %.1f us\n", sizeText(bytes).c_str(), median(costs));
  }
}

} // namespace
} // namespace nereid::bench

int main() {
  using namespace nereid::runtime::cuda;
  try {
    std::printf("%s, driver for CUDA %s\n", readProperties(Driver::get(), 0).fullName().c_str(),
                versionText(Driver::get().version()).c_str());
    bool isGood = nereid::bench::measureLaunch();
    nereid::bench::measureMemory();
    return isGood ? 0 : 1;
  } catch (const nereid::Error &error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
