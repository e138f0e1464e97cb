// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "nereid/devices.h"

#include "nereid/error.h"
#include "runtime/cuda/Context.h"
#include "runtime/cuda/DeviceProperties.h"
#include "runtime/cuda/Pointer.h"
#include "target/NvidiaTarget.h"

namespace nereid {

namespace cuda = runtime::cuda;

static const cuda::Driver &driverOf(unsigned number) {
  const cuda::Driver &driver = cuda::Driver::get();
  if (number >= driver.deviceCount())
    throw Error(Error::Kind::Usage, "no GPU " + std::to_string(number) + "; there are " +
                                        std::to_string(driver.deviceCount()));
  return driver;
}

uint64_t gpuFreeMemory(unsigned number) {
  const cuda::Driver &driver = driverOf(number);
  size_t free = 0, total = 0;
  cuda::Context::open(number)->call(driver.memGetInfo, &free, &total);
  return free;
}

GpuInfo gpuInfo(unsigned number) {
  const cuda::Driver &driver = driverOf(number);
  cuda::DeviceProperties found = cuda::readProperties(driver, number);
  auto count = [](int value) { return static_cast<unsigned>(value); };
  auto target = target::smFor(count(found.smMajor), count(found.smMinor));
  GpuInfo info;
  info.name = found.name;
  info.target = target ? target->sm : "";
  info.smMajor = count(found.smMajor);
  info.smMinor = count(found.smMinor);
  info.memory = found.memory;
  info.multiprocessors = count(found.multiprocessors);
  info.threadsPerBlock = count(found.threadsPerBlock);
  info.registersPerBlock = count(found.registersPerBlock);
  info.sharedPerBlock = count(found.sharedPerBlock);
  info.threadsPerMultiprocessor = count(found.threadsPerMultiprocessor);
  info.registersPerMultiprocessor = count(found.registersPerMultiprocessor);
  info.sharedPerMultiprocessor = count(found.sharedPerMultiprocessor);
  info.clock = count(found.clock);
  info.memoryClock = count(found.memoryClock);
  info.memoryBusBits = count(found.memoryBusBits);
  info.l2 = count(found.l2);
  return info;
}

std::optional<unsigned> gpuOf(const void *address) {
  if (!cuda::Driver::status().driver)
    return std::nullopt;
  cuda::PointerInfo info = cuda::inspect(address);
  if (info.kind != cuda::PointerInfo::Kind::Device && info.kind != cuda::PointerInfo::Kind::Managed)
    return std::nullopt;
  return info.ordinal;
}

std::string whyOutOfReach(unsigned gpu, const void *address, size_t bytes) {
  return cuda::whyUnreachable(*cuda::Context::open(gpu), address, bytes);
}

} // namespace nereid
