// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/DeviceProperties.h"

#include <cstdio>

namespace nereid::runtime::cuda {

std::string DeviceProperties::fullName() const {
  return deviceName() + " (" + name + ", sm_" + std::to_string(sm()) + ")";
}

DeviceProperties readProperties(const Driver &driver, unsigned ordinal) {
  DeviceProperties result;
  result.ordinal = ordinal;
  result.driver = driver.version();
  CUdevice device = 0;
  driver.call(driver.deviceGet, &device, static_cast<int>(ordinal));
  char name[256] = {};
  driver.call(driver.deviceGetName, name, int(sizeof name) - 1, device);
  result.name = name;
  driver.call(driver.deviceTotalMem, &result.memory, device);
  const struct {
    int &value;
    CUdevice_attribute attribute;
  } rows[] = {
      {result.smMajor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR},
      {result.smMinor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR},
      {result.multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT},
      {result.clock, CU_DEVICE_ATTRIBUTE_CLOCK_RATE},
      {result.memoryClock, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE},
      {result.memoryBusBits, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH},
      {result.l2, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE},
      {result.threadsPerBlock, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK},
      {result.registersPerBlock, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK},
      {result.sharedPerBlock, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN},
      {result.threadsPerMultiprocessor, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR},
      {result.blocksPerMultiprocessor, CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR},
      {result.registersPerMultiprocessor, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR},
      {result.sharedPerMultiprocessor, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR},
      {result.grid[0], CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X},
      {result.grid[1], CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y},
      {result.grid[2], CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z},
      {result.hasClusters, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH},
  };
  for (const auto &row : rows)
    driver.call(driver.deviceGetAttribute, &row.value, row.attribute, device);
  return result;
}

std::string sizeText(uint64_t bytes) {
  static constexpr struct {
    uint64_t unit;
    const char *name;
  } rows[] = {{uint64_t(1) << 40, "TiB"}, {1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}};
  for (const auto &row : rows) {
    if (bytes < row.unit)
      continue;
    char text[32];
    std::snprintf(text, sizeof text, bytes % row.unit ? "%.1f %s" : "%.0f %s",
                  double(bytes) / double(row.unit), row.name);
    return text;
  }
  return std::to_string(bytes) + " bytes";
}

} // namespace nereid::runtime::cuda
